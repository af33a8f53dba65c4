"""The runtime smoke: runs the app on its host, with a database of its own, and tries it with two users.

usage: smoke.py    (the app lies in $PLATFORM_PATH, which sbx-bundle(5) describes)

Tells on standard output what it does, one JSON object a line, each as it happens: so what was tried is known however it ends.
    {"event": "begin", "app": "todo"}
    {"event": "check", "id": ..., "status": "passed", "failed" or "skipped", "path": ..., "message": ...}
    {"event": "end", "status": "passed", "failed" or "skipped", "reason": ..., "message": ...}
Exit status 0: it passed. 1: it failed. 2: it was skipped, as without a database it can't be tried, nor when it can't be loaded.
"""

import ctypes
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time
from functools import partial

# The profile's environment keeps Python from looking beside the program for modules.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

LIMIT = 60  # seconds, for all of it
DATABASE_LIMIT = 20  # making a cluster takes seconds where the image brings none
PREFIX = "sbx_smoke_"
KEPT = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "PYTHONSAFEPATH", "PYTHONPYCACHEPREFIX")
PLACES = ("PLATFORM_PATH", "MOZAIKS_APP_WORKSPACE_PATH", "MOZAIKS_WORKFLOWS_PATH")

MESSAGE_MOST = 600  # characters
CHECKS_MOST = 150

PR_SET_DUMPABLE = 4


class Skipped(Exception):
    """Why the app could not be tried."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


def tell(event: str, **more) -> None:
    message = more.pop("message", None)
    if message:
        more["message"] = message if len(message) <= MESSAGE_MOST else message[: MESSAGE_MOST - 1] + "…"
    print(json.dumps({"event": event, **more}), flush=True)


class Smoke:
    def __init__(self, root: str, manifest: dict, directory: str):
        import client
        import runner
        import trial

        self.trial, self.over = trial, client.Over
        self.root = root
        # Paths are told as the workspace has them.
        self.prefix = os.path.relpath(root, os.environ.get("MOZAIKS_APP_WORKSPACE_PATH", "/workspace")) + "/"
        self.manifest = manifest
        self.name = PREFIX + secrets.token_hex(10)
        self.host = runner.Host(directory, root)
        self.client = client.Client(self.host.socket, time.monotonic() + LIMIT)
        self.failed: list[str] = []
        self.told = 0

    def document(self, member: str) -> dict:
        if member not in self.manifest:
            return {}
        with open(os.path.join(self.root, self.manifest[member]), encoding="utf-8") as file:
            return json.load(file)

    def check(self, id: str, path: str | None, work) -> None:
        """Do WORK, a step of the smoke, and tell what came of it."""
        status, message, over = "passed", None, None
        self.client.begin_step()
        try:
            work()
        except self.trial.Failed as failure:
            status, message = "failed", str(failure)
        except self.trial.Left as reason:
            status, message = "skipped", str(reason)
        except (self.over, OSError) as error:
            status, message, over = "failed", f"{error} ({self.host.failure() or self.host.last_line()})", self.over(str(error))
        if status == "failed":
            self.failed.append(f"{id}: {message}")
        self.told += 1
        if status == "failed" or self.told <= CHECKS_MOST:
            place = {"path": self.prefix + path} if path else {}
            tell("check", id=id, status=status, message=message, **place)
        if over:
            raise over

    def environ(self, database, issuer) -> dict[str, str]:
        environ = {name: os.environ[name] for name in (*KEPT, *PLACES) if name in os.environ}
        environ |= {
            "HOME": tempfile.gettempdir(),
            "DATABASE_URL": database.url(self.name),
            "MOZAIKS_APP_DATABASE_NAME": self.name,
            "MOZAIKS_APP_DATA_DATABASE_NAME": self.name,
        }
        if issuer is None:
            return environ | {"AUTH_ENABLED": "false", "AUTH_PROVIDER": "none", "AUTH_ANON_ACCESS": "public"}
        return environ | {
            "AUTH_AUDIENCE": issuer.audience,
            "VITE_OIDC_AUTHORITY": issuer.url,
            "MOZAIKS_OIDC_AUTHORITY": issuer.url,
        }

    def wait(self) -> None:
        """Until the host answers, or has ended."""
        import host.app

        while True:
            ended = self.host.process.poll()
            if ended == host.app.UNLOADABLE:
                raise Skipped("app_unloadable", f"the app can't be loaded: {self.host.last_line().removeprefix('host: ')}")
            if ended is not None:
                raise self.trial.Failed(f"the host of the app ended with status {ended}: {self.host.last_line()}")
            try:
                if self.client.ask("GET", "/api/health").status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.02)

    def identity(self) -> None:
        answer = self.client.ask("GET", "/api/shell-config")
        if answer.status != 200 or answer.body.get("appId") != self.manifest["appId"]:
            raise self.trial.Failed(f"the running app says that it is {answer.text[:100]}")

    def session(self, token: str | None, permissions: set[str] | None) -> None:
        """That is what the holder of TOKEN may do; none: nobody is signed in."""
        answer = self.client.ask("GET", "/api/session", token=token)
        if (answer.status, permissions) == (401, None):
            return
        if answer.status != 200 or permissions is None or set(answer.body["permissions"]) != permissions:
            raise self.trial.Failed(f"GET /api/session answered {answer.status} {answer.text[:200]}")

    def try_visitors(self, trial, actions) -> None:
        """A public app: its visitors are one user, beside whom another user's records are planted."""
        visitor, stranger = self.trial.User("public", None), self.trial.User("smoke-stranger", None)
        closed = [action for action in actions if action.permission]
        mine = [action for action in actions if not action.permission]
        groups, others = self.trial.grouped(mine, self.entities())
        self.check("session", None, partial(self.session, None, set()))
        trial.records(groups, visitor, stranger)
        trial.removals(groups, visitor)
        # The rest finds a record where it would have found one in use.
        trial.create_all(visitor, [group for group in groups if visitor.id in group.created and "delete" in group.actions], 3)
        self.try_rest(trial, mine, others, visitor)
        for action in closed:
            self.check(f"{action.name}.permission", action.path, partial(trial.closed, visitor, action, 403, "a visitor"))

    def try_users(self, trial, actions, issuer) -> None:
        """An app with sign-in: two users who may do everything, one who may do nothing, and nobody."""
        contract = self.document("authContract")
        known = contract.get("permissions", [])
        one, two = (self.trial.User(id, issuer.sign(issuer.claims(id, scp=known))) for id in ("smoke-a", "smoke-b"))
        powerless, nobody = self.trial.User("smoke-c", issuer.sign(issuer.claims("smoke-c"))), self.trial.User("", None)
        groups, others = self.trial.grouped(actions, self.entities())
        self.check("session", None, partial(self.session, one.token, set(known)))
        self.check("session.nobody", None, partial(self.session, None, None))
        for role, given in contract.get("roles", {}).items():
            token = issuer.sign(issuer.claims("smoke-c", roles=[role]))
            self.check(f"session.{role}", None, partial(self.session, token, set(given)))
        trial.records(groups, one, two)
        trial.removals(groups, one)
        self.try_rest(trial, actions, others, two)
        for action in actions:
            self.check(f"{action.name}.nobody", action.path, partial(trial.closed, nobody, action, 401, "nobody"))
            if action.permission:
                work = partial(trial.closed, powerless, action, 403, "a user without its permission")
                self.check(f"{action.name}.permission", action.path, work)

    def try_rest(self, trial, actions, others, user) -> None:
        for name in self.manifest.get("workflows", []):
            self.check(f"workflow.{name}", None, partial(trial.workflow, user, name))
        for action in others:
            if action.example is not None:
                self.check(action.name, action.path, partial(trial.works, user, action))
        for action in actions:
            self.check(f"{action.name}.empty", action.path, partial(trial.act, user, action, {}))

    def entities(self) -> dict[str, dict]:
        return {entity["name"]: entity for entity in self.document("dataContract").get("entities", [])}

    def run(self, database, issuer) -> None:
        from host.store import TABLE

        database.create(self.name)
        self.host.start(self.environ(database, issuer))
        self.check("host.start", None, self.wait)
        if self.failed:
            return
        self.check("host.identity", "app.json", self.identity)
        with database.connect(self.name) as connection:
            rows = self.trial.Rows(connection, self.manifest["appId"], TABLE)
            trial = self.trial.Trial(self.client, rows, self.check, self.host.failure)
            actions = self.trial.actions_of(self.manifest)
            if issuer is None:
                self.try_visitors(trial, actions)
            else:
                self.try_users(trial, actions, issuer)


