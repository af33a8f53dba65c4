module {
  "title": "every step of a workflow names an action of the app",
  "reason": "a workflow stops at a step that leads nowhere",
  "group": "workflow_integration",
  "needs": "app.workflows"
};
include "lib/bundle";

def check:
  [.actions[].id] as $known
  | documents("app.workflows")
  | .file as $file
  | .value.steps[]?.action?
  | select([.] - $known != [])
  | failure($file; "app.json declares no action \(quoted)");
