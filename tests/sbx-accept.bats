#!/usr/bin/env bats
# sbx-accept - each rule has a bundle that breaks it alone; how the answers add up; what is trouble

load common
load accept
load host
bats_require_minimum_version 1.5.0

# ---- the rules and their bundles

@test "the examples fail no rule, and leave to the sandbox what only it can tell" {
	local example
	for example in todo notes inventory; do
		lay "$example"
		accept
		assert_success
		assert_equal "$stderr" ''
		holds '.acceptance | .status == "passed" and .failed == [] and .skipped == [] and .failures == [] and .warnings == []'
		holds '.acceptance.deferred == [{rule: "handlers_parse", step: "compileall"}, {rule: "app_loads", step: "imports"},
		    {rule: "runtime_smoke", step: "smoke"}]'
		holds '.acceptance.contract_version == "1.0" and .acceptance.snapshot_digest == .bundle.tar_sha256'
	done
}

# What decides a rule: "bundle", or a step of the profile.
decider() {
	sbx-accept --list --json | jq -r --arg rule "$1" 'select(.rule == $rule) | .step // "bundle"'
}

@test "every rule has a bundle that fails it and no other" {
	local rule seen=0
	for rule in $(sbx-accept --list --json | jq -r .rule); do
		case $(decider "$rule") in
		bundle) ;;
		*)
			"$TOP/tests/lay-rule" "$rule" "$BATS_TEST_TMPDIR/there"
			continue
			;;
		esac
		rm -rf "$bundle"
		"$TOP/tests/lay-rule" "$rule" "$bundle"
		accept
		fails "$rule"
		holds ".acceptance | .status == \"failed\" and all(.failures[]; .rule == \"$rule\" and .path != \"\")"
		holds '.acceptance.failures as $f | [.acceptance.checks[] | select(. == "failed")] | length == 1 and ($f | length >= 1)'
		seen=$((seen + 1))
	done
	[ "$seen" -ge 19 ]
}

@test "no rule has a bundle that nobody asks for" {
	local file
	for file in "$TOP"/tests/bundles/rules/*; do
		file=${file##*/}
		assert_exists "$TOP/share/rules/${file%.sh}.jq"
	done
}

# step_passes STEP - what a profile's step does, done here: the sandbox is sbx-check's business
step_passes() {
	case $1 in
	compileall) python3 -m compileall -q "$bundle" ;;
	imports) PLATFORM_PATH=$bundle python3 "$TOP/share/image/factory_app/load.py" ;;
	smoke) smoke "$bundle" ;;
	esac
}

@test "a rule that a step decides: its bundle fails that step and no rule, and no other bundle does" {
	local rule step
	require_host
	for rule in $(sbx-accept --list --json | jq -r 'select(.step).rule'); do
		rm -rf "$bundle"
		"$TOP/tests/lay-rule" "$rule" "$bundle"
		accept
		fails
		run ! step_passes "$(decider "$rule")"
	done
	for rule in $(sbx-accept --list --json | jq -r 'select(.step | not).rule'); do
		rm -rf "$bundle"
		"$TOP/tests/lay-rule" "$rule" "$bundle"
		step_passes compileall
		[ "$rule" = module_references ] || step_passes imports
	done
}

@test "in the sandbox, the step imports fails where a module can't be imported" {
	local step id
	require_docker
	for step in imports compileall; do
		rm -rf "$bundle"
		"$TOP/tests/lay-rule" "$([ $step = imports ] && echo app_loads || echo handlers_parse)" "$bundle"
		run --separate-stderr sh -c 'sbx-stage "$1" | sbx-accept | sbx-docker create | sbx-docker put | sbx-check | sbx-docker rm' \
		    sh "$bundle" < <(start_line)
		holds ".acceptance.failed == [] and ([.steps[] | select(.status == \"failed\").id] == [\"$step\"])"
		holds '.steps[] | select(.status == "failed") | .stderr_tail + .stdout_tail | contains("modules/tasks/handlers.py")'
	done
}

@test "what builds and only then fails is not acceptance's business" {
	local fault
	for fault in python-syntax unresolved-import missing-export type-error; do
		lay "todo.$fault"
		accept
		fails
		holds '.acceptance.status == "passed"'
	done
}

@test "profiles of other projects apply few rules, and pass" {
	local name
	for name in node python static; do
		lay "$name"
		accept "$name"
		assert_success
		assert_equal "$stderr" ''
		holds '.acceptance.status == "passed" and .acceptance.snapshot_digest == .bundle.tar_sha256'
		holds '.acceptance | .skipped == [] and .failures == [] and .checks == {bundle_scan: "passed"}'
	done
}

# ---- how the answers add up