def smoke(root: str, manifest: dict, directory: str) -> list[str]:
    """What failed, in sentences. Skipped when nothing could be tried."""
    try:
        from database import Database, Missing
        from issuer import Issuer
        import uvicorn  # noqa: F401 - that it is there
    except ImportError as error:
        raise Skipped("host_missing", f"what the host needs is not installed: {error}") from error
    database = Database(directory)
    issuer = None
    run = Smoke(root, manifest, directory)
    try:
        database.start(time.monotonic() + DATABASE_LIMIT)
        if manifest.get("authRequired", True):
            issuer = Issuer(manifest["appId"])
            issuer.start()
        # The app runs as the same user. It must not reach into this process, whose words count.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0)
        run.run(database, issuer)
    except Missing as error:
        raise Skipped("database_missing", f"PostgreSQL can't be used here: {error}") from error
    except run.over as over:
        if not run.failed:  # a check that can't go on has told it
            raise AssertionError("it ended without a check that failed") from over
    finally:
        run.host.stop()
        if issuer is not None:
            issuer.stop()
        # Its databases go with its cluster.
        database.stop()
    return run.failed


def main() -> int:
    root = os.environ.get("PLATFORM_PATH", "/workspace/app")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    with open(os.path.join(root, "app.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    tell("begin", app=manifest.get("appId"))
    directory = tempfile.mkdtemp(prefix="smoke-")
    try:
        if not manifest.get("appId"):
            raise Skipped("app_id_missing", "an app without an appId can't run: nothing tells its records from another's")
        failed = smoke(root, manifest, directory)
    except Skipped as skipped:
        tell("end", status="skipped", reason=skipped.reason, message=str(skipped))
        return 2
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    if failed:
        tell("end", status="failed", reason="check_failed", message=failed[0])
        return 1
    tell("end", status="passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
