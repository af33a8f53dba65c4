# report - run one rule and tell what came of it, in the form that sbx-accept reads

# A rule that found this much is stopped.
def most: 200;

# One line of at most 300 characters, with nothing in it that a terminal would obey or that turns the text around.
def plain:
  if length > 300 then .[:297] + "..." else . end
  | explode
  | map(if . < 32 or (. >= 127 and . < 160) or . == 8206 or . == 8207 or (. >= 8232 and . <= 8238) or (. >= 8294 and . <= 8297)
        then 63 else . end)
  | implode;

# Findings name files in the workspace; the owner of a file knows its name in the bundle.
def bundle_path($b): . as $file | $b.files[$file].path // ($file | ltrimstr($b.profile.prefix));

def found($b; $kind): [.[] | select(.[$kind]) | {path: (.file | bundle_path($b)), message: (.[$kind] | plain)}];

# A rule that breaks has not been kept: it counts as skipped.
def report($rule; check):
  . as $b
  | [limit(most + 1; try check catch {skip: "the rule broke: \(tostring)"})]
  | {$rule, more: (length > most)}
    + ($rule | modulemeta | {title, group, step})
    + (.[:most] | {
        failures: found($b; "failure"),
        warnings: found($b; "warning"),
        skip: (first(.[] | .skip // empty) // null | if . then plain else . end)
      });
