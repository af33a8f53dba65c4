#!/usr/bin/env bats
# host - the reference host over HTTP, on a real database, with tokens of a real issuer: its README, line by line

load common
load host

setup_file() {
	load common
	load host
	require_host
	postgres_start
}

teardown_file() {
	[ -z "${POSTGRES_PID:-}" ] || postgres_stop
}

setup() {
	common_setup
	APP=$BATS_TEST_TMPDIR/app
	unset TOKEN
}

teardown() {
	[ -z "${HOST_PID:-}" ] || kill "$HOST_PID" 2>/dev/null || true
	[ -z "${ISSUER_PID:-}" ] || kill "$ISSUER_PID" 2>/dev/null || true
}

lay() {
	rm -rf "$APP"
	"$TOP/tests/lay-bundle" "$1" "$APP"
}

# public APP - serve it, in a database of its own
public() {
	lay "$1"
	host_start "$APP" "${DATABASE:=$(database)}" "${PUBLIC[@]}"
}

# signed [NAME=VALUE ...] - serve notes, with sign-in
signed() {
	[ -d "$APP" ] || lay notes
	issuer_start notes
	host_start "$APP" "${DATABASE:=$(database)}" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" \
	    AUTH_JWKS_URL="$ISSUER/keys" "$@"
}

# as SUBJECT [SCOPE ...] - who asks from here on
as() {
	TOKEN=$(token "$(jq -nc '{sub: $ARGS.positional[0], scp: $ARGS.positional[1:]}' --args "$@")")
}

# handlers - the text on stdin becomes that of the todo example's handlers
handlers() {
	cat >"$APP/modules/tasks/handlers.py"
	host_start "$APP" "${DATABASE:=$(database)}" "${PUBLIC[@]}"
}

# ---- what everybody may ask

@test "health, shell configuration, theme and session of a public app" {
	public todo
	ask GET /api/health
	answers 200 '. == {status: "ok", database: "ok"}'
	ask GET /api/shell-config
	answers 200 '. == {appId: "todo", title: "Todo", authRequired: false, theme: "/api/themes/todo", workflows: [], auth: null}'
	ask GET /api/themes/todo
	answers 200 '.source == "custom" and .app_id == "todo" and .colors.light.primary == "#0f766e"'
	ask GET /api/themes/notes
	answers 404 '.detail'
	ask GET /api/session
	answers 200 '. == {user: null, roles: [], permissions: []}'
	ask GET /api/nothing
	answers 404 '.detail'
}

@test "a theme made for another app does not count" {
	lay todo
	sed -i 's/"app_id": "todo"/"app_id": "other"/' "$APP/brand/theme_config.json"
	host_start "$APP" "$(database)" "${PUBLIC[@]}"
	ask GET /api/themes/todo
	answers 200 '. == {source: "default", app_id: "todo"}'
}

@test "shell configuration tells what signing in needs, and the workflows" {
	signed VITE_OIDC_CLIENT_ID=notes VITE_OIDC_REDIRECT_URI=http://localhost:3000/auth/callback
	ask GET /api/shell-config
	answers 200 ".authRequired and .auth == {authority: \"$ISSUER\", clientId: \"notes\",
	    redirectUri: \"http://localhost:3000/auth/callback\", callbackPath: \"/auth/callback\"}"
	host_stop
	unset DATABASE
	public inventory
	ask GET /api/shell-config
	answers 200 '.workflows == [{id: "restock", title: "Restock"}]'
}

# ---- records

