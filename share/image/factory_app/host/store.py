"""The records of an app's users, in PostgreSQL.

Every statement names the app and the user, so no handler can come to see what is another's. One table holds the records of
all entities, as JSON: an app without a data contract may keep anything, and one with a contract has it checked here.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import uuid
from concurrent.futures import ThreadPoolExecutor

import psycopg2
from psycopg2 import errors
from psycopg2.extras import Json

from .settings import Refusal

# The default slug. What people see of an app, its title above all, may change, and then its records must still be found.
SLUG = "app"
TABLE = f"{SLUG}_records"

AT_ONCE = 10  # connections; the database of a preview takes twenty
LIMITS = "-c statement_timeout=10000 -c lock_timeout=5000"

KINDS = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "object": (dict,),
    "array": (list,),
}


class Unavailable(Exception):
    """The database can't be reached."""


def to_json(value) -> str:
    """JSON as the standard has it: a NaN, which Python would write, nobody could read back."""
    return json.dumps(value, allow_nan=False)


def key_of(id) -> str | None:
    """What a handler takes for an id may be anything; what can't be one leads to no record."""
    return id if isinstance(id, str) and "\0" not in id else None


def fits(value, kind: str) -> bool:
    return isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))


class Contract:
    """What the app's data contract says of a record; without one anything goes."""

    def __init__(self, entities: dict[str, dict] | None):
        self.entities = entities

    def check(self, entity: str, record: dict) -> dict:
        """The record with its defaults; ValueError when the contract does not allow it."""
        if self.entities is None:
            return record
        if entity not in self.entities:
            raise ValueError(f"the data contract has no entity {entity}")
        fields = {field["name"]: field for field in self.entities[entity]["fields"]}
        for name in record:
            if name not in fields:
                raise ValueError(f"{entity} has no field {name}")
        return {name: self.value(field, record) for name, field in fields.items()}

    @staticmethod
    def value(field: dict, record: dict):
        value = record.get(field["name"], field.get("default"))
        if value is None:
            if field.get("required"):
                raise ValueError(f"{field['name']}: is required")
        elif not fits(value, field["type"]):
            raise ValueError(f"{field['name']}: must be of type {field['type']}")
        return value

    def unique(self):
        """Each (entity, fields) whose values together one user has once."""
        for name, entity in (self.entities or {}).items():
            for fields in entity.get("uniqueIndexes", []):
                yield name, fields


class Store:
    def __init__(self, url: str, app_id: str, entities: dict[str, dict] | None):
        self.url = url
        self.app_id = app_id
        self.contract = Contract(entities)
        self.unique: dict[str, list[str]] = {}  # the fields of each unique index, by its name
        self.free = asyncio.Semaphore(AT_ONCE)
        # One thread for each transaction: with fewer, those that wait for a row's lock would keep out the one that holds it.
        self.threads = ThreadPoolExecutor(AT_ONCE)

    async def in_thread(self, function, *arguments):
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)

    def connect(self):
        # A connection for each transaction: a pool would have to tell those that a restart of the database has broken.
        try:
            return psycopg2.connect(self.url, connect_timeout=5, options=LIMITS)
        except psycopg2.OperationalError as error:
            raise Unavailable(str(error).strip()) from error

    def prepare(self) -> None:
        """Make the table, and the unique indexes of the contract; those of an earlier contract go."""
        prefix = f"{SLUG}_unique_{hashlib.sha256(self.app_id.encode()).hexdigest()[:8]}_"
        try:
            with contextlib.closing(self.connect()) as connection, connection, connection.cursor() as cursor:
                cursor.execute(
                    f"CREATE TABLE IF NOT EXISTS {TABLE} (app_id text, user_id text, entity text, id text,"
                    " number bigserial, data jsonb NOT NULL, PRIMARY KEY (app_id, user_id, entity, id))"
                )
                cursor.execute("SELECT indexname FROM pg_indexes WHERE starts_with(indexname, %s)", (prefix,))
                old = {name for (name,) in cursor}
                for entity, fields in self.contract.unique():
                    name = prefix + hashlib.sha256(to_json([entity, fields]).encode()).hexdigest()[:16]
                    self.unique[name] = fields
                    # No value, which is JSON's null, is not one that somebody else could have too.
                    columns = ", ".join(["(nullif(data->%s, 'null'))"] * len(fields))
                    cursor.execute(
                        f"CREATE UNIQUE INDEX IF NOT EXISTS {name} ON {TABLE} (user_id, {columns})"
                        " WHERE app_id = %s AND entity = %s",
                        (*fields, self.app_id, entity),
                    )
                for name in old - self.unique.keys():
                    cursor.execute(f"DROP INDEX {name}")
        except (Unavailable, psycopg2.Error) as error:
            raise Refusal(f"the database can't be prepared: {str(error).strip()}") from error

    def ping(self) -> None:
        with contextlib.closing(self.connect()) as connection, connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    @contextlib.asynccontextmanager
    async def records_of(self, user_id: str):
        """A user's records, in one transaction: it counts when the block ends well, and else nothing of it happened."""
        async with self.free:
            connection = await self.in_thread(self.connect)
            try:
                yield Records(self, connection, user_id)
                await self.in_thread(connection.commit)
            except (psycopg2.OperationalError, psycopg2.InterfaceError) as error:
                raise Unavailable(str(error).strip()) from error
            finally:
                # What was not committed goes with the connection.
                await self.in_thread(connection.close)


