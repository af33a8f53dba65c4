"""Orders: what was asked of the suppliers, until it arrives."""


async def _draft_of(ctx, payload):
    order = await ctx.persistence.get("order", payload.get("id"))
    if order is None:
        raise LookupError("no such order")
    if order["status"] != "draft":
        raise ValueError(f"the order is {order['status']} already")
    return order


async def draft(ctx, payload):
    """Orders twice its reorder point of each item that has no open order yet."""
    open_orders = await ctx.persistence.list("order", {"status": "draft"})
    ordered = {order["sku"] for order in open_orders}
    drafts = [
        await ctx.persistence.insert("order", {"sku": item["sku"], "quantity": max(1, 2 * item["reorder_at"])})
        for item in payload.get("items", [])
        if item["sku"] not in ordered
    ]
    return {"orders": drafts}


async def list_orders(ctx, payload):
    where = {"status": payload["status"]} if payload.get("status") else {}
    return sorted(await ctx.persistence.list("order", where), key=lambda order: (order["status"], order["sku"]))


async def receive(ctx, payload):
    order = await _draft_of(ctx, payload)
    items = await ctx.persistence.list("item", {"sku": order["sku"]})
    if not items:
        raise LookupError(f"no item {order['sku']} any more")
    await ctx.persistence.update("item", items[0]["id"], {"quantity": items[0]["quantity"] + order["quantity"]})
    return await ctx.persistence.update("order", order["id"], {"status": "received"})


async def cancel(ctx, payload):
    order = await _draft_of(ctx, payload)
    return await ctx.persistence.update("order", order["id"], {"status": "cancelled"})
