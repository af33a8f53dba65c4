module {
  "title": "the bundle's root holds what sbx-bundle(5) and the profile name, and nothing else",
  "reason": "a file there can change what a tool does with the whole workspace, and nobody declared it",
  "group": "bundle_scan"
};
include "lib/bundle";

# A directory of tools' settings is as undeclared as a file.
def root_entry($prefix): ltrimstr($prefix) | split("/") | select(length == 1 or (.[0] | startswith("."))) | .[0];

def declared:
  ["app.json", theme, app.authContract, app.dataContract, (app.assets | arrays | .[])]
  | map(strings | {key: ., value: true})
  | from_entries;

def check:
  on_app(
    .profile.prefix as $prefix
    | declared as $declared
    | .files
    | keys_unsorted[]
    | select(startswith($prefix)) as $file
    | $file
    | root_entry($prefix)
    | select($declared[.] | not)
    | failure($file; "\(quoted) at the bundle's root is declared nowhere")
  );