class Records:
    """What a handler knows as ctx.persistence, and the account routes besides."""

    def __init__(self, store: Store, connection, user_id: str):
        self._store = store
        self._connection = connection
        self._scope = (store.app_id, user_id)
        self._turn = asyncio.Lock()

    def _run(self, statement: str, values: tuple) -> list:
        """The rows of a statement that stands alone: after one that is refused the handler may go on."""
        with self._connection.cursor() as cursor:
            cursor.execute("SAVEPOINT one")
            try:
                cursor.execute(statement, values)
                rows = cursor.fetchall()
                cursor.execute("RELEASE one")
                return rows
            except errors.UniqueViolation as error:
                cursor.execute("ROLLBACK TO one")
                fields = self._store.unique.get(error.diag.constraint_name, ["id"])
                raise ValueError(f"{', '.join(fields)}: is taken") from None
            except (psycopg2.DataError, errors.ProgramLimitExceeded) as error:
                cursor.execute("ROLLBACK TO one")
                raise ValueError(f"can't be stored: {error.diag.message_primary}") from None

    async def _ask(self, statement: str, *values) -> list:
        async with self._turn:
            return await self._store.in_thread(self._run, statement, values)

    def _document(self, entity: str, values: dict) -> Json:
        if not isinstance(entity, str) or not isinstance(values, dict):
            raise TypeError("an entity is a name, and its values are a dict")
        return Json(self._store.contract.check(entity, values), dumps=to_json)

    async def insert(self, entity: str, values: dict) -> dict:
        if "id" in values:
            raise ValueError("id: is given by the store")
        ((id, data),) = await self._ask(
            f"INSERT INTO {TABLE} (app_id, user_id, entity, id, data) VALUES (%s, %s, %s, %s, %s) RETURNING id, data",
            *self._scope, entity, uuid.uuid4().hex, self._document(entity, values),
        )
        return {"id": id, **data}

    async def get(self, entity: str, id: str) -> dict | None:
        rows = await self.list(entity, {"id": id})
        return rows[0] if rows else None

    async def list(self, entity: str, where: dict | None = None) -> list[dict]:
        question, values = "app_id = %s AND user_id = %s AND entity = %s", [*self._scope, entity]
        for name, value in (where or {}).items():
            if name == "id":
                question, values = question + " AND id = %s", [*values, key_of(value)]
            else:
                question += " AND coalesce(data->%s, 'null') = %s"
                values += [name, Json(value, dumps=to_json)]
        rows = await self._ask(f"SELECT id, data FROM {TABLE} WHERE {question} ORDER BY number", *values)
        return [{"id": id, **data} for id, data in rows]

    async def update(self, entity: str, id: str, values: dict) -> dict | None:
        values = dict(values)
        if values.pop("id", id) != id:
            raise ValueError("id: can't be changed")
        key = (*self._scope, entity, key_of(id))
        where = "app_id = %s AND user_id = %s AND entity = %s AND id = %s"
        # Locked, so that of two that change the record neither loses what the other wrote.
        rows = await self._ask(f"SELECT data FROM {TABLE} WHERE {where} FOR UPDATE", *key)
        if not rows:
            return None
        data = self._document(entity, {**rows[0][0], **values})
        ((data,),) = await self._ask(f"UPDATE {TABLE} SET data = %s WHERE {where} RETURNING data", data, *key)
        return {"id": id, **data}

    async def delete(self, entity: str, id: str) -> bool:
        rows = await self._ask(
            f"DELETE FROM {TABLE} WHERE app_id = %s AND user_id = %s AND entity = %s AND id = %s RETURNING id",
            *self._scope, entity, key_of(id),
        )
        return bool(rows)

    async def export(self) -> dict[str, list[dict]]:
        """All of the user's records, by entity."""
        found: dict[str, list[dict]] = {}
        statement = f"SELECT entity, id, data FROM {TABLE} WHERE app_id = %s AND user_id = %s ORDER BY entity, number"
        for entity, id, data in await self._ask(statement, *self._scope):
            found.setdefault(entity, []).append({"id": id, **data})
        return found

    async def erase(self) -> int:
        """Delete all of the user's records; how many there were."""
        return len(await self._ask(f"DELETE FROM {TABLE} WHERE app_id = %s AND user_id = %s RETURNING id", *self._scope))
