module {
  "title": "the authentication contract has the shape of sbx-bundle(5)",
  "reason": "the preview's sign-in and the app's permissions are set up from it",
  "group": "schema_quality"
};
include "lib/bundle";
include "lib/shape";

def problems:
  shape(""; {callbackPath: "url_path", permissions: "texts"}; {roles: "object"}),
  ([.permissions | arrays | .[] | strings] | repeated | "permissions: \(quoted) stands there twice"),
  (.roles
   | objects
   | to_entries[]
   | select(.value | is("texts") | not)
   | "roles.\(.key | quoted): must be a list of permissions");

def check:
  on_app(
    app.authContract as $name
    | at($name | strings) as $file
    | on_document($name; failure($file; document($name) | problems))
  );
