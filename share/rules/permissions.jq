module {
  "title": "every permission that an action or a role names is one of the authentication contract",
  "reason": "nobody can have a permission that the contract does not know, so nobody could call the action",
  "group": "module_wiring",
  "needs": "app.authContract"
};
include "lib/bundle";

def check:
  ([documents("app.authContract").value.permissions[]?]) as $known
  | (.actions[] + {file: .manifest} | select(.permission)),
    (documents("app.authContract")
     | .file as $file
     | .value.roles
     | objects
     | {$file, at: "contract.roles", permission: .[][]})
  | select([.permission] - $known != [])
  | failure(.file; "\(.at): the app's authContract has no permission \(.permission | quoted)");
