module {
  "title": "the authentication contract has the shape of sbx-bundle(5)",
  "reason": "sign-in and the app's permissions are set up from it",
  "group": "schema_quality",
  "needs": "app.authContract"
};
include "lib/bundle";
include "lib/shape";

def contract: types({
  contract: {is: "object", needs: {callbackPath: "path", permissions: "texts"}, may: {roles: "roles"}},
  path: {is: "string", like: "\\A/(?!/)[^?#\\\\\\s\\p{Cc}]*\\z", says: "a path that starts with /"},
  roles: {is: "object", says: "an object"}
});

def check:
  documents("app.authContract")
  | failure(.file; .value
      | shape(contract; "contract"; "contract"),
        (.roles | objects | keys_unsorted[] as $role | .[$role] | shape(types({}); "texts"; "roles.\($role | quoted)")));