@test "a public app keeps, finds, changes and deletes records" {
	public todo
	act tasks/create '{"title": "Water the plants"}'
	answers 200 '.title == "Water the plants" and (.id | length > 8)'
	id=$(jq -r .id <<<"$output")
	act tasks/create '{"title": "Call home"}'
	act tasks/list '{}'
	answers 200 'length == 2'
	act tasks/update "{\"id\": \"$id\", \"done\": true}"
	answers 200 '.done and .title == "Water the plants"'
	act tasks/list '{"done": false}'
	answers 200 'map(.title) == ["Call home"]'
	act tasks/delete "{\"id\": \"$id\"}"
	answers 200
	act tasks/get "{\"id\": \"$id\"}"
	answers 404 '.detail == "no such task"'
	act tasks/update "{\"id\": \"$id\", \"done\": true}"
	answers 404
}

@test "what the host does not take, and how it says so" {
	public todo
	act tasks/create '{"title": ""}'
	answers 422 '.detail | startswith("title:")'
	act tasks/create '[]'
	answers 400 '.detail'
	act tasks/create '{"title": '
	answers 400 '.detail'
	act tasks/nothing '{}'
	answers 404 '.detail'
	act nothing/create '{}'
	answers 404 '.detail'
	ask POST /api/modules/tasks/create -H 'Content-Type: text/plain' -d '{"title": "x"}'
	answers 415 '.detail'
	head -c 1100000 /dev/zero | tr '\0' a >"$BATS_TEST_TMPDIR/large"
	ask POST /api/modules/tasks/create -H 'Content-Type: application/json' --data-binary @"$BATS_TEST_TMPDIR/large"
	answers 413 '.detail'
	ask GET /api/modules/tasks/create
	answers 405
	for id in 7 null '"no\u0000ne"' '{"a": 1}'; do
		act tasks/get "{\"id\": $id}"
		answers 404
	done
	act tasks/create '{"title": "not \u0000 text"}'
	answers 422
	act tasks/list '{}'
	answers 200 '. == []'
}

@test "the data contract: defaults, required fields, types, unique indexes" {
	public inventory
	act items/create '{"sku": "ab-1", "name": "Bolt"}'
	answers 200 '{sku, name, quantity, reorder_at, place} == {sku: "AB-1", name: "Bolt", quantity: 0, reorder_at: 5, place: ""}'
	act items/create '{"sku": "AB-1", "name": "Nut"}'
	answers 422 '.detail == "sku: is taken"'
	act items/create '{"sku": "C-2", "name": "Nut"}'
	answers 200
	act items/update "$(jq -c '{id, sku: "AB-1"}' <<<"$output")"
	answers 422 '.detail == "sku: is taken"'
	act items/list '{}'
	answers 200 'map(.sku) == ["AB-1", "C-2"]'
	host_stop
	cat >>"$APP/modules/items/handlers.py" <<-'PY'
	async def create(ctx, payload):
	    return await ctx.persistence.insert(payload.pop("entity", "item"), payload)
	PY
	host_start "$APP" "$DATABASE" "${PUBLIC[@]}"
	while IFS='|' read -r payload detail; do
		act items/create "$payload"
		answers 422 ".detail == \"$detail\""
	done <<-'TABLE'
		{"sku": "D"}|name: is required
		{"sku": "D", "name": null}|name: is required
		{"sku": "D", "name": "x", "quantity": "1"}|quantity: must be of type integer
		{"sku": "D", "name": "x", "quantity": true}|quantity: must be of type integer
		{"sku": "D", "name": "x", "colour": "red"}|item has no field colour
		{"id": "1", "sku": "D", "name": "x"}|id: is given by the store
		{"entity": "thing", "sku": "D"}|the data contract has no entity thing
	TABLE
}

@test "a new contract's unique indexes replace those of the old one" {
	public inventory
	act items/create '{"sku": "A-1", "name": "Bolt"}'
	host_stop
	jq '.entities[0].uniqueIndexes = [["name", "place"]]' "$TOP/share/examples/inventory/contracts/data.json" >"$APP/contracts/data.json"
	host_start "$APP" "$DATABASE" "${PUBLIC[@]}"
	act items/create '{"sku": "A-1", "name": "Nut"}'
	answers 200
	act items/create '{"sku": "A-2", "name": "Nut"}'
	answers 422 '.detail == "name, place: is taken"'
	host_stop
	jq '.entities[0].uniqueIndexes = [["sku"]]' "$TOP/share/examples/inventory/contracts/data.json" >"$APP/contracts/data.json"
	run host_run "$APP" "$DATABASE" "${PUBLIC[@]}"
	assert_failure
	assert_output --partial "host: the database can't be prepared: could not create unique index"
}

