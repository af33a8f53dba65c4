"""What the smoke tries of a running app: each module's records, kept and found, each user's apart, and who may do what.

What an action answered is held against the rows that the host really has: an app that keeps its records somewhere else, or
shows those of another, answers 200 as well.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import sample
from client import Answer, Client, Over


class Failed(Exception):
    """A check's result, in a sentence for whoever has to mend the app."""


class Left(Exception):
    """Why a check could not be made, which is no fault of the app's."""


@dataclass(frozen=True)
class User:
    id: str  # as the host's rows have it
    token: str | None


@dataclass(frozen=True)
class Action:
    """One action of app.json, with where it belongs."""

    module: str
    declared: dict
    path: str  # of the file of its handler, in the app

    @property
    def name(self) -> str:
        return f"{self.module}.{self.declared['name']}"

    @property
    def permission(self) -> str | None:
        return self.declared.get("permission")

    @property
    def example(self) -> dict | None:
        return self.declared.get("example")


@dataclass(frozen=True)
class Record:
    id: str
    entity: str
    data: dict


@dataclass
class Group:
    """The actions of a module that are about the same records."""

    module: str
    noun: str
    entity: dict | None  # of the data contract
    actions: dict[str, Action] = field(default_factory=dict)  # by verb
    created: dict[str, Record] = field(default_factory=dict)  # by user

    @property
    def path(self) -> str:
        return self.actions["create"].path


def actions_of(manifest: dict) -> list[Action]:
    return [
        Action(module["id"], declared, f"{module['path']}/{declared['handler'].split(':')[0]}")
        for module in manifest.get("modules", [])
        for declared in module["actions"]
    ]


def grouped(actions: list[Action], entities: dict[str, dict]) -> tuple[list[Group], list[Action]]:
    """The groups that have a create, and the actions that are in none."""
    groups: dict[tuple, Group] = {}
    for action in actions:
        verb, noun = sample.role_of(action.module, action.declared["name"])
        group = groups.setdefault((action.module, noun), Group(action.module, noun, sample.entity_of(noun, entities)))
        if verb:
            group.actions.setdefault(verb, action)
    whole = [group for group in groups.values() if "create" in group.actions]
    used = {action.name for group in whole for action in group.actions.values()}
    return whole, [action for action in actions if action.name not in used]


class Rows:
    """The host's own table, as the smoke sees it."""

    def __init__(self, connection, app_id: str, table: str):
        self.connection = connection
        self.app_id = app_id
        self.table = table

    def all(self) -> dict[tuple[str, str], Record]:
        """By user and id."""
        cursor = self.connection.cursor()
        cursor.execute(f"SELECT user_id, id, entity, data FROM {self.table} WHERE app_id = %s ORDER BY number", (self.app_id,))
        return {(user, id): Record(id, entity, data) for user, id, entity, data in cursor}

    def plant(self, user: str, record: Record) -> Record:
        """The same record again, as USER's: what a request of theirs would have left."""
        copy = Record(f"planted-{record.id}", record.entity, record.data)
        self.connection.cursor().execute(
            f"INSERT INTO {self.table} (app_id, user_id, entity, id, data) VALUES (%s, %s, %s, %s, %s)",
            (self.app_id, user, copy.entity, copy.id, json.dumps(copy.data)),
        )
        return copy


def done() -> None:
    """What was done before it could be told."""


def raising(error: Exception) -> None:
    raise error


