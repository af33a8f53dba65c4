"""The routes. What they answer, and when, stands in ../README."""

import asyncio
import json
import logging
import os
import sys
from types import SimpleNamespace

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from . import auth, bundle, settings
from .bundle import Action, App
from .settings import Settings
from .store import Records, Store, Unavailable, to_json

PAYLOAD_MOST = 1 << 20  # bytes
ACTION_LIMIT = 30  # seconds
UNLOADABLE = 4  # the exit status that tells a broken module from every other reason not to start

log = logging.getLogger("uvicorn.error")


async def payload_of(request: Request) -> dict:
    # Asking for the type keeps out other sites' forms, which a browser sends without asking anybody.
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "the body must be application/json")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > PAYLOAD_MOST:
            raise HTTPException(413, f"the body has more than {PAYLOAD_MOST} bytes")
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise HTTPException(400, f"the body is no JSON: {error}") from error
    if not isinstance(payload, dict):
        raise HTTPException(400, "the body is no JSON object")
    return payload


async def call(action: Action, records: Records, caller: auth.Caller, payload: dict):
    """The handler's result; HTTPException with what its exceptions mean to the caller."""
    if not caller.may(action.permission):
        raise HTTPException(403, f"{action.name} needs the permission {action.permission}")
    ctx = SimpleNamespace(user_id=caller.store_id, persistence=records)
    try:
        return await asyncio.wait_for(action.handler(ctx, payload), ACTION_LIMIT)
    except asyncio.TimeoutError as error:
        raise HTTPException(504, f"{action.name} did not end within {ACTION_LIMIT} seconds") from error
    except PermissionError as error:
        raise HTTPException(403, str(error)) from error
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    except LookupError as error:
        # A key or an index that is not there is a handler's mistake, and no answer about a record.
        if isinstance(error, (KeyError, IndexError)):
            raise
        raise HTTPException(404, str(error)) from error


def answer(result) -> Response:
    return Response(to_json(result), media_type="application/json")


async def run_workflow(steps: list[Action], records: Records, caller: auth.Caller, payload: dict) -> list[dict]:
    done = []
    for number, action in enumerate(steps, 1):
        if not isinstance(payload, dict):
            raise HTTPException(422, f"step {number}, {action.name}: the step before it gave no object")
        try:
            payload = await call(action, records, caller, payload)
        except HTTPException as error:
            raise HTTPException(error.status_code, f"step {number}, {action.name}: {error.detail}") from error
        done.append({"action": action.name, "result": payload})
    return done


def public_routes(web: FastAPI, app: App, given: Settings, store: Store) -> None:
    """What is asked before anybody is signed in."""

    @web.get("/api/health")
    async def health():
        await run_in_threadpool(store.ping)
        return {"status": "ok", "database": "ok"}

    @web.get("/api/shell-config")
    async def shell_config():
        return {
            "appId": app.id,
            "title": app.title,
            "authRequired": not app.is_public,
            "theme": f"/api/themes/{app.id}",
            "workflows": [{"id": id, "title": workflow.title} for id, workflow in app.workflows.items()],
            "auth": given.issuer and {
                "authority": given.issuer.browser_authority,
                "clientId": given.client_id,
                "redirectUri": given.redirect_uri,
                "callbackPath": app.auth_contract.get("callbackPath"),
            },
        }

    @web.get("/api/themes/{app_id}")
    async def theme(app_id: str):
        if app_id != app.id:
            raise HTTPException(404, "this is another app")
        return app.theme


def app_routes(web: FastAPI, app: App, callers, store: Store) -> None:
    async def caller_of(request: Request) -> auth.Caller:
        return await callers.caller(request.headers.get("authorization"))

    @web.get("/api/session")
    async def session(request: Request):
        caller = await caller_of(request)
        user = None if caller.user is None else {"id": caller.user, "name": caller.name}
        return {"user": user, "roles": caller.roles, "permissions": sorted(caller.permissions)}

    @web.post("/api/modules/{module}/{action}")
    async def act(module: str, action: str, request: Request):
        caller = await caller_of(request)
        found = app.actions.get(f"{module}.{action}")
        if found is None:
            raise HTTPException(404, "the app has no such action")
        payload = await payload_of(request)
        async with store.records_of(caller.store_id) as records:
            return answer(await call(found, records, caller, payload))

    @web.post("/api/workflows/{workflow}")
    async def work(workflow: str, request: Request):
        caller = await caller_of(request)
        found = app.workflows.get(workflow)
        if found is None:
            raise HTTPException(404, "the app has no such workflow")
        payload = await payload_of(request)
        async with store.records_of(caller.store_id) as records:
            return answer({"steps": await run_workflow(found.steps, records, caller, payload)})

    async def account_of(request: Request) -> str:
        caller = await caller_of(request)
        if caller.user is None:
            raise HTTPException(404, "a public app has no accounts")
        return caller.user

    @web.get("/api/account/export")
    async def export(request: Request):
        user = await account_of(request)
        async with store.records_of(user) as records:
            return {"appId": app.id, "user": user, "records": await records.export()}

    @web.delete("/api/account")
    async def erase(request: Request):
        user = await account_of(request)
        async with store.records_of(user) as records:
            return {"deleted": await records.erase()}


def error_answers(web: FastAPI) -> None:
    def said(status: int, detail: str, headers: dict | None = None) -> JSONResponse:
        return JSONResponse({"detail": detail}, status, headers)

    @web.exception_handler(auth.Anonymous)
    async def anonymous(request, error):
        return said(401, str(error), {"WWW-Authenticate": "Bearer"})

    @web.exception_handler(auth.Unreachable)
    async def unreachable(request, error):
        log.warning("the issuer's keys: %s", error)
        return said(503, "the keys of the token's issuer can't be reached")

    @web.exception_handler(Unavailable)
    async def unavailable(request, error):
        log.warning("the database: %s", error)
        return said(503, "the database can't be reached")

    @web.exception_handler(Exception)
    async def broken(request, error):
        # Starlette raises the error again for the server's log; the caller learns no more of the app's inside.
        return said(500, f"the app failed: {type(error).__name__}")


def make(environ) -> FastAPI:
    """The host of the app that the environment names, ready to serve. Refusal when it must not start."""
    app = bundle.read(
        settings.required(environ, "PLATFORM_PATH"), settings.required(environ, "MOZAIKS_WORKFLOWS_PATH")
    )
    given = settings.read(environ, app.is_public)
    store = Store(given.database_url, app.id, app.entities)
    store.prepare()
    web = FastAPI(openapi_url=None)
    if given.origins:
        web.add_middleware(
            CORSMiddleware, allow_origins=given.origins, allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type"],
        )
    error_answers(web)
    public_routes(web, app, given, store)
    app_routes(web, app, auth.callers(given, app), store)
    return web


def __getattr__(name: str):
    """The ASGI application, made when a server asks for it, so that smoke.py and tests can import this module."""
    if name != "app":
        raise AttributeError(name)
    try:
        return make(os.environ)
    except bundle.Unloadable as refusal:
        print(f"host: {refusal}", file=sys.stderr)
        sys.exit(UNLOADABLE)
    except settings.Refusal as refusal:
        sys.exit(f"host: {refusal}")