@test "an action that failed has kept nothing, and its answer tells nothing of the app's inside" {
	lay todo
	handlers <<-'PY'
	async def create(ctx, payload):
	    record = await ctx.persistence.insert("task", {"title": "half"})
	    if payload.get("refuse"):
	        raise ValueError("no")
	    return {"seen": payload["nothing"], "id": record["id"]}
	async def list_tasks(ctx, payload):
	    return await ctx.persistence.list("task")
	async def get(ctx, payload):
	    return {"nan": float("nan")}
	async def update(ctx, payload):
	    return {"user": ctx.user_id, "set": {1, 2}}
	async def delete(ctx, payload):
	    raise PermissionError("not yours")
	PY
	act tasks/create '{}'
	answers 500 '.detail == "the app failed: KeyError"'
	grep -q "KeyError: 'nothing'" "$HOST_LOG"
	act tasks/create '{"refuse": true}'
	answers 422 '.detail == "no"'
	act tasks/list '{}'
	answers 200 '. == []'
	act tasks/get '{}'
	answers 500
	act tasks/update '{}'
	answers 500
	act tasks/delete '{}'
	answers 403 '.detail == "not yours"'
}

@test "many at once: nothing is lost, a unique value is given once, and nobody waits for ever" {
	lay todo
	jq '.dataContract = "contracts/data.json"' "$APP/app.json" >"$APP/new" && mv "$APP/new" "$APP/app.json"
	mkdir "$APP/contracts"
	echo '{"entities": [{"name": "task", "fields": [{"name": "n", "type": "integer"}, {"name": "name", "type": "string"}],
	    "uniqueIndexes": [["name"]]}]}' >"$APP/contracts/data.json"
	handlers <<-'PY'
	import asyncio
	async def create(ctx, payload):
	    return await ctx.persistence.insert("task", payload)
	async def list_tasks(ctx, payload):
	    return await ctx.persistence.list("task")
	async def get(ctx, payload):
	    found = await asyncio.gather(*(ctx.persistence.get("task", payload["id"]) for _ in range(20)))
	    return found[0]
	async def update(ctx, payload):
	    record = await ctx.persistence.update("task", payload["id"], {})
	    return await ctx.persistence.update("task", payload["id"], {"n": record["n"] + 1})
	async def delete(ctx, payload):
	    return {}
	PY
	act tasks/create '{"n": 0, "name": "counter"}'
	id=$(jq -r .id <<<"$output")
	for _ in $(seq 40); do
		printf 'next\nsilent\nurl = "%s/api/modules/tasks/update"\nheader = "Content-Type: application/json"\ndata = "{\\"id\\": \\"%s\\"}"\nwrite-out = "%%{stderr}%%{http_code}\\n"\n' "$HOST" "$id"
		printf 'next\nsilent\nurl = "%s/api/modules/tasks/create"\nheader = "Content-Type: application/json"\ndata = "{\\"name\\": \\"one\\"}"\nwrite-out = "%%{stderr}%%{http_code}\\n"\n' "$HOST"
	done | tail -n +2 >"$BATS_TEST_TMPDIR/curl"
	curl -q --no-progress-meter --noproxy '*' --parallel --parallel-max 40 --max-time 60 --config "$BATS_TEST_TMPDIR/curl" >/dev/null 2>"$BATS_TEST_TMPDIR/codes"
	assert_equal "$(sort "$BATS_TEST_TMPDIR/codes" | uniq -c | xargs)" '41 200 39 422'
	act tasks/get "{\"id\": \"$id\"}"
	answers 200 '.n == 40'
	act tasks/list '{}'
	answers 200 'map(select(.name == "one")) | length == 1'
}

