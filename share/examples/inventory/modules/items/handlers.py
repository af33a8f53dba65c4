"""Items: what is in stock, how much of it, and where."""

import re

SKU = re.compile(r"[A-Z0-9][A-Z0-9-]{1,31}")
COUNT_MAX = 1_000_000


def _sku(value):
    sku = str(value).strip().upper()
    if not SKU.fullmatch(sku):
        raise ValueError("sku: must be 2 to 32 letters, digits and hyphens")
    return sku


def _name(value):
    name = str(value).strip()
    if not 1 <= len(name) <= 120:
        raise ValueError("name: must have 1 to 120 characters")
    return name


def _count(value):
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= COUNT_MAX:
        raise ValueError(f"a quantity must be a whole number from 0 to {COUNT_MAX}")
    return value


def _place(value):
    return str(value).strip()[:60]


CHECKS = {"sku": _sku, "name": _name, "quantity": _count, "reorder_at": _count, "place": _place}


def _checked(payload):
    return {name: check(payload[name]) for name, check in CHECKS.items() if name in payload}


def _found(item):
    if item is None:
        raise LookupError("no such item")
    return item


async def create(ctx, payload):
    """What the payload leaves out gets the data contract's default; a second item of one sku is refused there."""
    for name in ("sku", "name"):
        if not payload.get(name):
            raise ValueError(f"{name}: is required")
    return await ctx.persistence.insert("item", _checked(payload))


async def list_items(ctx, payload):
    where = {"place": _place(payload["place"])} if payload.get("place") else {}
    return sorted(await ctx.persistence.list("item", where), key=lambda item: item["sku"])


async def get(ctx, payload):
    return _found(await ctx.persistence.get("item", payload.get("id")))


async def update(ctx, payload):
    return _found(await ctx.persistence.update("item", payload.get("id"), _checked(payload)))


async def delete(ctx, payload):
    if not await ctx.persistence.delete("item", payload.get("id")):
        raise LookupError("no such item")
    return {"deleted": True}


async def low(ctx, payload):
    """The items to order, in the form in which orders.draft takes them."""
    items = await list_items(ctx, payload)
    return {"items": [item for item in items if item["quantity"] <= item["reorder_at"]]}