class Trial:
    """CHECK is called as check(id, path, function): it runs the function and reports what came of it."""

    def __init__(self, client: Client, rows: Rows, check: Callable, said: Callable):
        self.client = client
        self.rows = rows
        self.check = check
        self.said = said  # () -> the app's last exception
        self.made: dict[str, dict[str, str]] = {}  # by user: an id of each noun

    def act(self, user: User, action: Action, payload: dict) -> Answer:
        answer = self.client.ask("POST", f"/api/modules/{action.name.replace('.', '/')}", payload, user.token)
        if answer.status >= 500:
            raise Failed(f"{action.name} broke on {json.dumps(payload)}: {self.said() or answer.detail}")
        return answer

    def must(self, user: User, action: Action, payload: dict) -> Answer:
        answer = self.act(user, action, payload)
        if answer.status != 200:
            raise Failed(f"{action.name} answered {json.dumps(payload)} with {answer.status}: {answer.detail}")
        return answer

    # ---- one check each; all raise Failed

    def create(self, user: User, group: Group, number: int) -> None:
        action, before = group.actions["create"], self.rows.all()
        payload = sample.for_create(action.declared, group.entity, number, self.made.setdefault(user.id, {}))
        answer = self.act(user, action, payload)
        if answer.status != 200:
            raise Failed(
                f"{action.name} refused {json.dumps(payload)}, all that the app declares for it, with {answer.status}:"
                f" {answer.detail}. Declare what it needs as required fields of the data contract, or give the action an"
                ' "example" in app.json, a payload that it takes'
            )
        new = [row for (owner, id), row in self.rows.all().items() if owner == user.id and (owner, id) not in before]
        if not new:
            raise Failed(f"{action.name} answered 200, and ctx.persistence was given no record to keep")
        group.created[user.id] = next((row for row in new if answer.holds(row.id)), new[0])
        self.made[user.id][group.noun] = group.created[user.id].id

    def again(self, user: User, group: Group, number: int) -> None:
        """A value that must be unique comes a second time: act tells when that is not refused in words."""
        action = group.actions["create"]
        self.act(user, action, sample.for_create(action.declared, group.entity, number, self.made[user.id]))

    def find(self, user: User, group: Group) -> None:
        id = group.created[user.id].id
        if "list" in group.actions:
            shown = self.must(user, group.actions["list"], group.actions["list"].example or {})
            if group.actions["list"].example is None and not shown.holds(id):
                raise Failed(f"{group.actions['list'].name} does not show the record that was created")
        if "get" in group.actions and not self.must(user, group.actions["get"], {"id": id}).holds(id):
            raise Failed(f"{group.actions['get'].name} answered without the record that was asked for")

    def changes(self, group: Group) -> dict:
        return sample.for_update(group.actions["update"].declared, group.entity)

    def update(self, user: User, group: Group) -> None:
        action, record, changes = group.actions["update"], group.created[user.id], self.changes(group)
        before = self.rows.all()[user.id, record.id].data
        self.must(user, action, {"id": record.id, **changes})
        after = self.rows.all().get((user.id, record.id))
        if after is None:
            raise Failed(f"{action.name} lost the record that it was to change")
        if after.data == before and any(name in before and before[name] != value for name, value in changes.items()):
            raise Failed(f"{action.name} answered 200 to {json.dumps(changes)} and changed nothing")

    def apart(self, user: User, group: Group, owner: str) -> None:
        """What is OWNER's must be out of USER's reach."""
        key = owner, group.created[owner].id
        row = self.rows.all().get(key)
        if row is None:
            raise Failed(f"{group.module} lost the record of another user")
        if "list" in group.actions:
            listing = group.actions["list"]
            if self.must(user, listing, listing.example or {}).holds(row.id):
                raise Failed(f"{listing.name} shows a user the record of another")
        for verb, more in (("get", {}), ("update", self.changes(group) if "update" in group.actions else {}), ("delete", {})):
            if verb not in group.actions:
                continue
            action = group.actions[verb]
            answer = self.act(user, action, {"id": row.id, **more})
            if self.rows.all().get(key) != row:
                raise Failed(f"{action.name} changed the record of another user")
            if answer.status not in (403, 404):
                raise Failed(
                    f"{action.name} answered {answer.status} when asked for another user's record: it must raise LookupError"
                )

    def delete(self, user: User, group: Group) -> None:
        action, key, before = group.actions["delete"], (user.id, group.created[user.id].id), self.rows.all()
        self.must(user, action, {"id": key[1]})
        after = self.rows.all()
        if key in after:
            raise Failed(f"{action.name} answered 200, and the record is still there")
        if any(other[0] != user.id and other not in after for other in before):
            raise Failed(f"{action.name} deleted the record of another user")
        if "get" in group.actions:
            getter = group.actions["get"]
            answer = self.act(user, getter, {"id": key[1]})
            if answer.status != 404:
                raise Failed(f"{getter.name} answered {answer.status} for a deleted record: it must raise LookupError")

    def works(self, user: User, action: Action) -> None:
        answer = self.act(user, action, action.example)
        if answer.status != 200:
            raise Failed(f"{action.name} refused its own example with {answer.status}: {answer.detail}")

    def closed(self, user: User, action: Action, status: int, who: str) -> None:
        answer = self.act(user, action, {})
        if answer.status != status:
            raise Failed(f"{action.name} answered {who} with {answer.status}, not with {status}")

    def workflow(self, user: User, name: str) -> None:
        answer = self.client.ask("POST", f"/api/workflows/{name}", {"text": "sample"}, user.token)
        if answer.status >= 500:
            raise Failed(f"workflow {name} broke: {self.said() or answer.detail}")
        if answer.status != 200:
            raise Left(f"workflow {name} ends with {answer.status} here: {answer.detail}")

    # ---- all of them, in their order

    def create_all(self, user: User, groups: list[Group], number: int) -> None:
        """Those last that were refused at first: their records may belong to records of another kind."""
        refused = []
        for group in groups:
            try:
                self.create(user, group, number)
            except Failed:
                refused.append(group)
            except (Over, OSError) as error:
                self.check(f"{group.actions['create'].name}.{user.id}", group.path, partial(raising, error))
        for group in groups:
            work = partial(self.create, user, group, number) if group in refused else done
            self.check(f"{group.actions['create'].name}.{user.id}", group.path, work)

    def records(self, groups: list[Group], user: User, stranger: User) -> None:
        """STRANGER's records are created too, or planted where nobody can sign in as them."""
        self.create_all(user, groups, 1)
        if stranger.token is not None:
            self.create_all(stranger, groups, 2)
        for group in (group for group in groups if user.id in group.created):
            self.check(f"{group.module}.{group.noun}.find", group.path, partial(self.find, user, group))
            if group.entity and group.entity.get("uniqueIndexes"):
                self.check(f"{group.module}.{group.noun}.unique", group.path, partial(self.again, user, group, 1))
            if "update" in group.actions:
                action = group.actions["update"]
                self.check(action.name, action.path, partial(self.update, user, group))
            if stranger.token is None:
                group.created[stranger.id] = self.rows.plant(stranger.id, group.created[user.id])
            for one, other in ((user, stranger), (stranger, user)):
                if other.id in group.created and (one.token is not None or one is user):
                    work = partial(self.apart, one, group, other.id)
                    self.check(f"{group.module}.{group.noun}.isolation.{one.id}", group.path, work)

    def removals(self, groups: list[Group], user: User) -> None:
        """In the other order, so that what belongs to a record goes before it."""
        for group in reversed(groups):
            if user.id in group.created and "delete" in group.actions:
                action = group.actions["delete"]
                self.check(action.name, action.path, partial(self.delete, user, group))
