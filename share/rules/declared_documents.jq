module {
  "title": "the documents that app.json names are there and are strict JSON",
  "reason": "a contract or theme that can't be read would be ignored, or stop the app when it starts",
  "group": "planned_completeness",
  "needs": "app"
};
include "lib/bundle";

def check:
  .manifest as $manifest
  | . as $bundle
  | .documents[]
  | [.name as $name | .file as $file | $bundle | lost($name; $file; "\\.json\\z"; "named *.json")][0] as $why
  | if $why then failure($manifest; "\(.at): \(.name | quoted) \($why)")
    elif .json.withheld then skip("\(.name | quoted) \(.json.withheld)")
    elif .json.malformed then failure(.file; "is not strict JSON: " + .json.malformed)
    else select(.json.value | type != "object") | failure(.file; "is not an object")
    end;
