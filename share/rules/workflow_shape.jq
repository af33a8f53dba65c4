module {
  "title": "every workflow has the shape of sbx-bundle(5), and app.json lists it",
  "reason": "the shell offers a workflow by its title and the host runs it by its steps",
  "group": "workflow_integration"
};
include "lib/bundle";
include "lib/shape";

def problems($id):
  shape(""; {id: "id", title: "text", steps: "filled"}; {}),
  (select(.id != $id) | "id: must be \($id | quoted), as its directory"),
  (.steps | arrays | to_entries[] | .key as $i | .value | shape("steps[\($i)]"; {action: "action"}; {}));

def unlisted:
  [workflows.value] as $listed
  | files_like("\\Aworkflows/[^/]+/workflow\\.json\\z")
  | select((.file | split("/")[1]) as $id | $listed | index($id) | not)
  | warning(.file; "app.json does not list this workflow, so nobody can start it");

def check:
  . as $bundle
  | on_app(
      (workflows.value as $id
       | ($id | workflow_file) as $file
       | $bundle.files[$file]
       | values
       | if .json.value | type == "object" then failure($file; .json.value | problems($id))
         else skip("\($file | quoted) could not be read: see declared_documents")
         end),
      unlisted
    );
