"""Notes: a title, a text and tags, each note its writer's own."""

TITLE_MAX = 120
TEXT_MAX = 20_000
TAGS_MAX = 10


def _text(payload, name, low, high):
    text = payload.get(name, "")
    if not isinstance(text, str) or not low <= len(text.strip()) <= high:
        raise ValueError(f"{name}: must be text of {low} to {high} characters")
    return text.strip()


def _tags(payload):
    tags = payload.get("tags", [])
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise ValueError("tags: must be a list of words")
    tags = sorted({tag.strip().lower() for tag in tags} - {""})
    if len(tags) > TAGS_MAX:
        raise ValueError(f"tags: at most {TAGS_MAX}")
    return tags


def _found(note):
    if note is None:
        raise LookupError("no such note")
    return note


def _matches(note, words):
    haystack = " ".join([note["title"], note["text"], *note["tags"]]).lower()
    return all(word in haystack for word in words)


CHECKS = {
    "title": lambda payload: _text(payload, "title", 1, TITLE_MAX),
    "text": lambda payload: _text(payload, "text", 0, TEXT_MAX),
    "tags": _tags,
}


async def create(ctx, payload):
    note = {name: check(payload) for name, check in CHECKS.items()}
    return await ctx.persistence.insert("note", note)


async def list_notes(ctx, payload):
    words = str(payload.get("search") or "").lower().split()
    notes = await ctx.persistence.list("note")
    return sorted((note for note in notes if _matches(note, words)), key=lambda note: note["title"].lower())


async def get(ctx, payload):
    return _found(await ctx.persistence.get("note", payload.get("id")))


async def update(ctx, payload):
    changes = {name: check(payload) for name, check in CHECKS.items() if name in payload}
    return _found(await ctx.persistence.update("note", payload.get("id"), changes))


async def delete(ctx, payload):
    if not await ctx.persistence.delete("note", payload.get("id")):
        raise LookupError("no such note")
    return {"deleted": True}
