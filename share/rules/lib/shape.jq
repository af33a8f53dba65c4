# shape - what the members of a document must be

def kinds: {
  text: "text that is not blank",
  id: "an id of letters, digits, hyphens and underscores",
  name: "a name of letters, digits and underscores that starts with no digit",
  boolean: "true or false",
  object: "an object",
  list: "a list",
  filled: "a list that is not empty",
  ids: "a list of ids",
  texts: "a list of texts",
  route: "a path as /notes or /note/:id",
  url_path: "a path that starts with /",
  handler: "a handler as file.py:function",
  color: "a color as #rrggbb",
  font: "a font's name of letters, digits, blanks, commas and hyphens",
  action: "an action as module.action",
  type: "one of string, integer, number, boolean, object, array",
  custom: "\"custom\"",
  any: "any value"
};

def id: type == "string" and test("\\A[A-Za-z0-9_-]{1,128}\\z");
def text: type == "string" and test("\\S");

def is($kind):
  type as $type
  | if $kind == "text" then text
    elif $kind == "id" then id
    elif $kind == "name" then $type == "string" and test("\\A[A-Za-z_][A-Za-z0-9_]{0,62}\\z")
    elif $kind == "boolean" or $kind == "object" then $type == $kind
    elif $kind == "list" then $type == "array"
    elif $kind == "filled" then $type == "array" and length > 0
    elif $kind == "ids" then $type == "array" and all(.[]; id)
    elif $kind == "texts" then $type == "array" and all(.[]; text)
    elif $kind == "route" then
      $type == "string"
      and test("\\A(?:/|(?:/(?!\\.\\.?(?:/|\\z))(?::[A-Za-z_][A-Za-z0-9_]*|[^/:*?#%\\\\\\s\\p{Cc}]+))+)\\z")
    elif $kind == "url_path" then $type == "string" and test("\\A/(?!/)[^?#\\\\\\s\\p{Cc}]*\\z")
    elif $kind == "handler" then $type == "string" and test("\\A[^:]+\\.py:[\\p{L}_][\\p{L}\\p{N}_]*\\z")
    elif $kind == "color" then $type == "string" and test("\\A#[0-9A-Fa-f]{6}\\z")
    elif $kind == "font" then $type == "string" and test("\\A[A-Za-z0-9_ ,-]+\\z")
    elif $kind == "action" then $type == "string" and test("\\A[A-Za-z0-9_-]{1,128}\\.[A-Za-z0-9_-]{1,128}\\z")
    elif $kind == "type" then
      . == "string" or . == "integer" or . == "number" or . == "boolean" or . == "object" or . == "array"
    elif $kind == "custom" then . == "custom"
    elif $kind == "any" then true
    else error("no kind \($kind)")
    end;

def within($where; $member):
  ($member | if id then . else tojson[:40] end) | if $where == "" then . else "\($where).\(.)" end;

# Sentences on what is wrong with the members of an object: REQUIRED and OPTIONAL give each member its kind.
def shape($where; $required; $optional):
  . as $value
  | if type != "object" then "\(if $where == "" then "the document" else $where end): must be an object, not \(type)"
    else
      ($required | keys_unsorted[] | select(. as $member | $value | has($member) | not) | "\(within($where; .)): is missing"),
      (keys_unsorted[] as $member
       | ($required[$member] // $optional[$member]) as $kind
       | within($where; $member) as $place
       | if $kind == null then "\($place): is no member that sbx-bundle(5) knows"
         elif $value[$member] | is($kind) then empty
         else "\($place): must be \(kinds[$kind])"
         end)
    end;

# The values that stand more than once among those of a list, each once.
def repeated: group_by(.)[] | select(length > 1) | .[0];
