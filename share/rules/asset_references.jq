module {
  "title": "every asset that app.json lists and the theme's logo are in the bundle",
  "reason": "an app brings what it shows: there is nobody to fetch it from",
  "group": "planned_completeness"
};
include "lib/bundle";

def check:
  . as $bundle
  | on_app(
      (app.assets
       | arrays
       | to_entries[]
       | .key as $i
       | .value
       | strings as $name
       | $bundle
       | lost($name)
       | values
       | failure($bundle | manifest; "assets[\($i)]: \(.)")),
      (theme as $theme
       | document($theme)
       | objects
       | .logo
       | strings as $name
       | $bundle
       | (lost($name)
          // if $name | test("\\.(?:svg|png|jpe?g|webp|gif|avif|ico)\\z") then empty else "\($name | quoted) is no image" end)
       | failure($bundle | at($theme); "logo: \(.)"))
    );
