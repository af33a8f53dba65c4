# bundle - what the rules have in common: the staged files, the app's documents, what a rule finds
#
# Every rule's input is the staged bundle as sbx-accept(1) describes it: .files by workspace path, .profile.

# What a rule gives: none of these when it is content.
def failure($file; $message): {$file, failure: $message};
def warning($file; $message): {$file, warning: $message};
def skip($reason): {skip: $reason};

# A value of the bundle inside a sentence.
def quoted: tojson | if length > 80 then .[:77] + "..." else . end;

# The app's own names are relative to app.json, files to the workspace.
def at($name): .profile.prefix + $name;
def manifest: at("app.json");

# The value of a document, or null when it can't be had: declared_documents tells why.
def document($name): if $name | type == "string" then .files[at($name)].json.value else null end;
def app: document("app.json") | if type == "object" then . else null end;

# Lists of the app, of which app_shape tells what is wrong; what is not of the right type is left out.
def pages: app.pages | arrays | to_entries[] | select(.value | type == "object");
def modules: app.modules | arrays | to_entries[] | select(.value | type == "object");
def actions: .actions | arrays | to_entries[] | select(.value | type == "object");
def workflows: app.workflows | arrays | to_entries[] | select(.value | type == "string");
def workflow_file: "workflows/" + . + "/workflow.json";

def declared_actions:
  [modules.value | .id as $id | actions.value.name | strings | {key: "\($id).\(.)", value: true}] | from_entries;

# The theme is the one document with a name of its own where app.json gives none.
def theme:
  app as $app
  | if $app | has("theme") then $app.theme
    elif .files[at("brand/theme_config.json")] then "brand/theme_config.json"
    else null
    end;

# Run RULE when app.json can be read.
def on_app(rule): if app == null then skip("app.json could not be read: see app_shape") else rule end;

# Run RULE when the document that app.json names can be read. Nothing is to be checked when it names none.
def on_document($name; rule):
  if $name == null then empty
  elif document($name) | type == "object" then rule
  else skip("\($name | quoted) could not be read: see declared_documents")
  end;

# What is wrong with a reference, before anybody looks whether the file is there; or null.
def reference_problem:
  if startswith("/") then "is absolute"
  elif test("[\\\\:\\p{Cc}]") then "has a character that no file of a bundle has"
  elif split("/") | any(. == "" or . == "." or . == "..") then "has an empty, a \".\" or a \"..\" part"
  else null
  end;

def directory($path): any(.files | keys_unsorted[]; startswith($path + "/"));

# Why the file PATH is not there.
def missing($path; $name):
  if directory($path) then "\($name | quoted) is a directory"
  else
    ($path | ascii_downcase) as $lower
    | "there is no file \($name | quoted)"
      + (first(.files | keys_unsorted[] | select(ascii_downcase == $lower)) // null
        | if . then ", but one that differs in case" else "" end)
  end;

# The reason why a name of the app leads to no file, or null.
def lost($name):
  ($name | reference_problem) as $problem
  | if $problem then "\($name | quoted) \($problem)"
    elif .files[at($name)] then null
    else missing(at($name); $name)
    end;

# Files whose name matches, as {file, text, withheld, ...}; file is the key.
def files_like($regex): .files | to_entries[] | select(.key | test($regex)) | {file: .key} + .value;

# Run RULE on each of these files' texts, and say so when some were too large to look at.
def each_text($regex; rule):
  (files_like($regex) | select(.text) | rule),
  ([files_like($regex) | select(.withheld)]
   | if length > 0 then skip("\(length) of the files could not be looked at; \(.[0].path | quoted) \(.[0].withheld)") else empty end);

def line_of($offset): .[:$offset] | split("\n") | length;
