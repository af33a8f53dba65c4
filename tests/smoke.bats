#!/usr/bin/env bats
# smoke - an app that runs well passes it; one that loses, mixes up or shows what it is given fails, and is told where

load common
load host

# What the app's files are in must be open to the user whom the smoke runs as, and short enough for a socket.
setup() {
	common_setup
	require_host
	ROOM=$(mktemp -d /tmp/sbx-test-smoke.XXXXXXXX)
	chmod 755 "$ROOM"
	mkdir -m 1777 "$ROOM/tmp"
	APP=$ROOM/app
}

teardown() {
	rm -rf "$ROOM"
}

lay() {
	rm -rf "$APP"
	"$TOP/tests/lay-bundle" "$1" "$APP"
	chmod -R a+rX "$APP"
}

# smoked [NAME=VALUE ...] - the smoke has run; its events are in $output
smoked() {
	run --separate-stderr smoke "$APP" TMPDIR="$ROOM/tmp" "$@"
	assert_equal "$(ls -A "$ROOM/tmp")" ''
	assert_equal "$(ps -eo args | grep -c "[/]tmp/${ROOM#/tmp/}/tmp")" 0
}

holds() {
	jq -se "$1" <<<"$output" >/dev/null || { echo "not so: $1" && echo "$output" && echo "$stderr"; return 1; }
}

passes() {
	assert_success
	holds '.[0].event == "begin" and .[-1] == {event: "end", status: "passed"} and all(.[1:-1][]; .event == "check")'
	holds '[.[] | select(.event == "check" and .status != "passed")] == []'
}

# fails ID TEXT - that check failed and says so
fails() {
	assert_failure 1
	holds '.[-1] | .event == "end" and .status == "failed" and .reason == "check_failed"'
	jq -se --arg id "$1" --arg text "$2" 'any(.[]; .id == $id and .status == "failed" and (.message | contains($text)))' \
	    <<<"$output" >/dev/null || { echo "not $1: $2" && echo "$output" && return 1; }
}

# skips REASON TEXT
skips() {
	assert_failure 2
	jq -se --arg reason "$1" --arg text "$2" '.[-1] | .event == "end" and .status == "skipped" and .reason == $reason and
	    (.message | contains($text))' <<<"$output" >/dev/null || { echo "not $1: $2" && echo "$output" && return 1; }
}

# ---- apps that are well

@test "the examples pass, and every action of theirs was tried" {
	for example in todo notes inventory; do
		lay "$example"
		smoked
		passes
		# Each action of app.json has a check of its own.
		jq -r '.modules[] | .id as $m | .actions[] | "\($m).\(.name)"' "$APP/app.json" | while read -r action; do
			holds "any(.[]; .id // \"\" | startswith(\"$action\"))"
		done
	done
	holds 'any(.[]; .id == "workflow.restock") and any(.[]; .id == "orders.draft")'
}

@test "notes: two users, one without permissions and nobody were each tried" {
	lay notes
	smoked
	passes
	for check in session session.nobody session.reader session.writer notes.create.smoke-a notes.create.smoke-b \
	    notes.note.isolation.smoke-a notes.note.isolation.smoke-b notes.list.nobody notes.list.permission; do
		holds "any(.[]; .id == \"$check\" and .status == \"passed\")"
	done
	holds 'any(.[]; .path == "app/modules/notes/handlers.py")'
}

@test "records that belong to others are created after them" {
	lay todo
	cat >"$APP/modules/tasks/handlers.py" <<-'PY'
	async def create_task(ctx, payload):
	    if await ctx.persistence.get("list", payload.get("list_id")) is None:
	        raise ValueError("list_id: no such list")
	    return await ctx.persistence.insert("task", payload)
	async def create_list(ctx, payload):
	    return await ctx.persistence.insert("list", payload)
	async def list_tasks(ctx, payload):
	    return await ctx.persistence.list("task")
	PY
	jq '.modules[0].actions = [("create_task", "create_list", "list_tasks") | {name: ., handler: "handlers.py:\(.)"}] |
	    .dataContract = "data.json"' "$TOP/share/examples/todo/app.json" >"$APP/app.json"
	echo '{"entities": [{"name": "task", "fields": [{"name": "list_id", "type": "string", "required": true}]},
	    {"name": "list", "fields": [{"name": "name", "type": "string", "required": true}]}]}' >"$APP/data.json"
	smoked
	passes
	holds 'any(.[]; .id == "tasks.create_task.public")'
}

