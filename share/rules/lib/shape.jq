# shape - what the members of a document must be
#
# A rule gives a table of types. A type has `is`, a type of JSON, and says in words what it wants; a text is `like` a regular
# expression, the members of a list are `of` a type and not twice the same `one`, an object `needs` and `may` have members.

def types($more): {
  text: {is: "string", like: "\\S", says: "text that is not blank"},
  id: {is: "string", like: "\\A[A-Za-z0-9_-]{1,128}\\z", says: "an id of letters, digits, hyphens and underscores"},
  name: {is: "string", like: "\\A[A-Za-z_][A-Za-z0-9_]{0,62}\\z", says: "a name of letters, digits and underscores"},
  flag: {is: "boolean", says: "true or false"},
  ids: {is: "array", of: "id", one: ".", says: "a list of ids"},
  texts: {is: "array", of: "text", one: ".", says: "a list of texts"}
} + $more;

# Sentences on what is wrong with the input, which should be of KIND.
def shape($types; $kind; $at):
  $types[$kind] as $t
  | def also($says): "\($at): \($says)";
  if $t.or_null and . == null then empty
  elif $t.is and type != $t.is or $t.like and (test($t.like) | not) then also("must be " + $t.says)
  elif $t.of then
    (select($t.least and length == 0) | also("must be " + $t.says)),
    (keys[] as $i | .[$i] | shape($types; $t.of; "\($at)[\($i)]")),
    (select($t.one)
     | map(if $t.one == "." then . else .[$t.one]? end | strings)
     | group_by(.)[]
     | select(length > 1)
     | also("\(.[0] | tojson | .[:80]) stands there twice"))
  elif $t.needs then
    (($t.needs | keys_unsorted) - keys_unsorted | .[] | also("has no " + .)),
    (keys_unsorted[] as $m
     | ($t.needs + $t.may)[$m] as $member
     | if $member then .[$m] | shape($types; $member; "\($at).\($m)")
       else also("has an unknown member \($m | tojson | .[:80])")
       end)
  else empty
  end;
