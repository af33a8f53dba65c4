# source - what the text of a source file tells. Nothing is parsed: text that looks like code is taken for code

# The statements that start at the left margin, each at most 60 lines of it.
def statements:
  ltrimstr("\ufeff")
  | split("\n") as $lines
  | [range($lines | length) | select($lines[.] | test("\\A[^\\s#)\\]}]"))] as $starts
  | range($starts | length)
  | . as $i
  | $lines[$starts[$i] : ([$starts[$i + 1] // ($lines | length), $starts[$i] + 60] | min)]
  | join("\n");

# The names that a statement of Python defines at the top level; "*" when it can be any.
def names:
  (capture("\\A(?:async\\s+)?def\\s+(?<name>[\\p{L}_][\\p{L}\\p{N}_]*)") | .name),
  (capture("\\A(?<name>[\\p{L}_][\\p{L}\\p{N}_]*)\\s*(?::[^=\\n]*)?=(?!=)") | .name),
  (select(test("\\Afrom\\s+\\S+\\s+import\\b"))
   | sub("\\Afrom\\s+\\S+\\s+import\\s*\\(?"; "")
   | split("\n")[]
   | split("#")[0]
   | split(",")[]
   | [splits("[\\s()]+") | select(. != "")]
   | last
   | values);

# Names to statements. The last definition wins, as in Python.
def definitions: reduce statements as $statement ({}; reduce ($statement | names) as $name (.; .[$name] = $statement));

# A function whose whole body is a note that it is still to be written.
def stub:
  length < 2000
  and test("\\A(?:async\\s+)?def\\s[^(]*\\([^)]*\\)\\s*(?:->[^:\\n]*)?:\\s*(?:#[^\\n]*\\n\\s*)*"
    + "(?:\"\"\"(?:[^\"]|\"(?!\"\"))*\"\"\"\\s*|'''(?:[^']|'(?!''))*'''\\s*|\"[^\"\\n]*\"\\s*|'[^'\\n]*'\\s*)?"
    + "(?:#[^\\n]*\\n\\s*)*(?:pass|\\.\\.\\.|raise\\s+NotImplementedError[^\\n]*)\\s*(?:#[^\\n]*(?:\\n\\s*|\\z))*\\z");

# The calls of a module's actions by literal names, as {line, action}; not those in a comment on the same line.
def action_calls:
  split("Action")
  | foreach range(1; length) as $i ({pieces: ., line: 1};
      .line += (.pieces[$i - 1] | split("\n") | length - 1);
      select(.pieces[$i - 1] | test("(?:call|use)\\z"))
      | select(.pieces[$i - 1] | split("\n") | last | test("//|/\\*|\\A\\s*\\*") | not)
      | .line as $line
      | .pieces[$i][:400]
      | capture("\\A\\s*(?:<[^()'\"]*>)?\\s*\\(\\s*['\"](?<module>[^'\"\\\\\\n]+)['\"]\\s*,\\s*['\"](?<action>[^'\"\\\\\\n]+)['\"]")
      | {$line, action: "\(.module).\(.action)"});
