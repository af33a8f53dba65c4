"""The app that is served: its documents and its handlers, as sbx-bundle(5) describes them.

sbx-accept has judged the documents before; what is wrong with them here ends the start, and need not be told in detail.
"""

import json
import os
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import load

from .settings import Refusal

Handler = Callable[[Any, dict], Awaitable[Any]]


@dataclass(frozen=True)
class Action:
    name: str  # module.action, as workflows have it
    handler: Handler
    permission: str | None


@dataclass(frozen=True)
class Workflow:
    title: str
    steps: list[Action]


@dataclass(frozen=True)
class App:
    id: str
    title: str
    is_public: bool
    actions: dict[str, Action]
    workflows: dict[str, Workflow]
    entities: dict[str, dict] | None  # of the data contract; none: the store takes any record
    auth_contract: dict | None
    theme: dict


def document(directory: str, path: str) -> dict:
    with open(os.path.join(directory, path), encoding="utf-8") as file:
        found = json.load(file)
    if not isinstance(found, dict):
        raise ValueError(f"{path}: is no JSON object")
    return found


class Unloadable(Refusal):
    """A handler can't be called, which load.py tells in more words than fit here."""


def import_source(path: str):
    try:
        return load.import_file(path)
    except Exception as error:  # it may raise anything
        raise Unloadable(f"{path}: can't be imported: {type(error).__name__}: {error}") from error


def read_actions(manifest: dict) -> dict[str, Action]:
    actions = {}
    for module in manifest.get("modules", []):
        for declared in module["actions"]:
            file, _, function = declared["handler"].partition(":")
            path = f"{module['path']}/{file}"
            source = import_source(path)
            problem = load.handler_problem(source, function)
            if problem:
                raise Unloadable(f"{path}: {function} {problem}")
            name = f"{module['id']}.{declared['name']}"
            actions[name] = Action(name, getattr(source, function), declared.get("permission"))
    return actions


def read_workflows(manifest: dict, directory: str, actions: dict[str, Action]) -> dict[str, Workflow]:
    workflows = {}
    for name in manifest.get("workflows", []):
        found = document(directory, f"{name}/workflow.json")
        workflows[name] = Workflow(found["title"], [actions[step["action"]] for step in found["steps"]])
    return workflows


def read_theme(manifest: dict, root: str) -> dict:
    """The app's own theme. One that was copied from another app does not count."""
    try:
        found = document(root, manifest.get("theme", "brand/theme_config.json"))
    except FileNotFoundError:
        found = {}
    if found.get("source") == "custom" and found.get("app_id") == manifest["appId"]:
        return found
    return {"source": "default", "app_id": manifest["appId"]}


def read_entities(manifest: dict, root: str) -> dict[str, dict] | None:
    if "dataContract" not in manifest:
        return None
    return {entity["name"]: entity for entity in document(root, manifest["dataContract"])["entities"]}


def read_auth(manifest: dict, root: str) -> dict | None:
    is_public = manifest.get("authRequired", True) is False
    if is_public == ("authContract" in manifest):
        raise ValueError("app.json: an app has either authRequired false or an authContract")
    return None if is_public else document(root, manifest["authContract"])


def read(root: str, workflows: str) -> App:
    """The app in the directory ROOT, its modules imported. Refusal when it can't be served."""
    load.open_package(root)
    try:
        manifest = document(root, "app.json")
        if not isinstance(manifest.get("appId"), str) or not manifest["appId"]:
            raise ValueError("app.json: appId is no text")
        auth_contract = read_auth(manifest, root)
        actions = read_actions(manifest)
        return App(
            id=manifest["appId"],
            title=manifest["title"],
            is_public=auth_contract is None,
            actions=actions,
            workflows=read_workflows(manifest, workflows, actions),
            entities=read_entities(manifest, root),
            auth_contract=auth_contract,
            theme=read_theme(manifest, root),
        )
    except (OSError, ValueError) as error:
        raise Refusal(f"the app can't be loaded: {error}") from error
    except (AttributeError, LookupError, TypeError) as error:
        raise Refusal(f"the app can't be loaded: a document has not its shape: {type(error).__name__}: {error}") from error