@test "failed beats pending, pending beats passed, and nothing at all is pending" {
	own_share
	lay static
	change_profile static '.rules = []'
	accept static
	assert_failure 1
	holds '.acceptance | .status == "pending" and .completed == [] and .checks == {}'

	change_profile static '.rules = ["no_credentials", "runtime_smoke"]'
	accept static
	assert_failure 1
	holds '.acceptance | .status == "pending" and .completed == ["no_credentials"] and (has("snapshot_digest") | not)'
	holds '.acceptance.checks == {bundle_scan: "passed", app_runtime_smoke: "pending"}'

	echo x >"$bundle/.env"
	accept static
	fails no_credentials
	holds '.acceptance | .status == "failed" and .completed == [] and (.skipped | length == 1)'

	rm "$bundle/.env"
	change_profile static '.rules = ["no_credentials", "handlers_parse"] | .steps[0].id = "compileall"'
	accept static
	assert_success
	holds '.acceptance | .status == "passed" and .deferred == [{rule: "handlers_parse", step: "compileall"}]'
	holds '.acceptance.checks.module_implementation == "deferred"'

	change_profile static '.steps[0].id = "other"'
	accept static
	assert_failure 1
	holds '.acceptance.skipped == [{rule: "handlers_parse", reason: "profile static has no step compileall, which decides it"}]'

	change_profile static '.rules = ["handlers_parse"] | .steps[0].id = "compileall"'
	accept static
	assert_failure 1
	holds '.acceptance | .status == "pending" and .completed == []'
}

@test "a rule that breaks is skipped; one that can't be compiled, or talks nonsense, is trouble" {
	own_share
	lay static
	change_profile static '.rules = ["no_credentials", "odd"]'
	rule() {
		printf 'module {"title": "t", "reason": "r", "group": "bundle_scan"};\n%s\n' "$1" >"$SBX_SHARE/rules/odd.jq"
		accept static
	}
	rule 'def check: .files | keys[0] | error("no \u001b[31m way");'
	assert_failure 1
	holds '.acceptance.skipped == [{rule: "odd", reason: "the rule broke: no way"}] and .acceptance.status == "pending"'

	rule 'def check: {file: "a", failure: "first"}, error("x");'
	fails odd
	while read -r nonsense; do
		rule "def check: $nonsense;"
		assert_failure 2
		holds '.error.reason == "rules_failed" and (has("acceptance") | not)'
	done <<-'END'
		nonesuch
		{file: "a"}
		{failure: "x"}
		{file: "a", failure: "x", skip: "y"}
		{file: 1, failure: "x"}
		{file: "a", failure: null}
		{skip: ["x"]}
		[]
		1
		null
		{file: "a", failure: "x\u0000", more: 1}
		halt
		"x" | halt_error
	END
	printf 'def check: empty;\n' >"$SBX_SHARE/rules/odd.jq"
	accept static
	assert_failure 2
	printf 'module {"title": "t", "reason": "r", "group": 1};\ndef check: empty;\n' >"$SBX_SHARE/rules/odd.jq"
	accept static
	assert_failure 2
	rm "$SBX_SHARE/rules/odd.jq"
	accept static
	assert_failure 2
	holds '.error.reason == "rule_unknown"'
}

@test "without jq it is trouble, and so is a jq that ends badly" {
	lay static
	local staged
	staged=$(start_line | sbx-stage -p static "$bundle")
	run --separate-stderr env PATH=/nonexistent "$BUILD/bin/sbx-accept" <<<"$staged"
	assert_failure 2
	holds '.error.reason == "rules_failed" and (.error.message | startswith("jq: "))'
	mkdir "$BATS_TEST_TMPDIR/bin"
	for body in 'exit 5' 'echo "[]"' 'kill -9 $$' 'yes "[]"' 'echo "["' ':'; do
		printf '#!/bin/sh\n%s\n' "$body" >"$BATS_TEST_TMPDIR/bin/jq"
		chmod +x "$BATS_TEST_TMPDIR/bin/jq"
		run --separate-stderr env PATH="$BATS_TEST_TMPDIR/bin:$PATH" "$BUILD/bin/sbx-accept" <<<"$staged"
		assert_failure 2
		run jq -r .error.reason <<<"$output"
		assert_output rules_failed
	done
}

@test "neither the user's own jq programs nor the environment have a say" {
	lay static
	echo 'def failure(a; b): empty; def test(r): false; def select(f): empty;' >"$BATS_TEST_TMPDIR/.jq"
	echo x >"$bundle/.env"
	HOME=$BATS_TEST_TMPDIR JQ_LIBRARY_PATH=$BATS_TEST_TMPDIR accept static
	fails no_credentials
}

