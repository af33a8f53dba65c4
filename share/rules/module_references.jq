module {
  "title": "every action's handler file is in the bundle, below its module's directory",
  "reason": "the host loads a module by these names and finds it nowhere else",
  "group": "module_wiring",
  "needs": "app"
};
include "lib/bundle";

def check:
  .actions[] as $action
  | reference(.manifest; $action.at + ".handler"; $action.source | split(":")[0]; ""; "");
