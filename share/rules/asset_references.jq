module {
  "title": "every asset that app.json lists and the theme's logo are in the bundle",
  "reason": "an app brings what it shows: there is nobody to fetch it from",
  "group": "planned_completeness",
  "needs": "app"
};
include "lib/bundle";

def check:
  (.app.assets // [] | .[]) as $name
  | reference(.manifest; "app.assets"; $name; ""; ""),
    (documents("app.theme") as $theme
     | ($theme.value.logo | strings) as $name
     | reference($theme.file; "theme.logo"; $name; "\\.(?:svg|png|jpe?g|webp|gif|avif|ico)\\z"; "an image"));
