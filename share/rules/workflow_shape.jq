module {
  "title": "every workflow has the shape of sbx-bundle(5), and app.json lists it",
  "reason": "the shell offers a workflow by its title and the host runs it by its steps",
  "group": "workflow_integration",
  "needs": "app.workflows"
};
include "lib/bundle";
include "lib/shape";

def workflow: types({
  workflow: {is: "object", needs: {id: "id", title: "text", steps: "steps"}, may: {}},
  steps: {is: "array", of: "step", least: 1, says: "a list that is not empty"},
  step: {is: "object", says: "an object", needs: {action: "action"}, may: {}},
  action: {is: "string", like: "\\A[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\z", says: "an action as module.action"}
});

def unlisted:
  [.documents[].file] as $listed
  | files_like("\\Aworkflows/[^/]+/workflow\\.json\\z")
  | select([.file] - $listed != [])
  | warning(.file; "app.json does not list this workflow, so nobody can start it");

def check:
  (documents("app.workflows") as $of
   | failure($of.file; $of.value
       | shape(workflow; "workflow"; "workflow"),
         (select("workflows/\(.id)/workflow.json" != $of.file) | "workflow.id: is not its directory's name"))),
  unlisted;
