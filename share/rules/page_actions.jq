module {
  "title": "every action that a page calls by name is one of the app",
  "reason": "the call would be answered with \"not found\", and the build can't tell",
  "group": "functional_completeness"
};
include "lib/bundle";
include "lib/source";

def check:
  on_app(
    declared_actions as $declared
    | each_text("\\.[jt]sx?\\z";
        .file as $file
        | .text
        | select(contains("@mozaiks/shell"))
        | action_calls
        | select($declared[.action] | not)
        | failure($file; "line \(.line): app.json declares no action \(.action | quoted)"))
  );
