"""Tasks: what is to be done, and what was."""

from datetime import date

TITLE_MAX = 200


def _title(payload):
    title = str(payload.get("title") or "").strip()
    if not 1 <= len(title) <= TITLE_MAX:
        raise ValueError(f"title: must have 1 to {TITLE_MAX} characters")
    return title


def _due(payload):
    due = payload.get("due")
    if due is None:
        return None
    try:
        return date.fromisoformat(due).isoformat()
    except (TypeError, ValueError):
        raise ValueError("due: must be a date, as 2026-12-31") from None


def _done(payload):
    done = payload.get("done", False)
    if not isinstance(done, bool):
        raise ValueError("done: must be true or false")
    return done


def _found(task):
    if task is None:
        raise LookupError("no such task")
    return task


async def create(ctx, payload):
    task = {"title": _title(payload), "due": _due(payload), "done": False}
    return await ctx.persistence.insert("task", task)


async def list_tasks(ctx, payload):
    where = {"done": _done(payload)} if "done" in payload else {}
    tasks = await ctx.persistence.list("task", where)
    return sorted(tasks, key=lambda task: (task["due"] or "9999", task["title"]))


async def get(ctx, payload):
    return _found(await ctx.persistence.get("task", payload.get("id")))


async def update(ctx, payload):
    checks = {"title": _title, "due": _due, "done": _done}
    changes = {name: check(payload) for name, check in checks.items() if name in payload}
    return _found(await ctx.persistence.update("task", payload.get("id"), changes))


async def delete(ctx, payload):
    if not await ctx.persistence.delete("task", payload.get("id")):
        raise LookupError("no such task")
    return {"deleted": True