# ---- workflows

@test "a workflow hands results on, is one transaction, and says which step failed" {
	public inventory
	act items/create '{"sku": "A-1", "name": "Bolt"}'
	ask POST /api/workflows/restock -H 'Content-Type: application/json' -d '{"text": "go"}'
	answers 200 '[.steps[].action] == ["items.low", "orders.draft"] and .steps[1].result.orders[0].quantity == 10'
	ask POST /api/workflows/nothing -H 'Content-Type: application/json' -d '{}'
	answers 404
	host_stop
	echo '{"id": "restock", "title": "Restock", "steps": [{"action": "items.low"}, {"action": "orders.draft"}, {"action": "orders.receive"}]}' \
	    >"$APP/workflows/restock/workflow.json"
	unset DATABASE
	host_start "$APP" "${DATABASE:=$(database)}" "${PUBLIC[@]}"
	act items/create '{"sku": "A-1", "name": "Bolt"}'
	ask POST /api/workflows/restock -H 'Content-Type: application/json' -d '{"text": "go"}'
	answers 404 '.detail == "step 3, orders.receive: no such order"'
	act orders/list '{}'
	answers 200 '. == []'
}

# ---- who asks

@test "an ordinary user, a second one and nobody: each has what is theirs" {
	signed
	as anna notes.read notes.write
	ask GET /api/session
	answers 200 '.user == {id: "anna", name: null} and .permissions == ["notes.read", "notes.write"]'
	act notes/create '{"title": "Bread"}'
	answers 200
	id=$(jq -r .id <<<"$output")
	as bert notes.read notes.write
	act notes/list '{}'
	answers 200 '. == []'
	for action in get delete; do
		act "notes/$action" "{\"id\": \"$id\"}"
		answers 404
	done
	act notes/update "{\"id\": \"$id\", \"title\": \"Mine\"}"
	answers 404
	unset TOKEN
	for path in /api/session /api/account/export; do
		ask GET "$path"
		answers 401 '.detail'
	done
	act notes/list '{}'
	answers 401 '.detail == "nobody is signed in"'
	ask POST /api/workflows/any -H 'Content-Type: application/json' -d '{}'
	answers 401
	ask DELETE /api/account
	answers 401
	run curl -q -sS --noproxy '*' -i "$HOST/api/session"
	assert_output --regexp '[Ww][Ww][Ww]-[Aa]uthenticate: Bearer'
	as anna notes.read
	act notes/list '{}'
	answers 200 'map(.title) == ["Bread"]'
}

@test "a permission comes from a scope or a role that the contract knows, and from nothing else" {
	signed
	as carl notes.read notes.admin
	ask GET /api/session
	answers 200 '.permissions == ["notes.read"]'
	act notes/create '{"title": "x"}'
	answers 403 '.detail == "notes.create needs the permission notes.write"'
	TOKEN=$(token '{"sub": "carl", "roles": ["reader", "king"]}')
	ask GET /api/session
	answers 200 '.roles == ["reader", "king"] and .permissions == ["notes.read"]'
	act notes/delete '{"id": "x"}'
	answers 403
	TOKEN=$(token '{"sub": "carl", "roles": ["writer"]}')
	act notes/create '{"title": "x"}'
	answers 200
	TOKEN=$(token '{"sub": "carl", "scope": "notes.read notes.write"}')
	act notes/list '{}'
	answers 403
}

