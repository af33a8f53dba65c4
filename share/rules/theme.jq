module {
  "title": "the theme has the shape of sbx-bundle(5) and was made for this app",
  "reason": "the shell passes over a theme that is not the app's own, and the app would look like no app",
  "group": "schema_quality"
};
include "lib/bundle";
include "lib/shape";

def colors: {primary: "color", background: "color", surface: "color", text: "color"};

def problems($app_id):
  shape(""; {source: "custom", app_id: "id"}; {font: "font", logo: "text", colors: "object"}),
  (select($app_id != null and (.app_id | type == "string") and .app_id != $app_id)
   | "app_id: is \(.app_id | quoted), and the app is \($app_id | quoted)"),
  (.colors
   | objects
   | shape("colors"; {}; {light: "object", dark: "object"}),
     (("light", "dark") as $name | .[$name] | objects | shape("colors.\($name)"; {}; colors)));

def check:
  on_app(
    theme as $name
    | app.appId as $app_id
    | at($name | strings) as $file
    | on_document($name; failure($file; document($name) | problems($app_id)))
  );
