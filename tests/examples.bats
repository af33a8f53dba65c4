#!/usr/bin/env bats
# examples - packed the same way each time, complete, and their handlers do what their pages ask

load common

setup() {
	common_setup
	out=$BATS_TEST_TMPDIR/out
}

# host APP - answers the calls on stdin
host() {
	python3 "$TOP/tests/example_host.py" "$TOP/share/examples/$1"
}

@test "packing gives the same bytes whatever the checkout's dates and modes" {
	"$TOP/contrib/pack-examples" "$out"
	cp -R "$TOP/share" "$TOP/contrib" "$BATS_TEST_TMPDIR"
	find "$BATS_TEST_TMPDIR/share/examples" -type f -exec chmod 600 {} + -exec touch {} +
	TZ=Asia/Tokyo "$BATS_TEST_TMPDIR/contrib/pack-examples" "$out-again"
	run diff -r "$out" "$out-again"
	assert_success
	run unzip -Z1 "$out/todo.zip"
	assert_line app.json
	assert_line pages/Open.tsx
	assert_output "$(unzip -Z1 "$out/todo.zip" | LC_ALL=C sort)"
	for example in "$TOP"/share/examples/*/; do
		unzip -q "$out/$(basename "$example").zip" -d "$out/$(basename "$example")"
		run diff -r -x __pycache__ "$example" "$out/$(basename "$example")"
		assert_success
	done
}

@test "every reference of every app.json resolves" {
	for app in "$TOP"/share/examples/*/; do
		jq -r '(.pages[].component), (.modules[] | .path as $p | .actions[] | $p + "/" + (.handler | split(":")[0])),
			(.theme, .dataContract, .authContract | select(.)), (.assets // [])[],
			((.workflows // [])[] | "workflows/\(.)/workflow.json")' "$app/app.json" >"$BATS_TEST_TMPDIR/references"
		assert [ -s "$BATS_TEST_TMPDIR/references" ]
		while read -r reference; do assert_file_exist "$app/$reference"; done <"$BATS_TEST_TMPDIR/references"
		find "$app" -name '*.json' -exec jq -e . {} + >/dev/null
	done
}

@test "the apps differ as their kinds say" {
	run jq -c '[.appId, .authRequired, has("authContract"), has("dataContract"), has("workflows")]' \
	    "$TOP"/share/examples/{todo,notes,inventory}/app.json
	assert_line --index 0 '["todo",false,false,false,false]'
	assert_line --index 1 '["notes",true,true,false,false]'
	assert_line --index 2 '["inventory",false,false,true,true]'
	# What an action asks for is declared, and somebody has it.
	run jq -s '([.[0].modules[].actions[].permission] - .[1].permissions), (.[1].permissions - [.[1].roles[][]]) | length' \
	    "$TOP"/share/examples/notes/{app.json,contracts/auth.json}
	assert_output "$(printf '0\n0')"
}

@test "todo: create, list, update, get, delete, and what is refused" {
	run host todo <<'CALLS'
[["tasks", "create", {"title": " Water the plants ", "due": "2026-12-31"}],
 ["tasks", "create", {"title": "Call home"}],
 ["tasks", "list", {"done": false}],
 ["tasks", "update", {"id": "$0.id", "done": true}],
 ["tasks", "list", {"done": false}],
 ["tasks", "get", {"id": "$0.id"}],
 ["tasks", "delete", {"id": "$0.id"}],
 ["tasks", "get", {"id": "$0.id"}],
 ["tasks", "create", {"title": ""}],
 ["tasks", "create", {"title": "x", "due": "soon"}],
 ["tasks", "update", {"id": "$1.id", "done": "yes"}],
 ["tasks", "delete", {}]]
CALLS
	assert_success
	assert_line --index 0 '{"done": false, "due": "2026-12-31", "id": "1", "title": "Water the plants"}'
	assert_line --index 2 --regexp '^\[.*Water the plants.*Call home.*\]$'
	assert_line --index 3 --partial '"done": true'
	assert_line --index 4 '[{"done": false, "due": null, "id": "2", "title": "Call home"}]'
	assert_line --index 5 --partial 'Water the plants'
	assert_line --index 6 '{"deleted": true}'
	assert_line --index 7 '{"detail": "no such task", "error": "LookupError"}'
	assert_line --index 8 --partial '"error": "ValueError"'
	assert_line --index 9 --partial 'due: must be a date'
	assert_line --index 10 --partial 'done: must be true or false'
	assert_line --index 11 --partial LookupError
}

@test "notes: tags, search and limits" {
	run host notes <<'CALLS'
[["notes", "create", {"title": "Bread", "text": "Flour, water, salt", "tags": ["Food", "food ", "recipe"]}],
 ["notes", "create", {"title": "Antenna"}],
 ["notes", "list", {}],
 ["notes", "list", {"search": "FLOUR recipe"}],
 ["notes", "update", {"id": "$0.id", "text": "Flour"}],
 ["notes", "create", {"title": 7}],
 ["notes", "update", {"id": "9", "title": "x"}],
 ["notes", "delete", {"id": "$1.id"}],
 ["notes", "list", {}]]
CALLS
	assert_success
	assert_line --index 0 --partial '"tags": ["food", "recipe"]'
	assert_line --index 2 --regexp 'Antenna.*Bread'
	assert_line --index 3 --partial Bread
	refute_line --index 3 --partial Antenna
	assert_line --index 4 --partial '"text": "Flour", "title": "Bread"'
	assert_line --index 5 --partial ValueError
	assert_line --index 6 --partial LookupError
	refute_line --index 8 --partial Antenna
}

@test "inventory: defaults, the unique sku, and the workflow from low stock to an order received" {
	run jq -r '.steps[].action' "$TOP/share/examples/inventory/workflows/restock/workflow.json"
	assert_output "$(printf 'items.low\norders.draft')"
	run host inventory <<'CALLS'
[["items", "create", {"sku": "ab-1", "name": "Bolt"}],
 ["items", "create", {"sku": "AB-1", "name": "Nut"}],
 ["items", "create", {"sku": "C-2", "name": "Cable", "quantity": 50, "place": "Shelf 3"}],
 ["items", "low", {}],
 ["orders", "draft", {"items": "$3.items"}],
 ["orders", "draft", {"items": "$3.items"}],
 ["orders", "receive", {"id": "1"}],
 ["items", "get", {"id": "$0.id"}],
 ["orders", "receive", {"id": "1"}],
 ["items", "update", {"id": "$0.id", "quantity": -1}],
 ["items", "list", {"place": "Shelf 3"}]]
CALLS
	assert_success
	assert_line --index 0 '{"id": "1", "name": "Bolt", "place": "", "quantity": 0, "reorder_at": 5, "sku": "AB-1"}'
	assert_line --index 1 '{"detail": "sku: is taken", "error": "ValueError"}'
	assert_line --index 3 --partial '"sku": "AB-1"'
	refute_line --index 3 --partial '"C-2"'
	assert_line --index 4 '{"orders": [{"id": "1", "quantity": 10, "sku": "AB-1", "status": "draft"}]}'
	assert_line --index 5 '{"orders": []}'
	assert_line --index 6 --partial '"status": "received"'
	assert_line --index 7 --partial '"quantity": 10'
	assert_line --index 8 --partial 'the order is received already'
	assert_line --index 9 --partial ValueError
	assert_line --index 10 --partial '"C-2"'
}

@test "the packed examples are ready, from end to end" {
	require_docker
	"$TOP/contrib/pack-examples" "$out"
	for example in todo notes inventory; do
		sbx-validate --quiet --strategy docker "$out/$example.zip" >"$BATS_TEST_TMPDIR/line"
		run jq -c '[.bundle.app_id, .smoke.status, .result.validation_status, .verdict.ready, .teardown.confirmed]' "$BATS_TEST_TMPDIR/line"
		assert_output "[\"$example\",\"passed\",\"passed\",true,true]"
	done
}