# ---- apps that are not

# broken EXAMPLE SED ... - with a change to the handlers of its first module
broken() {
	local module
	lay "$1"
	module=$(jq -r '.modules[0].path' "$APP/app.json")
	shift
	cp "$APP/$module/handlers.py" "$ROOM/before"
	sed -i "$@" "$APP/$module/handlers.py"
	run ! cmp -s "$ROOM/before" "$APP/$module/handlers.py"
	smoked
}

@test "records that are not kept, not found, not changed, not deleted" {
	broken todo 's/return await ctx.persistence.insert("task", task)/return {"id": "1", **task}/'
	fails tasks.create.public 'tasks.create answered 200, and ctx.persistence was given no record to keep'
	holds '.[] | select(.id == "tasks.create.public") | .path == "app/modules/tasks/handlers.py"'
	broken todo 's/    return sorted(tasks.*/    return []/'
	fails tasks.task.find 'tasks.list does not show the record that was created'
	broken todo 's/    return _found(await ctx.persistence.update.*/    return _found(await ctx.persistence.get("task", payload.get("id")))/'
	fails tasks.update 'tasks.update answered 200 to {"done": true} and changed nothing'
	broken todo 's/if not await ctx.persistence.delete("task", payload.get("id"))/if not await ctx.persistence.get("task", payload.get("id"))/'
	fails tasks.delete 'tasks.delete answered 200, and the record is still there'
}

@test "a record that is missing must be told as such" {
	broken todo 's/return _found(await ctx.persistence.get/return (await ctx.persistence.get/'
	fails tasks.task.isolation.public "tasks.get answered 200 when asked for another user's record: it must raise LookupError"
	fails tasks.delete 'tasks.get answered 200 for a deleted record: it must raise LookupError'
}

@test "what one user has must not be shown to another, whoever remembers it" {
	broken notes -e '/^async def create/i SEEN = {}\n' \
	    -e 's/    return await ctx.persistence.insert("note", note)/    kept = await ctx.persistence.insert("note", note); SEEN[kept["id"]] = kept; return kept/' \
	    -e 's/    return _found(await ctx.persistence.get.*/    return _found(SEEN.get(payload.get("id")))/'
	fails notes.note.isolation.smoke-a "notes.get answered 200 when asked for another user's record"
	fails notes.note.isolation.smoke-b "notes.get answered 200 when asked for another user's record"
	broken notes -e '/^async def create/i SEEN = {}\n' \
	    -e 's/    return await ctx.persistence.insert("note", note)/    kept = await ctx.persistence.insert("note", note); SEEN[kept["id"]] = kept; return kept/' \
	    -e 's/    notes = await ctx.persistence.list("note")/    notes = SEEN.values()/'
	fails notes.note.isolation.smoke-a 'notes.list shows a user the record of another'
}

@test "an action that breaks is told with its line, over an empty payload too" {
	broken todo 's/payload.get("title") or ""/payload["title"]/'
	fails tasks.create.empty "tasks.create broke on {}: modules/tasks/handlers.py:9 in _title: KeyError: 'title'"
	broken inventory 's/return await ctx.persistence.insert("item", _checked(payload))/return await ctx.persistence.insrt("item", {})/'
	fails items.create.public "AttributeError: 'Records' object has no attribute 'insrt'"
}

@test "an action that wants what nobody declared fails, and is given nothing invented" {
	lay todo
	jq 'del(.modules[0].actions[].example)' "$TOP/share/examples/todo/app.json" >"$APP/app.json"
	smoked
	fails tasks.create.public 'tasks.create refused {}, all that the app declares for it, with 422: title: must have 1 to 200 characters'
	fails tasks.create.public 'or give the action an "example" in app.json'
	broken inventory 's/for name in ("sku", "name"):/for name in ("sku", "name", "supplier"):/'
	fails items.create.public 'items.create refused {"sku": "sample-1", "name": "sample-1"}'
	fails items.create.public 'supplier: is required'
	lay inventory
	jq '(.entities[0].fields[] | select(.name == "name")) |= del(.required)' "$TOP/share/examples/inventory/contracts/data.json" >"$APP/contracts/data.json"
	smoked
	fails items.create.public 'name: is required'
}

