# bundle - what the rules have in common: how they see the bundle, and what they find
#
# Every rule's input is the staged bundle as sbx-accept(1) describes it (.profile, .files by workspace path), with what `view`
# adds to it. A rule may take it that app.json has its shape: where it has not, app_shape has failed, and a rule that breaks
# over it counts as skipped.

def failure($file; $says): {$file, failure: $says};
def warning($file; $says): {$file, warning: $says};
def skip($reason): {skip: $reason};

# A value of the bundle inside a sentence.
def quoted: tojson | if length > 80 then .[:77] + "..." else . end;

# The members of a list, each with its place in app.json.
def placed($list): arrays | to_entries[] | (.value | objects) + {at: "\($list)[\(.key)]"};

# The app's own names are relative to app.json, files to the workspace.
def view:
  .profile.prefix as $prefix
  | .files as $files
  | ($prefix + "app.json") as $manifest
  | ([$files[$manifest].json.value | objects][0]) as $app
  | def document($at): strings | {$at, name: ., file: ($prefix + .)};
  . + {
    $manifest,
    $app,
    pages: [$app.pages | placed("app.pages")],
    actions: [
      $app.modules
      | placed("app.modules") as $of
      | $of.actions
      | placed($of.at + ".actions")
      | . + {id: "\($of.id).\(.name)", source: "\($of.path)/\(.handler)"}
    ],
    documents: [
      ($app.theme // ("brand/theme_config.json" | select($files[$prefix + .])) | document("app.theme")),
      ($app.dataContract | document("app.dataContract")),
      ($app.authContract | document("app.authContract")),
      ($app.workflows | arrays[] | strings | "workflows/\(.)/workflow.json" | {at: "app.workflows", name: ., file: .})
      | . + $files[.file]
    ]
  };

def documents($at): .documents[] | select(.at == $at and (.json.value | type == "object")) | . + {value: .json.value};

# Why NAME, at the workspace path FILE, leads to no file there that matches LIKE; nothing when it does.
def lost($name; $file; $like; $what):
  if $name | test("\\A/|[\\\\:\\p{Cc}]|(?:\\A|/)\\.{0,2}(?:/|\\z)") then "is no plain path below the app"
  elif .files[$file] then select($name | test($like) | not) | "is not " + $what
  elif any(.files | keys_unsorted[]; startswith($file + "/")) then "is a directory"
  else
    ($file | ascii_downcase) as $lower
    | "is not in the bundle"
      + (if any(.files | keys_unsorted[]; ascii_downcase == $lower) then ", but a name that differs in case is" else "" end)
  end;

def reference($from; $at; $name; $like; $what):
  lost($name; .profile.prefix + $name; $like; $what) as $why
  | failure($from; "\($at): \($name | quoted) \($why)");

# Files whose workspace path matches.
def files_like($regex): .files | to_entries[] | select(.key | test($regex)) | .value + {file: .key};

# Run RULE on each such file that has text, and say so when some were too large to look at.
def each_text($regex; rule):
  [files_like($regex)]
  | (.[] | select(.text) | rule),
    (map(select(.withheld))
     | select(length > 0)
     | skip("\(length) of the files could not be looked at; \(.[0].path | quoted) \(.[0].withheld)"));

# The number of the line in which REGEX first matches .text, when it does.
def line_like($regex):
  .text
  | select(test($regex))
  | match($regex) as $m
  | {line: (.[:$m.offset] | split("\n") | length), match: $m.string};
