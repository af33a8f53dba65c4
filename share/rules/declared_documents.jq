module {
  "title": "the documents that app.json names are there and are strict JSON",
  "reason": "a contract or theme that can't be read would be ignored, or stop the app when it starts",
  "group": "planned_completeness"
};
include "lib/bundle";

def read_problem($file; $name):
  .files[$file] as $found
  | if $name | test("\\.json\\z") | not then failure(manifest; "\($name | quoted) must be named *.json")
    elif $found.json.malformed then failure($file; "is not strict JSON: \($found.json.malformed)")
    elif $found.withheld then skip("\($name | quoted) \($found.withheld)")
    elif $found.json.value | type != "object" then failure($file; "must be an object, not \($found.json.value | type)")
    else empty
    end;

def named_documents:
  (app | to_entries[] | select(.key == "authContract" or .key == "dataContract") | select(.value | type == "string")),
  (theme | strings | {key: "theme", value: .});

def check:
  . as $bundle
  | on_app(
      (named_documents
       | .key as $member
       | .value as $name
       | $bundle
       | lost($name) as $lost
       | if $lost then failure(manifest; "\($member): \($lost)") else read_problem(at($name); $name) end),
      (workflows
       | .key as $i
       | (.value | workflow_file) as $file
       | $bundle
       | if .files[$file] then read_problem($file; $file)
         else failure(manifest; "workflows[\($i)]: \(missing($file; $file))")
         end)
    );