@test "a rule without end is ended by a signal, with its whole process" {
	own_share
	lay static
	change_profile static '.rules = ["endless"]'
	printf 'module {"title": "t", "reason": "r", "group": "g"};\ndef check: "%s" as $mark | repeat(empty), (def f: f; f);\n' \
	    endless-mark >"$SBX_SHARE/rules/endless.jq"
	start_line | sbx-stage -p static "$bundle" >"$BATS_TEST_TMPDIR/staged"
	sbx-accept <"$BATS_TEST_TMPDIR/staged" >"$BATS_TEST_TMPDIR/out" 3>&- &
	local pid=$! tries=0 status=0
	until pgrep -P "$pid" -x jq >"$BATS_TEST_TMPDIR/jq" || [ $((tries += 1)) -gt 200 ]; do
		sleep 0.05
	done
	kill -TERM "$pid"
	wait "$pid" || status=$?
	assert_equal "$status" 143
	run kill -0 "$(cat "$BATS_TEST_TMPDIR/jq")"
	assert_failure
	run jq -r .error.reason "$BATS_TEST_TMPDIR/out"
	assert_output stopped
}

@test "a rule that is too slow is ended by the deadline, and that is trouble" {
	own_share
	lay static
	change_profile static '.rules = ["endless"]'
	printf 'module {"title": "t", "reason": "r", "group": "g"};\ndef check: def f: f; f;\n' >"$SBX_SHARE/rules/endless.jq"
	accept static
	assert_failure 2
	holds '.error.reason == "rules_failed" and (.error.message | contains("in time"))'
}

# ---- the staged bundle

@test "a tar or a manifest that is not what was staged is trouble" {
	lay static
	start_line | sbx-stage -p static "$bundle" >"$BATS_TEST_TMPDIR/staged"
	local manifest tar
	manifest=$(jq -r .bundle.manifest "$BATS_TEST_TMPDIR/staged")
	tar=$(jq -r .bundle.tar "$BATS_TEST_TMPDIR/staged")
	reason() {
		run --separate-stderr sbx-accept <"$BATS_TEST_TMPDIR/staged"
		assert_failure 2
		assert_equal "$(jq -r .error.reason <<<"$output")" "$1"
	}
	cp "$manifest" "$BATS_TEST_TMPDIR/manifest"
	local filter
	for filter in '.files[0].size += 1' 'del(.files[0])' '.files[0].path += "x"' 'del(.files[0].sha256)' \
	    '.files += [{path: "more", bundle_path: "more", size: 0, sha256: "0"}]' '.files[0].bundle_path = 1'; do
		jq -c "$filter" "$BATS_TEST_TMPDIR/manifest" >"$manifest"
		reason bundle_changed
	done
	for filter in '.files[1].path = .files[0].path' '.files[0].path = 1' 'del(.files)' '.files = {}'; do
		jq -c "$filter" "$BATS_TEST_TMPDIR/manifest" >"$manifest"
		reason "$([ "${filter#*.files[}" != "$filter" ] && [ "${filter#del}" = "$filter" ] && echo manifest_invalid || echo bundle_changed)"
	done
	echo '[' >"$manifest"
	reason manifest_invalid
	rm "$manifest"
	reason bundle_missing
	cp "$BATS_TEST_TMPDIR/manifest" "$manifest"
	echo >>"$tar"
	reason bundle_changed
	rm "$tar"
	reason bundle_missing
	start_line >"$BATS_TEST_TMPDIR/staged"
	reason bundle_missing
}

@test "an acceptance that is there already is not replaced" {
	lay static
	accept static
	run --separate-stderr sbx-accept <<<"$output"
	assert_failure 2
	holds '.error.reason == "member_exists"'
}

@test "what is too large to be looked at keeps acceptance from passing" {
	lay static
	head -c 4194305 /dev/zero | tr '\0' a >"$bundle/large.txt"
	accept static
	assert_failure 1
	holds '.acceptance.status == "pending" and (.acceptance.skipped[0].reason | contains("large.txt") and contains("4 MiB"))'

	# A file with a NUL is no text, however large.
	printf '\0' | dd of="$bundle/large.txt" conv=notrunc status=none
	accept static
	assert_success

	rm "$bundle/large.txt"
	local i
	for i in 1 2 3 4 5; do
		head -c 4000000 /dev/zero | tr '\0' $i >"$bundle/$i.txt"
	done
	accept static
	assert_failure 1
	holds '.acceptance.skipped[0].reason | contains("5.txt") and contains("16 MiB")'

	# Found is found all the same.
	echo x >"$bundle/.env"
	accept static
	fails no_credentials
}

@test "a document that is too large to be parsed keeps acceptance from passing" {
	lay todo
	change app.json '.dataContract = "contracts/data.json"'
	mkdir "$bundle/contracts"
	head -c 1048577 /dev/zero | tr '\0' ' ' >"$bundle/contracts/data.json"
	accept
	waits
	holds '[.acceptance.skipped[] | select(.rule == "declared_documents" or .rule == "data_contract")] | length == 2'
	printf '[%s0]' "$(yes 0, | head -n 200000 | tr -d '\n')" >"$bundle/contracts/data.json"
	accept
	waits
	holds '.acceptance.skipped[] | select(.rule == "declared_documents").reason | contains("200000 values")'
}

@test "of many failures the first are kept, the others counted, and the line stays within its bounds" {
	lay todo
	change app.json '.pages = [range(300) | {path: "/p\(.)", title: "p", component: "pages/\(. + 100 | tostring | . * 300).tsx"}]'
	accept
	fails page_references
	holds '.acceptance.failures | length == 100'
	holds '.acceptance.omitted == 100'
	[ "${#output}" -lt 1048576 ]
	holds 'all(.acceptance.failures[].message; length <= 300)'
}

@test "what the bundle says is harmless to a terminal" {
	lay todo
	change app.json '.pages[0].component = "pages/\u001b[31mx\u0007\u0085.tsx"'
	accept
	fails page_references
	[[ $stderr != *$'\033'* ]]
	holds '.acceptance.failures[0].message | explode | all(. >= 32 and . != 127 and (. < 128 or . > 159))'
}

# ---- the list

@test "the list: every rule once, with title, reason, group and profiles" {
	run sbx-accept -l
	assert_success
	assert_line 'app_shape: app.json has the shape of sbx-bundle(5)'
	assert_line '    profiles: mozaiks node python static'
	assert_line '    profiles: mozaiks; decided in the sandbox by the step imports'
	run sbx-accept --list --json
	assert_success
	[ "$(wc -l <<<"$output")" -eq "$(ls "$TOP"/share/rules/*.jq | wc -l)" ]
	run jq -se 'all(.[]; (.title | length > 20) and (.reason | length > 20) and (.profiles | length > 0) and
	    (.group | test("^(schema_quality|planned_completeness|bundle_scan|module_wiring|module_implementation|functional_completeness|workflow_integration|app_runtime_load|app_runtime_smoke)$")))' <<<"$output"
	assert_success
	run sbx-accept --json
	assert_failure 2
	run sbx-accept operand
	assert_failure 2
}

