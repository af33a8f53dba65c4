module {
  "title": "every action's handler is defined at the top level of its file, and is no stub",
  "reason": "a declared action that does nothing is not implemented",
  "group": "module_implementation",
  "needs": "app"
};
include "lib/bundle";

# Nothing is parsed: text that looks like code is taken for code. The statements at the left margin, each at most 60 lines.
def statements:
  ltrimstr("\ufeff")
  | split("\n") as $lines
  | [($lines | keys[] | select($lines[.] | test("\\A[^\\s#)\\]}]"))), ($lines | length)]
  | range(length - 1) as $i
  | $lines[.[$i]:.[$i + 1]][:60]
  | join("\n");

# The names that a statement of Python defines; "*" when it can be any.
def names:
  (capture("\\A(?:async\\s+)?def\\s+(?<name>\\w+)"), capture("\\A(?<name>\\w+)\\s*(?::[^=\\n]*)?=(?!=)") | .name),
  (select(test("\\Afrom\\s")) | match("([\\w*]+)\\s*(?:#[^\\n]*)?(?=[,)\\n]|\\z)"; "g").captures[0].string);

# A function whose whole body is a note that it is still to be written.
def stub:
  length < 2000
  and test("\\A(?:async\\s+)?def\\s[^(]*\\([^)]*\\)\\s*(?:->[^:\\n]*)?:\\s*(?:#[^\\n]*\\n\\s*)*"
    + "(?:\"\"\"(?:[^\"]|\"(?!\"\"))*\"\"\"\\s*|'''(?:[^']|'(?!''))*'''\\s*|\"[^\"\\n]*\"\\s*|'[^'\\n]*'\\s*)?"
    + "(?:#[^\\n]*\\n\\s*)*(?:pass|\\.\\.\\.|raise\\s+NotImplementedError[^\\n]*)\\s*(?:#[^\\n]*(?:\\n\\s*|\\z))*\\z");

def check:
  .files as $files
  | .profile.prefix as $prefix
  | [.actions[].source | split(":") | {file: ($prefix + .[0]), name: .[1]}]
  | group_by(.file)[]
  | $files[.[0].file] as $source
  | select($source)
  | if $source.text then
      ([$source.text | statements | {key: names, value: .}] | from_entries) as $defined
      | .[]
      | failure(.file; .name
          | if $defined[.] then select($defined[.] | stub) | "\(.)() is a stub"
            else select($defined["*"] | not) | "\(.)() is not defined at the top level"
            end)
    else skip("\($source.path | quoted) \($source.withheld // "is no text")")
    end;