@test "the claims of scopes and roles are named by the settings" {
	signed AUTH_SCOPES_CLAIM=scope AUTH_ROLES_CLAIM=realm_access.roles
	TOKEN=$(token '{"sub": "dora", "scope": "openid notes.read"}')
	act notes/list '{}'
	answers 200
	TOKEN=$(token '{"sub": "dora", "scp": ["notes.read"], "roles": ["writer"]}')
	act notes/list '{}'
	answers 403
	TOKEN=$(token '{"sub": "dora", "realm_access": {"roles": ["writer"]}}')
	act notes/create '{"title": "x"}'
	answers 200
}

@test "a token that is not right in every way is nobody's" {
	signed
	# The same token with nothing wrong is somebody's, so each of these is refused for what is wrong with it.
	TOKEN=$(token '{"sub": "anna"}')
	ask GET /api/session
	answers 200
	while IFS='|' read -r asked detail; do
		TOKEN=$(token "$asked")
		ask GET /api/session
		answers 401 ".detail | contains(\"$detail\")"
	done <<-'TABLE'
		{"sub": "anna", "iss": "http://127.0.0.1:1"}|issuer
		{"sub": "anna", "aud": "todo"}|udience
		{"sub": "anna", "aud": null}|aud
		{"sub": "anna", "exp": 1700000000}|expired
		{"sub": "anna", "exp": null}|exp
		{"sub": "anna", "nbf": 4000000000}|not yet valid
		{"sub": null}|sub
		{"sub": ""}|names no user
		{"sub": 7}|names no user
		{"sub": "anna", "alg": "none"}|not signed with RS256
		{"sub": "anna", "alg": "HS256"}|not signed with RS256
		{"sub": "anna", "key": "foreign"}|ignature
		{"sub": "anna", "kid": "key-2"}|not one of the issuer's
	TABLE
	for TOKEN in nonsense a.b.c 'eyJhbGciOiJSUzI1NiJ9..'; do
		ask GET /api/session
		answers 401
	done
	TOKEN=$(token '{"sub": "anna"}')
	TOKEN=${TOKEN%????}AAAA
	ask GET /api/session
	answers 401
	TOKEN=$(token '{"sub": "anna"}')
	output=$(curl -q -sS --noproxy '*' -o /dev/null -w '%{http_code}' -H "Authorization: Basic $TOKEN" "$HOST/api/session")
	assert_equal "$output" 401
	kill -0 "$HOST_PID"
}

@test "the issuer can be found by its discovery alone, and must be who it says" {
	lay notes
	issuer_start notes
	host_start "$APP" "$(database)" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" MOZAIKS_OIDC_AUTHORITY="$ISSUER/"
	as anna notes.read
	act notes/list '{}'
	answers 200
	host_stop
	host_start "$APP" "$(database)" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY=http://elsewhere.example \
	    MOZAIKS_OIDC_AUTHORITY="http://localhost:${ISSUER##*:}"
	ask GET /api/session
	answers 503 '.detail | contains("issuer")'
	grep -q 'says that it is' "$HOST_LOG"
}

@test "an issuer that does not answer is a 503 until it does, and nobody gets in meanwhile" {
	signed
	as anna notes.read
	host_stop
	kill "$ISSUER_PID"
	wait "$ISSUER_PID" || true
	host_start "$APP" "$DATABASE" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" AUTH_JWKS_URL="$ISSUER/keys"
	for _ in 1 2 3; do
		ask GET /api/session
		answers 503 '.detail'
	done
	ask GET /api/health
	answers 200
}

