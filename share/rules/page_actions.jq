module {
  "title": "every action that a page calls by name is one of the app",
  "reason": "the call would be answered with \"not found\", and the build can't tell",
  "group": "functional_completeness",
  "needs": "app"
};
include "lib/bundle";

# The calls of actions by literal names in a text, as {line, action}; not those in a comment on their line. Nothing is parsed.
def calls:
  split("Action")
  | foreach range(1; length) as $i ({pieces: ., line: 1};
      .line += (.pieces[$i - 1] | split("\n") | length - 1);
      select(.pieces[$i - 1] | test("(?:call|use)\\z") and (split("\n")[-1] | test("//|\\*") | not))
      | .line as $line
      | .pieces[$i][:400]
      | capture("\\A\\s*(?:<[^()'\"]*>)?\\s*\\(\\s*['\"](?<of>[^'\"\\\\\\n]+)['\"]\\s*,\\s*['\"](?<name>[^'\"\\\\\\n]+)['\"]")
      | {$line, action: "\(.of).\(.name)"});

def check:
  [.actions[].id] as $known
  | each_text("\\.[jt]sx?\\z"; .file as $file
      | .text
      | select(contains("@mozaiks/shell"))
      | calls
      | select([.action] - $known != [])
      | failure($file; "line \(.line): app.json declares no action \(.action | quoted)"));
