module {
  "title": "the data contract's entities, defaults and unique indexes fit together",
  "reason": "the store fills in and refuses records by them; an index over a field that is not there keeps nothing unique",
  "group": "schema_quality"
};
include "lib/bundle";
include "lib/shape";

def fits($type):
  type as $given
  | if $type == "integer" then $given == "number" and . == floor and fabs <= 9007199254740991
    else $given == $type
    end;

def field_problems($where):
  shape($where; {name: "name", type: "type"}; {required: "boolean", default: "any"}),
  (objects
   | (select(.name == "id") | "\($where).name: \"id\" is the store's own"),
     (select(has("default"))
      | .type as $type
      | (select(.required == true) | "\($where): is required, so its default is never filled in"),
        (select(($type | is("type")) and (.default | fits($type) | not)) | "\($where).default: does not fit the type \($type)")));

# An index names fields of its entity, each once, whose values can be compared.
def index_problems($where; $types):
  if (is("texts") | not) or length == 0 then "\($where): must be a list of fields that is not empty"
  else
    (.[] | select($types[.] == null) | "\($where): the entity has no field \(quoted)"),
    (.[] | select($types[.] | . == "object" or . == "array") | "\($where): \(quoted) is of a type that can't be compared"),
    (repeated | "\($where): \(quoted) stands there twice")
  end;

def field_types: [.fields | arrays | .[] | objects | select(.name | type == "string") | {key: .name, value: (.type // "")}] | from_entries;

def entity_problems($where):
  shape($where; {name: "name", fields: "filled"}; {uniqueIndexes: "list"}),
  (objects
   | field_types as $types
   | (.fields | arrays | to_entries[] | .key as $i | .value | field_problems("\($where).fields[\($i)]")),
     ([.fields | arrays | .[] | objects | .name | strings] | repeated | "\($where).fields: two are named \(quoted)"),
     (.uniqueIndexes
      | arrays
      | (to_entries[] | .key as $i | .value | index_problems("\($where).uniqueIndexes[\($i)]"; $types)),
        ([.[] | arrays | sort] | repeated | "\($where).uniqueIndexes: two are over \(quoted)")));

def problems:
  shape(""; {entities: "filled"}; {}),
  (.entities | arrays | to_entries[] | .key as $i | .value | entity_problems("entities[\($i)]")),
  ([.entities | arrays | .[] | objects | .name | strings] | repeated | "entities: two are named \(quoted)");

# Legal, and seldom meant: of two records that leave these fields out, the second is refused.
def collisions:
  .entities
  | arrays
  | to_entries[]
  | .key as $i
  | .value
  | objects
  | ([.fields | arrays | .[] | objects | select(has("default")) | .name | strings]) as $filled
  | .uniqueIndexes
  | arrays
  | to_entries[]
  | select(.value | is("texts") and length > 0 and (. - $filled | length == 0))
  | "entities[\($i)].uniqueIndexes[\(.key)]: all its fields have defaults, so only one record can leave them out";

def check:
  on_app(
    app.dataContract as $name
    | at($name | strings) as $file
    | on_document($name;
        document($name) | failure($file; problems), warning($file; collisions))
  );