@test "an example that its own action refuses, and a workflow that breaks" {
	lay inventory
	jq '(.modules[1].actions[] | select(.name == "draft")).example = {items: [{sku: 1}]}' "$TOP/share/examples/inventory/app.json" >"$APP/app.json"
	smoked
	fails orders.draft "KeyError: 'reorder_at'"
	lay inventory
	sed -i 's/    items = await list_items(ctx, payload)/    items = await list_items(ctx, payload)[0]/' "$APP/modules/items/handlers.py"
	smoked
	fails workflow.restock "workflow restock broke: modules/items/handlers.py:75 in low: TypeError"
}

@test "an app that hangs, ends its host or does not start is told so, in time" {
	broken todo 's/    tasks = await ctx.persistence.list.*/    import time; time.sleep(300)/'
	fails tasks.task.find 'POST /api/modules/tasks/list was not answered within 10 seconds'
	broken todo 's/    task = {"title".*/    import os; os._exit(3)/'
	fails tasks.create.public 'the host ended while it was to answer'
	lay inventory
	echo '{"id": "restock", "title": "Restock", "steps": [{"action": "items.none"}]}' >"$APP/workflows/restock/workflow.json"
	smoked
	fails host.start "the app can't be loaded"
}

# ---- what it can't try

@test "without a database, without the host's packages, without an identity, without a module that loads: skipped" {
	[ "$(id -u)" -eq 0 ] || skip 'only root can hide directories so'
	lay todo
	AROUND=(bwrap --dev-bind / / --tmpfs /usr/lib/postgresql)
	smoked
	skips database_missing "PostgreSQL can't be used here: there is no program postgres"
	AROUND=(bwrap --dev-bind / / --tmpfs /usr/lib/python3/dist-packages)
	smoked
	skips host_missing 'what the host needs is not installed'
	AROUND=()
	jq '.appId = null' "$TOP/share/examples/todo/app.json" >"$APP/app.json"
	smoked
	skips app_id_missing "an app without an appId can't run"
	lay todo.python-syntax
	smoked
	skips app_unloadable 'modules/tasks/handlers.py: '
}

# ---- what the app can't do

@test "the app is told nothing of the smoke's environment, and can't speak for it" {
	lay todo
	cat >>"$APP/modules/tasks/handlers.py" <<-'PY'
	import glob, os
	async def get(ctx, payload):
	    for path in glob.glob("/proc/[0-9]*/fd/1"):
	        try:
	            with open(path, "w") as file:
	                file.write('\n{"event": "check", "id": "forged", "status": "passed"}\n')
	        except OSError:
	            pass
	    print('{"event": "check", "id": "forged", "status": "passed"}', flush=True)
	    raise LookupError(",".join(sorted(os.environ)))
	PY
	smoked SECRET=1
	refute_output --partial forged
	fails tasks.task.find 'with 404'
	refute_output --partial SECRET
	assert_output --partial AUTH_ANON_ACCESS
}

@test "a smoke that is ended has told what it did, and leaves nothing" {
	lay todo
	sed -i 's/    tasks = await ctx.persistence.list.*/    import time; time.sleep(300)/' "$APP/modules/tasks/handlers.py"
	smoke "$APP" TMPDIR="$ROOM/tmp" >"$ROOM/events" 2>&1 3>&- &
	until grep -q tasks.create.public "$ROOM/events"; do
		kill -0 $!
		sleep 0.02
	done
	# What was started here ended in the smoke itself, by exec.
	kill -TERM "$(pgrep -P $! || echo $!)"
	wait $! || assert_equal $? 143
	run cat "$ROOM/events"
	refute_output --partial '"end"'
	assert_equal "$(ls -A "$ROOM/tmp")" ''
	assert_equal "$(ps -eo args | grep -c "[/]tmp/${ROOM#/tmp/}/tmp")" 0
}
