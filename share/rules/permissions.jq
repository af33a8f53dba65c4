module {
  "title": "every permission that an action or a role names is one of the authentication contract",
  "reason": "nobody can have a permission that the contract does not know, so nobody could call the action",
  "group": "module_wiring"
};
include "lib/bundle";

def known: [document(app.authContract).permissions | arrays | .[] | strings | {key: ., value: true}] | from_entries;

def wanted_by_actions:
  modules
  | .key as $i
  | .value
  | actions
  | .key as $j
  | .value.permission
  | strings
  | {place: "modules[\($i)].actions[\($j)].permission", permission: .};

def wanted_by_roles:
  document(app.authContract).roles
  | objects
  | to_entries[]
  | .key as $role
  | .value
  | arrays
  | .[]
  | strings
  | {place: "roles.\($role | quoted)", permission: .};

def check:
  on_app(
    app.authContract as $contract
    | manifest as $file
    | on_document($contract;
        known as $known
        | at($contract) as $contract_file
        | ((wanted_by_actions | {$file} + .), (wanted_by_roles | {file: $contract_file} + .))
        | select($known[.permission] | not)
        | failure(.file; "\(.place): \($contract) does not have the permission \(.permission | quoted)")),
      (select($contract == null)
       | wanted_by_actions
       | failure($file; "\(.place): the app has no authContract, so nobody has a permission"))
  );
