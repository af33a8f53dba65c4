module {
  "title": "every page's component is a source file below pages",
  "reason": "the shell has nothing to show at that page's path otherwise",
  "group": "planned_completeness"
};
include "lib/bundle";

def check:
  . as $bundle
  | on_app(
      pages
      | .key as $i
      | .value.component
      | strings as $name
      | $bundle
      | (lost($name)
         // if $name | test("\\Apages/.") | not then "\($name | quoted) is not below pages"
            elif $name | test("(?<!\\.d)\\.[jt]sx?\\z") | not then "\($name | quoted) is no source of TypeScript or JavaScript"
            else empty
            end)
      | failure($bundle | manifest; "pages[\($i)].component: \(.)")
    );
