"""What an app's actions are tried with: payloads that the app itself declares, and nothing that was made up for it.

An action's "example" comes first, then the fields that the data contract requires or wants unique. A field that nothing
declares is left out, so an app that needs it refuses the payload, and the smoke fails instead of guessing.
"""

import re

VALUES = {"integer": 1, "number": 1.5, "boolean": True, "object": {}, "array": []}

VERBS = ("create", "list", "get", "update", "delete")
OTHER_WORDS = {"add": "create", "new": "create", "edit": "update", "remove": "delete", "read": "get", "all": "list"}


def words(name: str) -> list[str]:
    """create_task, createTask and create-task are two words each."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)]


def singular(noun: str) -> str:
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def role_of(module: str, name: str) -> tuple[str | None, str]:
    """What an action does to records, going by its name, and to records of what: ("create", "task")."""
    first, *rest = words(name) or [""]
    verb = first if first in VERBS else OTHER_WORDS.get(first)
    return verb, singular("_".join(word for word in rest if word not in ("by", "id"))) or singular(module)


def entity_of(noun: str, entities: dict[str, dict]) -> dict | None:
    """The entity that actions are about: the one of that name, or the only one that there is."""
    if noun in entities or len(entities) != 1:
        return entities.get(noun)
    return next(iter(entities.values()))


def value_of(field: dict, number: int, made: dict[str, str]):
    """A value of the field's type; where the field leads to a record of another entity, that record's id."""
    name = field["name"]
    if field["type"] == "string":
        return made.get(name.removesuffix("_id"), f"sample-{number}") if name.endswith("_id") else f"sample-{number}"
    return VALUES[field["type"]]


def wanted(entity: dict) -> list[dict]:
    """The fields that a record can't do without: required ones, and those of its unique indexes."""
    unique = {name for fields in entity.get("uniqueIndexes", []) for name in fields}
    return [f for f in entity["fields"] if f.get("required") or (f["name"] in unique and "default" not in f)]


def for_create(action: dict, entity: dict | None, number: int, made: dict[str, str]) -> dict:
    if "example" in action:
        return dict(action["example"])
    return {field["name"]: value_of(field, number, made) for field in wanted(entity)} if entity else {}


def for_update(action: dict, entity: dict | None) -> dict:
    """Changes: one declared field gets another value, where there is one that may have any."""
    if "example" in action:
        return {name: value for name, value in action["example"].items() if name != "id"}
    unique = {name for fields in (entity or {}).get("uniqueIndexes", []) for name in fields}
    for field in (entity or {}).get("fields", []):
        if field["type"] == "string" and field["name"] not in unique and not field["name"].endswith("_id"):
            return {field["name"]: "sample-changed"}
    return {}
