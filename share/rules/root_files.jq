module {
  "title": "the bundle's root holds what sbx-bundle(5) and the profile name, and nothing else",
  "reason": "a file there can change what a tool does with the whole workspace, and nobody declared it",
  "group": "bundle_scan",
  "needs": "app"
};
include "lib/bundle";

# A directory of tools' settings is as undeclared as a file.
def check:
  .profile.prefix as $prefix
  | ["app.json", (.documents[].name), (.app.assets | arrays | .[])] as $declared
  | .files
  | keys_unsorted[] as $file
  | $file
  | select(startswith($prefix))
  | .[($prefix | length):]
  | select(test("\\A[^/]*\\z|\\A\\.") and [.] - $declared != [])
  | failure($file; "nobody declared this at the bundle's root");
