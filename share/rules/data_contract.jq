module {
  "title": "the data contract's entities, defaults and unique indexes fit together",
  "reason": "the store fills in and refuses records by them; an index over a field that is not there keeps nothing unique",
  "group": "schema_quality",
  "needs": "app.dataContract"
};
include "lib/bundle";
include "lib/shape";

def contract: types({
  contract: {is: "object", needs: {entities: "entities"}, may: {}},
  entities: {is: "array", of: "entity", one: "name", least: 1, says: "a list that is not empty"},
  entity: {is: "object", says: "an object", needs: {name: "name", fields: "fields"}, may: {uniqueIndexes: "indexes"}},
  fields: {is: "array", of: "field", one: "name", least: 1, says: "a list that is not empty"},
  field: {is: "object", says: "an object", needs: {name: "field_name", type: "type"}, may: {required: "flag", default: "any"}},
  field_name: {is: "string", like: "\\A(?!id\\z)[A-Za-z_][A-Za-z0-9_]{0,62}\\z",
    says: "a name of letters, digits and underscores, and not the store's own \"id\""},
  type: {is: "string", like: "\\A(?:string|integer|number|boolean|object|array)\\z",
    says: "one of string, integer, number, boolean, object, array"},
  any: {},
  indexes: {is: "array", of: "index", says: "a list of lists of fields"},
  index: {is: "array", of: "text", one: ".", least: 1, says: "a list of fields that is not empty"}
});

# A whole number is a number to JSON.
def fits($kind):
  type as $is
  | $is == $kind or ($kind == "integer" and $is == "number" and . == floor and fabs < 9007199254740992);

def field_problems:
  .fields[]
  | select(has("default"))
  | .type as $kind
  | (select(.default | fits($kind) | not) | "\(.name): its default does not fit its type \($kind)"),
    (select(.required) | "\(.name): is required, so its default would never be filled in");

def index_problems:
  (.fields | map({key: .name, value: .type}) | from_entries) as $types
  | .uniqueIndexes[]?[]
  | if $types[.] == null then "uniqueIndexes: there is no field \(quoted)"
    else $types[.] | select(. == "object" or . == "array") | "uniqueIndexes: the values of an \(.) can't be compared"
    end;

# Legal, and seldom meant: of two records that leave these fields out, the second is refused.
def collisions:
  [.fields[] | select(has("default")).name] as $filled
  | .uniqueIndexes[]?
  | select(. - $filled == [])
  | "uniqueIndexes: all fields of \(quoted) have defaults, so one record alone can leave them out";

def check:
  documents("app.dataContract")
  | .file as $file
  | .value
  | [shape(contract; "contract"; "contract")] as $wrong
  | failure($file; $wrong[]),
    (select($wrong == [])
     | .entities[]
     | "entity \(.name): " as $of
     | failure($file; $of + (field_problems, index_problems)), warning($file; $of + collisions));