@test "the host does not start when its posture is not said in full" {
	name=$(database)
	lay notes
	signed_in=(AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY=http://i AUTH_ISSUER=http://i AUTH_JWKS_URL=http://i/keys)
	while IFS='|' read -r app given says; do
		lay "$app"
		read -ra words <<<"$given"
		run timeout 20 bash -c "$(declare -f host_run)"$'\nhost_run "$@"' - "$APP" "$name" "${words[@]}"
		assert_failure
		assert_output "host: $says"
	done <<-TABLE
		todo||the app is public, and AUTH_ENABLED is not false
		todo|AUTH_ENABLED=false AUTH_PROVIDER=jwt|the app is public, and AUTH_PROVIDER is not none
		todo|AUTH_ENABLED=false AUTH_PROVIDER=none|the app is public, and AUTH_ANON_ACCESS is not public
		notes|${PUBLIC[*]}|the app needs sign-in, and AUTH_ENABLED is not true
		notes|AUTH_ENABLED=off ${signed_in[*]}|the app needs sign-in, and AUTH_ENABLED is not true
		notes|AUTH_PROVIDER=none ${signed_in[*]}|the app needs sign-in, and AUTH_PROVIDER is neither jwt nor oidc
		notes|${signed_in[*]:1}|AUTH_AUDIENCE is not set
		notes|${signed_in[*]} VITE_OIDC_AUTHORITY=|VITE_OIDC_AUTHORITY is not set
		notes|${signed_in[*]} AUTH_ISSUER=|the app needs sign-in: set MOZAIKS_OIDC_AUTHORITY, or both AUTH_ISSUER and AUTH_JWKS_URL
		notes|${signed_in[*]} AUTH_JWKS_URL=|the app needs sign-in: set MOZAIKS_OIDC_AUTHORITY, or both AUTH_ISSUER and AUTH_JWKS_URL
		todo|${PUBLIC[*]} DATABASE_URL=|DATABASE_URL is not set
		todo|${PUBLIC[*]} MOZAIKS_APP_DATABASE_NAME=other|MOZAIKS_APP_DATABASE_NAME is other, and DATABASE_URL leads to $name: they must be the same
		todo|${PUBLIC[*]} MOZAIKS_APP_DATA_DATABASE_NAME=other|MOZAIKS_APP_DATA_DATABASE_NAME is other, and DATABASE_URL leads to $name: they must be the same
		todo.python-syntax|${PUBLIC[*]}|modules/tasks/handlers.py: can't be imported: SyntaxError: '(' was never closed (handlers.py, line 40)
	TABLE
	lay notes
	jq 'del(.authContract)' "$TOP/share/examples/notes/app.json" >"$APP/app.json"
	run host_run "$APP" "$name" "${signed_in[@]}"
	assert_output "host: the app can't be loaded: app.json: an app has either authRequired false or an authContract"
}

@test "a visitor has the permissions that the operator gave to visitors, and a token gives no other" {
	lay todo
	jq '.modules[0].actions |= map(select(.name == "delete").permission = "admin" | select(.name == "list").permission = "look")' \
	    "$TOP/share/examples/todo/app.json" >"$APP/app.json"
	issuer_start todo
	host_start "$APP" "$(database)" "${PUBLIC[@]}" AUTH_ANON_SCOPES=look AUTH_ANON_ROLES=admin AUTH_AUDIENCE=todo \
	    VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" AUTH_JWKS_URL="$ISSUER/keys"
	ask GET /api/session
	answers 200 '. == {user: null, roles: [], permissions: ["look"]}'
	act tasks/list '{}'
	answers 200
	as anna admin
	act tasks/delete '{"id": "x"}'
	answers 403
}

# ---- accounts

@test "an account is exported and deleted: its own rows only, and again without harm" {
	signed
	as anna notes.read notes.write
	for title in One Two; do act notes/create "{\"title\": \"$title\"}"; done
	as bert notes.read notes.write
	act notes/create '{"title": "Three"}'
	as anna
	ask GET /api/account/export
	answers 200 '.appId == "notes" and .user == "anna" and (.records | keys == ["note"]) and [.records.note[].title] == ["One", "Two"]'
	# The same database holds another app's rows of the same user, and the app gets another title.
	host_stop
	jq '.appId = "notes-2"' "$TOP/share/examples/notes/app.json" >"$APP/app.json"
	host_start "$APP" "$DATABASE" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" AUTH_JWKS_URL="$ISSUER/keys"
	as anna notes.write
	act notes/create '{"title": "Four"}'
	ask GET /api/account/export
	answers 200 '[.records.note[].title] == ["Four"]'
	host_stop
	jq '.title = "Another name"' "$TOP/share/examples/notes/app.json" >"$APP/app.json"
	host_start "$APP" "$DATABASE" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" AUTH_JWKS_URL="$ISSUER/keys"
	ask DELETE /api/account
	answers 200 '. == {deleted: 2}'
	ask DELETE /api/account
	answers 200 '. == {deleted: 0}'
	ask GET /api/account/export
	answers 200 '.records == {}'
	as bert
	ask GET /api/account/export
	answers 200 '[.records.note[].title] == ["Three"]'
	run /usr/lib/postgresql/15/bin/psql -h "$POSTGRES" -U sandbox "$DATABASE" -Atc 'SELECT app_id, user_id FROM app_records ORDER BY 1'
	assert_output "$(printf 'notes|bert\nnotes-2|anna')"
}

@test "a public app has no accounts: nobody's rows are everybody's to delete" {
	public todo
	act tasks/create '{"title": "x"}'
	ask DELETE /api/account
	answers 404
	ask GET /api/account/export
	answers 404
	act tasks/list '{}'
	answers 200 'length == 1'
}

@test "a unique value is one user's own: another may have it too" {
	lay notes
	jq '.dataContract = "contracts/data.json"' "$TOP/share/examples/notes/app.json" >"$APP/app.json"
	echo '{"entities": [{"name": "note", "fields": [{"name": "title", "type": "string", "required": true},
	    {"name": "text", "type": "string", "default": ""}, {"name": "tags", "type": "array", "default": []}],
	    "uniqueIndexes": [["title"]]}]}' >"$APP/contracts/data.json"
	signed
	as anna notes.write
	act notes/create '{"title": "One"}'
	answers 200
	act notes/create '{"title": "One"}'
	answers 422 '.detail == "title: is taken"'
	as bert notes.write
	act notes/create '{"title": "One"}'
	answers 200
}

