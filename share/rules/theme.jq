module {
  "title": "the theme has the shape of sbx-bundle(5) and was made for this app",
  "reason": "the shell passes over a theme that is not the app's own, and the app would not look like itself",
  "group": "schema_quality",
  "needs": "app.theme"
};
include "lib/bundle";
include "lib/shape";

def theme: types({
  theme: {is: "object", needs: {source: "source", app_id: "id"}, may: {font: "font", logo: "text", colors: "modes"}},
  source: {is: "string", like: "\\Acustom\\z", says: "\"custom\""},
  font: {is: "string", like: "\\A[A-Za-z0-9_ ,-]+\\z", says: "a font's name of letters, digits, blanks, commas and hyphens"},
  modes: {is: "object", says: "an object", needs: {}, may: {light: "colors", dark: "colors"}},
  colors: {
    is: "object", says: "an object",
    needs: {}, may: {primary: "color", background: "color", surface: "color", text: "color"}
  },
  color: {is: "string", like: "\\A#[0-9A-Fa-f]{6}\\z", says: "a color as #rrggbb"}
});

def check:
  .app.appId as $app_id
  | documents("app.theme")
  | failure(.file; .value
      | shape(theme; "theme"; "theme"),
        (select($app_id and .app_id != $app_id) | "app_id: is not the app's own, \($app_id | quoted)"));
