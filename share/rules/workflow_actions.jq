module {
  "title": "every step of a workflow names an action of the app",
  "reason": "a workflow stops at a step that leads nowhere",
  "group": "workflow_integration"
};
include "lib/bundle";

def check:
  . as $bundle
  | on_app(
      declared_actions as $declared
      | workflows.value
      | workflow_file as $file
      | $bundle.files[$file].json.value
      | objects
      | .steps
      | arrays
      | to_entries[]
      | .key as $i
      | .value
      | objects
      | .action
      | strings
      | select($declared[.] | not)
      | failure($file; "steps[\($i)].action: app.json declares no action \(quoted)")
    );
