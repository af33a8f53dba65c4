module {
  "title": "app.json has the shape of sbx-bundle(5)",
  "reason": "every other document, page and handler is found through it",
  "group": "schema_quality"
};
include "lib/bundle";
include "lib/shape";

def page_problems($where):
  shape($where; {path: "route", title: "text", component: "text"}; {menu: "boolean"});

def action_problems($where):
  shape($where; {name: "id", handler: "handler"}; {permission: "text"});

def module_problems($where):
  shape($where; {id: "id", path: "text", actions: "filled"}; {}),
  (objects | actions | .key as $i | .value | action_problems("\($where).actions[\($i)]")),
  (objects | [actions.value.name | strings] | repeated | "\($where).actions: two are named \(quoted)");

# Two pages at one path: names of parameters make no difference.
def route: gsub(":[^/]+"; ":");

def problems:
  shape("";
    {title: "text", pages: "filled"};
    {appId: "id", authRequired: "boolean", modules: "list", theme: "text", dataContract: "text", authContract: "text",
     workflows: "ids", assets: "texts"}),
  (.pages | arrays | to_entries[] | .key as $i | .value | page_problems("pages[\($i)]")),
  (.modules | arrays | to_entries[] | .key as $i | .value | module_problems("modules[\($i)]")),
  ([.pages | arrays | .[] | objects | .path | strings | route] | repeated | "pages: two are at \(quoted)"),
  ([.modules | arrays | .[] | objects | .id | strings] | repeated | "modules: two have the id \(quoted)"),
  ([.workflows | arrays | .[] | strings] | repeated | "workflows: \(quoted) stands there twice"),
  ([.assets | arrays | .[] | strings] | repeated | "assets: \(quoted) stands there twice");

# An app that is compiled only needs no identity.
def without_null_identity: if type == "object" and has("appId") and .appId == null then del(.appId) else . end;

def check:
  manifest as $file
  | .files[$file] as $found
  | if $found == null then failure($file; "the bundle has no app.json")
    elif $found.withheld then skip("app.json \($found.withheld)")
    elif $found.json.malformed then failure($file; "is not strict JSON: \($found.json.malformed)")
    elif $found.json.value | type != "object" then failure($file; "must be an object, not \($found.json.value | type)")
    else failure($file; $found.json.value | without_null_identity | problems)
    end;