# ---- the database

@test "records outlive the host; without the database the host says so, and goes on when it is back" {
	public todo
	act tasks/create '{"title": "Kept"}'
	host_stop
	host_start "$APP" "$DATABASE" "${PUBLIC[@]}"
	act tasks/list '{}'
	answers 200 'map(.title) == ["Kept"]'
	/usr/lib/postgresql/15/bin/psql -q -h "$POSTGRES" -U sandbox postgres -c "ALTER DATABASE $DATABASE ALLOW_CONNECTIONS false"
	ask GET /api/health
	answers 503 '.detail'
	act tasks/list '{}'
	answers 503 ".detail == \"the database can't be reached\""
	/usr/lib/postgresql/15/bin/psql -q -h "$POSTGRES" -U sandbox postgres -c "ALTER DATABASE $DATABASE ALLOW_CONNECTIONS true"
	ask GET /api/health
	answers 200
	act tasks/list '{}'
	answers 200 'length == 1'
}

@test "a page of another origin may ask only where the settings name it" {
	lay todo
	host_start "$APP" "$(database)" "${PUBLIC[@]}" CORS_ORIGINS=http://localhost:3000
	run curl -q -sS --noproxy '*' -i -X OPTIONS -H 'Origin: http://localhost:3000' -H 'Access-Control-Request-Method: POST' \
	    -H 'Access-Control-Request-Headers: content-type' "$HOST/api/modules/tasks/list"
	assert_output --partial 'access-control-allow-origin: http://localhost:3000'
	run curl -q -sS --noproxy '*' -i -X OPTIONS -H 'Origin: http://evil.example' -H 'Access-Control-Request-Method: POST' \
	    -H 'Access-Control-Request-Headers: content-type' "$HOST/api/modules/tasks/list"
	refute_output --partial 'access-control-allow-origin'
}