@test "every rule that a profile names is there" {
	for rule in $(jq -r '.rules[]' "$TOP"/share/profiles/*.json); do
		assert_exists "$TOP/share/rules/$rule.jq"
	done
}

@test "a profile's rules: names, each once" {
	own_share
	lay static
	for rules in '"x"' '["A"]' '["../x"]' '["no_credentials", "no_credentials"]' '[1]' '["_x"]' '["a.b"]'; do
		change_profile static ".rules = $rules"
		run --separate-stderr sbx-accept --list
		assert_failure 2
		[[ $stderr == *'static.json: rules'* ]]
	done
}

# ---- the loader in the image

@test "load: what keeps the host from calling a handler" {
	local text message
	while IFS='|' read -r text message; do
		lay todo
		change app.json '.modules[0].actions[2].handler = "own.py:get"'
		printf '%b' "$text" >"$bundle/modules/tasks/own.py"
		PLATFORM_PATH=$bundle run --separate-stderr python3 "$TOP/share/image/factory_app/load.py"
		assert_failure 1
		[[ $stderr == *"$message"* ]] || { echo "$stderr" && false; }
	done <<-'END'
		import nonesuch\n|No module named 'nonesuch'
		raise SystemExit(0)\n|SystemExit: 0
		import os\nos._exit(0)\n|an import ended the process
		x = (\n|SyntaxError
		from tasks import handlers\n|No module named 'tasks'
		|modules/tasks/own.py: get is no async function
		def get(ctx, payload): return 1\n|get is no async function
		async def get(ctx): return 1\n|get does not take (ctx, payload)
		async def get(ctx, payload, more): return 1\n|get does not take (ctx, payload)
	END
	while IFS='|' read -r text; do
		lay todo
		change app.json '.modules[0].actions[2].handler = "own.py:get"'
		printf '%b' "$text" >"$bundle/modules/tasks/own.py"
		PLATFORM_PATH=$bundle run python3 "$TOP/share/image/factory_app/load.py"
		assert_success
		assert_output ''
	done <<-'END'
		from .handlers import get\n
		async def get(ctx, payload, *, deep=False): return 1\n
		import threading, time\nthreading.Thread(target=time.sleep, args=(60,)).start()\nasync def get(ctx, payload): return 1\n
		import subprocess\nsubprocess.Popen(["sleep", "60"], stdout=-3, stderr=-3)\nasync def get(ctx, payload): return 1\n
	END
}
