module {
  "title": "every page's component is a source file below pages",
  "reason": "the shell has nothing to show at that page's path otherwise",
  "group": "planned_completeness",
  "needs": "app"
};
include "lib/bundle";

def check:
  .pages[] as $page
  | reference(.manifest; $page.at + ".component"; $page.component;
      "(?:\\A|/)pages/.+(?<!\\.d)\\.[jt]sx?\\z"; "a source of TypeScript or JavaScript below pages");
