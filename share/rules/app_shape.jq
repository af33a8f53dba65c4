module {
  "title": "app.json has the shape of sbx-bundle(5)",
  "reason": "every other document, page and handler is found through it",
  "group": "schema_quality"
};
include "lib/bundle";
include "lib/shape";

def app: types({
  app: {
    is: "object", says: "an object",
    needs: {title: "text", pages: "pages"},
    may: {
      appId: "identity", authRequired: "flag", modules: "modules", theme: "text", dataContract: "text",
      authContract: "text", workflows: "ids", assets: "texts"
    }
  },
  identity: {
    is: "string", or_null: true, like: "\\A[A-Za-z0-9_-]{1,128}\\z",
    says: "null or an id of letters, digits, hyphens and underscores"
  },
  pages: {is: "array", of: "page", least: 1, says: "a list that is not empty"},
  page: {is: "object", says: "an object", needs: {path: "route", title: "text", component: "text"}, may: {menu: "flag"}},
  route: {
    is: "string", says: "a path as /notes or /note/:id",
    like: "\\A(?:/|(?:/(?!\\.\\.?(?:/|\\z))(?::[A-Za-z_][A-Za-z0-9_]*|[^/:*?#%\\\\\\s\\p{Cc}]+))+)\\z"
  },
  modules: {is: "array", of: "module", one: "id", says: "a list"},
  module: {is: "object", says: "an object", needs: {id: "id", path: "text", actions: "actions"}, may: {}},
  actions: {is: "array", of: "action", one: "name", least: 1, says: "a list that is not empty"},
  action: {is: "object", says: "an object", needs: {name: "id", handler: "handler"}, may: {permission: "text", example: "payload"}},
  payload: {is: "object", says: "an object"},
  handler: {is: "string", like: "\\A[^:]+\\.py:[\\p{L}_][\\p{L}\\p{N}_]*\\z", says: "a handler as file.py:function"}
});

# Names of parameters make no difference between two pages' paths.
def same_routes:
  [.pages | arrays | .[] | .path? | strings | [splits(":[^/]+")]]
  | group_by(.)[]
  | select(length > 1)
  | "app.pages: two are at \(.[0] | join(":id"))";

def check:
  .files[.manifest] as $found
  | if $found.json.withheld then skip("app.json " + $found.json.withheld)
    elif $found.json.malformed then failure(.manifest; "is not strict JSON: " + $found.json.malformed)
    elif $found then failure(.manifest; $found.json.value | shape(app; "app"; "app"), same_routes)
    else failure(.manifest; "is not in the bundle")
    end;
