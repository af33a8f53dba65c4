"""example_host - calls an example's actions as its host would, with records in memory

usage: python3 example_host.py APP <calls.json

CALLS is a list of [module, action, payload]; "$N.KEY" in a payload stands for KEY of answer N. Prints one answer a line,
{"error": TYPE, "detail": TEXT} for a refusal. Defaults and unique indexes are those of the app's data contract.
"""

import asyncio
import importlib.util
import json
import os
import sys


class Persistence:
    def __init__(self, contract):
        self.entities = {entity["name"]: entity for entity in contract.get("entities", [])}
        self.records = {}

    def _checked(self, entity, record):
        contract = self.entities.get(entity, {})
        for field in contract.get("fields", []):
            if field["name"] not in record:
                if field.get("required"):
                    raise ValueError(f"{field['name']}: is required")
                record[field["name"]] = field.get("default")
        for fields in contract.get("uniqueIndexes", []):
            key = [record[name] for name in fields]
            for other in self._all(entity):
                if other["id"] != record["id"] and [other[name] for name in fields] == key:
                    raise ValueError(f"{', '.join(fields)}: is taken")
        return record

    def _all(self, entity):
        return self.records.setdefault(entity, {}).values()

    def _store(self, entity, record):
        self.records.setdefault(entity, {})[record["id"]] = self._checked(entity, record)
        return dict(record)

    async def insert(self, entity, values):
        return self._store(entity, {"id": str(len(self._all(entity)) + 1), **values})

    async def get(self, entity, id):
        found = self.records.get(entity, {}).get(id)
        return dict(found) if found else None

    async def list(self, entity, where={}):
        return [dict(record) for record in self._all(entity) if where.items() <= record.items()]

    async def update(self, entity, id, values):
        found = await self.get(entity, id)
        return self._store(entity, {**found, **values}) if found else None

    async def delete(self, entity, id):
        return self.records.get(entity, {}).pop(id, None) is not None


class Context:
    user_id = "visitor"

    def __init__(self, contract):
        self.persistence = Persistence(contract)


def load(app, manifest):
    actions = {}
    for module in manifest["modules"]:
        for action in module["actions"]:
            file, name = action["handler"].split(":")
            path = os.path.join(app, module["path"], file)
            spec = importlib.util.spec_from_file_location(module["id"], path)
            source = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(source)
            actions[module["id"], action["name"]] = getattr(source, name)
    return actions


def filled(payload, answers):
    if isinstance(payload, str) and payload.startswith("$"):
        number, key = payload[1:].split(".")
        return answers[int(number)][key]
    if isinstance(payload, dict):
        return {name: filled(value, answers) for name, value in payload.items()}
    return payload


def main():
    sys.dont_write_bytecode = True
    app = sys.argv[1]
    with open(os.path.join(app, "app.json")) as file:
        manifest = json.load(file)
    contract = {}
    if "dataContract" in manifest:
        with open(os.path.join(app, manifest["dataContract"])) as file:
            contract = json.load(file)
    actions = load(app, manifest)
    ctx = Context(contract)
    answers = []
    for module, action, payload in json.load(sys.stdin):
        try:
            answers.append(asyncio.run(actions[module, action](ctx, filled(payload, answers))))
        except (ValueError, LookupError, PermissionError) as error:
            answers.append({"error": type(error).__name__, "detail": str(error)})
        print(json.dumps(answers[-1], sort_keys=True))


if __name__ == "__main__":
    main()
