#!/usr/bin/env bats
# sbx-verdict - every way a run can end has its words, and none of them says more than is known

load common

setup() {
	common_setup
	run_id=$(new_run)
	files=$SBX_STATE/runs/$run_id
}

# line FILTER - a start line with what the jq filter adds to it
line() {
	start_line docker "$run_id" | jq -c "$1"
}

# The parts of a run that went well, for profile $1 whose steps are $2.
good() {
	local steps
	steps=$(jq -nc --arg ids "$2" '$ids | split(" ") | map({id: ., title: "do \(.)", command: "run \(.)", cwd: "/workspace",
	    status: "passed", exit_code: 0, duration_ms: 5, limit_ms: 120000, stdout_tail: "", stderr_tail: "", cut: false})')
	line ". + {bundle: {sha256: \"ab12\", files: 3, profile: \"$1\"}, sandbox: {provider: \"docker\", id: \"beef\"},
	    put: {verified: true}, steps: $steps, teardown: {confirmed: true, result: \"confirmed\"}}"
}

# steps_of PROFILE - their ids
steps_of() {
	jq -r '[.steps[].id] | join(" ")' "$SBX_SHARE/profiles/$1.json"
}

# verdict LINE - its exit status in $status, the line it wrote in $output
verdict() {
	run --separate-stderr sbx-verdict <<<"$1"
}

# holds FILTER - the jq filter is true of the line written
holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-3000 <<<"$output"; return 1; }
}

bats_require_minimum_version 1.5.0

@test "checks passed, sandbox gone, nothing else needed: ready, 0" {
	verdict "$(good static references)"
	assert_success
	assert_equal "$stderr" ''
	holds '.result.success and .result.validation_status == "passed" and .result.errors == []'
	holds '.verdict.ready and .verdict.readiness == "ready" and .verdict.reasons == []'
	holds '.verdict.claims | length == 4 and any(startswith("There is an index.html"))'
	holds '.verdict.not_claimed | any(contains("valid HTML")) and any(contains("acceptance"))'
}

@test "the result has the contract's fields and no others; there is never a preview URL" {
	verdict "$(good static references)"
	holds '.result | keys_unsorted == ["success", "validation_strategy", "validation_status", "strategy_reason",
	    "build_output", "errors", "warnings", "preview_url", "test_results", "parsed_errors", "sandbox_session_id",
	    "sandbox_provider", "sandbox_terminated", "build_output_truncated"]'
	holds '.result | has("preview_url") and .preview_url == null and .sandbox_session_id == "beef"'
	holds '.result | .sandbox_provider == "docker" and .sandbox_terminated == true and .strategy_reason == "test"'
}

@test "without a sandbox its three fields are absent" {
	verdict "$(line .)"
	assert_failure 1
	holds '.result | [has("sandbox_session_id", "sandbox_provider", "sandbox_terminated", "infrastructure_failure")] | any | not'
	holds '.result.validation_status == "pending" and .verdict.readiness == "pending"'
}

@test "a profile that needs acceptance is pending without it, though its build passed" {
	verdict "$(good mozaiks "$(steps_of mozaiks)")"
	assert_failure 1
	holds '.result.success and .result.validation_status == "passed"'
	holds '.verdict.ready == false and .verdict.readiness == "pending"'
	holds '.verdict.reasons == [{gate: "acceptance", reason: "acceptance_absent",
	    message: "Acceptance has not run, and is needed beside the build."}]'
	holds '.verdict.not_claimed | any(startswith("Whether types are right"))'
}

@test "acceptance decides together with the build" {
	local good
	good=$(good mozaiks "$(steps_of mozaiks)")
	verdict "$(jq -c '.acceptance = {status: "passed"}' <<<"$good")"
	assert_success
	holds '.verdict.ready and (.verdict.not_claimed | any(contains("acceptance")) | not)'
	verdict "$(jq -c '.acceptance = {status: "pending"}' <<<"$good")"
	assert_failure 1
	holds '.verdict.readiness == "pending" and .verdict.reasons[0].reason == "acceptance_pending"'
	verdict "$(jq -c '.acceptance = {status: "failed"}' <<<"$good")"
	assert_failure 1
	holds '.verdict.readiness == "failed" and .result.validation_status == "passed"'
}

@test "acceptance that ran counts even where the profile does not ask for it" {
	verdict "$(good static references | jq -c '.acceptance = {status: "failed"}')"
	assert_failure 1
	holds '.verdict.readiness == "failed"'
}

@test "a step that failed: which, how, and what was not reached" {
	verdict "$(good mozaiks "$(steps_of mozaiks)" |
	    jq -c '.steps[0] += {status: "failed", exit_code: 1} | .steps[1:][] |= (.status = "not_run" | del(.exit_code))')"
	assert_failure 1
	holds '.result.validation_status == "failed" and .result.success == false'
	holds '.result.errors == ["Step \"do compileall\" failed: `run compileall` ended with status 1."]'
	holds '.result | has("infrastructure_failure") | not'
	holds '.verdict.not_claimed | any(startswith("What these steps would have found, which did not run: ") and contains("do vite_build"))'
	holds '.verdict.claims | any(startswith("Every Python")) | not'
}

@test "a step that was killed, and one that took too long" {
	verdict "$(good static references | jq -c '.steps[0] += {status: "failed", exit_code: 137}')"
	assert_failure 1
	holds '.result.errors[0] | contains("ended by signal 9, as happens when the sandbox has no memory left")'
	verdict "$(good static references | jq -c '.steps[0] += {status: "timed_out", exit_code: 124}')"
	assert_failure 1
	holds '.result.errors == ["Step \"do references\" did not end within its time limit: `run references`."]'
}

@test "strategy skip: skipped is no success, and a warning says what it is worth" {
	verdict "$(start_line skip "$run_id")"
	assert_failure 1
	holds '.result | .success == false and .validation_status == "skipped" and .validation_strategy == "skip"'
	holds '.result.warnings[0] | startswith("Nothing was executed") and contains("(test)") and contains("no export")'
	holds '.verdict.readiness == "skipped" and .verdict.reasons[0].reason == "strategy_skip"'
}

@test "skip certifies nothing, whatever steps the line has" {
	verdict "$(good static references | jq -c '.strategy.name = "skip"')"
	assert_failure 1
	holds '.result.validation_status == "skipped" and .verdict.ready == false'
}

@test "teardown not confirmed: failed, in doubt, and the sandbox's id in the error" {
	local teardown
	for teardown in '{"confirmed":false,"result":"unconfirmed"}' '{"confirmed":false,"result":"refused"}' null; do
		verdict "$(good static references | jq -c ".teardown = $teardown")"
		assert_failure 3
		holds '.result | .success == false and .validation_status == "failed" and .infrastructure_failure == true'
		holds '.result.sandbox_terminated == false and .result.sandbox_session_id == "beef"'
		holds '.result.errors | length == 1 and (.[0] | contains("sbx-docker rm beef"))'
		holds '.verdict.not_claimed | any(. == "That the sandbox is gone.")'
	done
	verdict "$(good static references | jq -c 'del(.teardown)')"
	assert_failure 3
}

@test "an unconfirmed teardown does not hide why the build failed" {
	verdict "$(good static references | jq -c '.steps[0] += {status: "failed", exit_code: 1} | .teardown.confirmed = false
	    | .error = {by: "sbx-docker", reason: "teardown_unconfirmed", message: "beef: may still exist", status: 3}')"
	assert_failure 3
	holds '.result.errors | length == 2 and (.[0] | contains("ended with status 1")) and (.[1] | contains("rm beef"))'
}

@test "a create in doubt is in doubt without a sandbox, too" {
	verdict "$(line '.error = {by: "sbx-docker", reason: "create_unconfirmed", message: "no answer", status: 3}')"
	assert_failure 3
	holds '.result.infrastructure_failure and (.result.errors[0] | contains("says nothing about the bundle"))'
	verdict "$(line '.error = {by: "sbx-docker", reason: "stage_died", message: "died", status: 137}
	    | .teardown = {confirmed: false, result: "unconfirmed"}')"
	assert_failure 3
	holds ".result.errors[1] | contains(\"sbx-docker rm --run $run_id\")"
}

@test "a refused bundle is the bundle's fault" {
	verdict "$(line '.error = {by: "sbx-stage", reason: "name_escapes", message: "app.zip: entry 3: ../x", status: 1}')"
	assert_failure 1
	holds '.result.errors == ["The bundle was refused before anything of it ran: app.zip: entry 3: ../x."]'
	holds '.result | has("infrastructure_failure") | not'
	holds '.verdict.reasons[0] | .gate == "bundle" and .reason == "name_escapes"'
}

@test "what went wrong on our side is never the bundle's fault, and its status stays" {
	verdict "$(line '.error = {by: "sbx-docker", reason: "image_missing", message: "x: no such image", status: 2}')"
	assert_failure 2
	holds '.result.infrastructure_failure and .result.validation_status == "failed"'
	holds '.result.errors[0] | contains("says nothing about the bundle: x: no such image")'
	holds '.verdict.not_claimed[0] == "Whether the bundle builds."'
	verdict "$(line '.error = {by: "sbx-stage", reason: "read_failed", message: "app.zip: no such file", status: 2}')"
	assert_failure 2
	holds '.result.infrastructure_failure'
	verdict "$(line 'del(.strategy) | .error = {by: "sbx-resolve", reason: "strategy_invalid", message: "bad", status: 2}')"
	assert_failure 2
	holds '.result.validation_strategy == "skip" and .verdict.reasons[0].gate == "strategy"'
	verdict "$(line '.error = {by: "sbx-check", reason: "stopped", message: "stopped", status: 130}')"
	assert_failure 130
	holds '.result.errors[0] | startswith("The run was ended by signal 2")'
}

@test "steps that are not the profile's prove nothing" {
	local filter
	for filter in '.steps = []' '.steps[1:] = []' '.steps[0].id = "other"' '.steps |= reverse' '.steps += [.steps[0]]' \
	    '.bundle.profile = "static"' 'del(.bundle.profile)'; do
		verdict "$(good mozaiks "$(steps_of mozaiks)" | jq -c "$filter")"
		assert_failure 1
		holds '.result.validation_status == "failed" and .result.infrastructure_failure'
		holds '.verdict.reasons[0].reason == "steps_differ"'
	done
	verdict "$(good static references | jq -c '.steps[0].status = "fine"')"
	assert_failure 1
	holds '.verdict.reasons[0].reason == "step_unknown"'
}

@test "a profile that nobody has is our trouble" {
	verdict "$(good nonesuch references)"
	assert_failure 1
	holds '.result.infrastructure_failure and (.result.errors | length == 1)'
	holds '.verdict.reasons[0].reason == "profile_unknown"'
}

@test "build_output is each command with what it printed" {
	mkdir -p "$files"
	printf 'one\n' >"$files/step-1.log"
	printf 'two' >"$files/step-2.log"
	verdict "$(good mozaiks "$(steps_of mozaiks)" |
	    jq -c --arg dir "$files" '.steps |= .[:2] | .steps[0].output = $dir + "/step-1.log" | .steps[1].output = $dir + "/step-2.log"')"
	holds '.result.build_output == "$ \(.steps[0].command)\none\n$ \(.steps[1].command)\ntwo"'
	holds '.result | has("build_output_truncated") | not'
}

@test "of much output the end is kept, cut between characters, and the line says so" {
	mkdir -p "$files"
	{ head -c 200001 /dev/zero | tr '\0' 'x' && printf 'a\0b\377%.0s' {1..9000} && yes ä | head -n 12000 && echo end; } \
	    >"$files/step-1.log"
	verdict "$(good static references | jq -c --arg dir "$files" '.steps[0].output = $dir + "/step-1.log"')"
	holds '.result.build_output_truncated and (.result.build_output | endswith("ä\nend\n"))'
	holds '.result.build_output | utf8bytelength <= 200000 and contains("a\ufffdb\ufffd")'
	sbx-verdict <<<"$(jq -c 'del(.result, .verdict)' <<<"$output")" >"$BATS_TEST_TMPDIR/again"
	[ "$(wc -c <"$BATS_TEST_TMPDIR/again")" -lt 1000000 ]
}

@test "output that only says bells still fits into a line" {
	mkdir -p "$files"
	head -c 300000 /dev/zero | tr '\0' '\007' >"$files/step-1.log"
	good static references | jq -c --arg dir "$files" '.steps[0].output = $dir + "/step-1.log"' | sbx-verdict |
	    jq -c 'del(.result, .verdict)' | sbx-verdict >/dev/null
}

@test "only regular files of the run's own directory are output" {
	local path
	mkdir -p "$files/sub"
	echo secret >"$files/sub/x"
	echo secret >"$BATS_TEST_TMPDIR/secret"
	ln -s "$BATS_TEST_TMPDIR/secret" "$files/link"
	mkfifo "$files/pipe"
	for path in "$BATS_TEST_TMPDIR/secret" "$files/link" "$files/sub/x" "$files/../$run_id/sub/x" "$files/pipe" "$files/none"; do
		verdict "$(good static references | jq -c --arg path "$path" '.steps[0] += {output: $path, stdout_tail: "tail"}')"
		holds '.result.build_output == "$ run references\ntail\n" and .result.build_output_truncated'
	done
}

@test "a warning on standard error of a step that passed becomes a warning, without what terminals obey" {
	verdict "$(good static references |
	    jq -c '.steps[0].stderr_tail = "fine\n\u001b[33m(!) Warning:\u001b[0m old\u0007 \u009b1mapi\n\u001b]0;warning\u0007\n"')"
	assert_success
	holds '.result.warnings == ["(!) Warning: old 1mapi"]'
	verdict "$(good static references | jq -c '.steps[0] += {status: "failed", exit_code: 1, stderr_tail: "warning: x"}')"
	holds '.result.warnings == []'
}

@test "a sandbox without walls: its result says so" {
	verdict "$(good static references | jq -c '.sandbox.confined = false')"
	assert_success
	holds '.result.warnings | any(startswith("The sandbox was not confined"))'
	holds '.verdict.not_claimed | any(startswith("That this machine is as it was"))'
	verdict "$(good static references | jq -c '.sandbox.confined = true')"
	holds '.result.warnings == []'
}

@test "texts of others can't run away with a sentence" {
	verdict "$(line '.error = {by: "sbx-docker", reason: "x", message: ("\u001b[2J" + "ab\n" * 2000), status: 2}')"
	assert_failure 2
	holds '.result.errors[0] | test("[\u0000-\u001f]") | not'
	holds '.result.errors[0] | utf8bytelength <= 1500 and endswith("…")'
}

@test "a line without a run or anything else still gets its verdict" {
	verdict '{"sbx":1}'
	assert_failure 1
	holds '.verdict.readiness == "pending" and .result.validation_strategy == "skip"'
}

@test "result and verdict are never replaced" {
	verdict "$(line '.verdict = {ready: true}')"
	assert_failure 2
	holds '.error.reason == "member_exists" and .verdict == {ready: true}'
}

@test "acceptance that failed: the build is pending, with the strategy that was used for it: none" {
	verdict "$(line '. + {bundle: {sha256: "ab12", profile: "mozaiks"}, acceptance: {status: "failed", failures: [
	    {rule: "page_references", path: "app.json", message: "names pages/x.jsx"}]}}')"
	assert_failure 1
	holds '.result | .success == false and .validation_status == "pending" and .validation_strategy == "skip"'
	holds '.result | .strategy_reason == "acceptance must pass first" and .errors == [] and (has("infrastructure_failure") | not)'
	holds '.verdict | .readiness == "failed" and (.reasons | map(.reason)) == ["acceptance_first", "acceptance_failed"]'
	holds '.verdict.reasons[1].message | contains("app.json: names pages/x.jsx")'
}

@test "acceptance that failed keeps a skipped build pending, too" {
	verdict "$(start_line skip "$run_id" | jq -c '.acceptance = {status: "failed"}')"
	holds '.result.validation_status == "pending" and .result.strategy_reason == "acceptance must pass first"'
	verdict "$(start_line skip "$run_id" | jq -c '.acceptance = {status: "passed"}')"
	assert_failure 1
	holds '.result.validation_status == "skipped" and .verdict.readiness == "skipped"'
}

@test "a build that failed later leaves acceptance passed" {
	verdict "$(good mozaiks "$(steps_of mozaiks)" | jq -c '.acceptance = {status: "passed"} | .steps[-1] += {status: "failed", exit_code: 1}')"
	assert_failure 1
	holds '.acceptance.status == "passed" and .verdict.gates == {acceptance: "passed", build: "failed"}'
	holds '.verdict.readiness == "failed" and .result.success == false'
}

@test "a rule that a step decides is passed, failed or open as the step is" {
	local good
	good=$(good static references | jq -c '.acceptance = {status: "passed", deferred: [{rule: "loads", step: "references"}]}')
	verdict "$good"
	assert_success
	holds '.verdict.gates.acceptance == "passed"'
	verdict "$(jq -c '.steps[0] += {status: "failed", exit_code: 1}' <<<"$good")"
	holds '.verdict.gates.acceptance == "failed" and (.verdict.reasons | any(.message | contains("Rule loads of acceptance")))'
	verdict "$(jq -c '.acceptance.deferred[0].step = "other"' <<<"$good")"
	assert_failure 1
	holds '.verdict.readiness == "pending" and .verdict.gates.acceptance == "pending" and .result.success'
	verdict "$(jq -c '.steps[0].status = "not_run"' <<<"$good")"
	holds '.verdict.ready == false and .verdict.gates.acceptance == "pending"'
}

@test "a rule that the smoke decides is passed, failed or open as the smoke is" {
	local good
	good=$(good mozaiks "$(steps_of mozaiks)" | jq -c '.acceptance = {status: "passed", completed: ["app_shape"],
	    deferred: [{rule: "runtime_smoke", step: "smoke"}]} | .smoke = {status: "passed", checks: []}')
	verdict "$good"
	assert_success
	holds '.verdict.gates == {acceptance: "passed", build: "passed"} and (.verdict.claims | any(startswith("The app ran on the reference host")))'
	verdict "$(jq -c '.smoke = {status: "skipped", reason: "database_missing", message: "there is no program postgres"}' <<<"$good")"
	assert_failure 1
	holds '.verdict | .readiness == "pending" and .gates == {acceptance: "pending", build: "passed"}'
	holds '.verdict.reasons[0].message | contains("runtime_smoke") and contains("was not tried: there is no program postgres")'
	holds '.verdict.claims | any(startswith("The app ran")) | not'
	for gone in 'del(.smoke)' '.smoke.status = "error"' '.smoke.status = "fine"'; do
		verdict "$(jq -c "$gone" <<<"$good")"
		assert_failure 1
		holds '.verdict | .readiness == "pending" and .gates.acceptance == "pending"'
	done
}

@test "an app that failed when it ran: acceptance failed, nothing was built, and each failed check is a problem of its file" {
	verdict "$(good mozaiks "$(steps_of mozaiks)" | jq -c '.acceptance = {status: "passed", deferred: [{rule: "app_loads", step: "imports"},
	    {rule: "runtime_smoke", step: "smoke"}]} | .steps[].status = "not_run" | .smoke = {status: "failed", reason: "check_failed", message: "m",
	    checks: [{id: "a", status: "passed"}, {id: "b", status: "failed", path: "modules/a.py", message: "lost it"},
	    {id: "c", status: "failed", message: "and more"}]}')"
	assert_failure 1
	holds '.verdict | .readiness == "failed" and .gates == {acceptance: "failed", build: "pending"} and (has("infrastructure_failure") | not)'
	holds '.verdict.message | contains("modules/a.py: lost it") and contains("- and more")'
	holds '[.verdict.reasons[].gate] == ["build", "acceptance"]'
	holds '.result | .validation_status == "pending" and .errors == [] and (has("infrastructure_failure") | not)'
	verdict "$(good mozaiks "$(steps_of mozaiks)" | jq -c '.acceptance = {status: "passed", deferred: [{rule: "runtime_smoke", step: "smoke"}]} |
	    .steps[].status = "not_run" | .smoke = {status: "failed", reason: "smoke_timed_out", message: "no end", checks: []}')"
	holds '.verdict.message | contains("the runtime smoke failed: no end")'
}

@test "a profile without rules needs no acceptance, though its line says that nothing was accepted" {
	verdict "$(good static references | jq -c '.acceptance = {status: "pending", completed: [], failed: [], skipped: [], deferred: []}')"
	assert_success
	holds '.verdict.gates.acceptance == "not_needed"'
	verdict "$(good mozaiks "$(steps_of mozaiks)" | jq -c '.acceptance = {status: "pending", completed: []}')"
	holds '.verdict.gates.acceptance == "pending"'
}

@test "acceptance whose word nobody knows is pending, and says what was skipped" {
	verdict "$(good static references | jq -c '.acceptance = {status: "fine"}')"
	assert_failure 1
	holds '.verdict.readiness == "pending"'
	verdict "$(good static references | jq -c '.acceptance = {status: "pending", skipped: [range(5) | {rule: "r\(.)", reason: "no database"}]}')"
	holds '.verdict.reasons[0].message | contains("r0: no database; ") and contains("r2") and contains("and 2 more")'
}

# ---- the gates of export and promotion

# kept FILTER - a line for which everything speaks, changed by jq's filter, in the ledger; its id in $id
kept() {
	id=$(good static references | jq -c '.bundle += {sha256: ("a" * 64), tar_sha256: ("b" * 64)}
	    | .acceptance = {status: "passed", snapshot_digest: ("b" * 64), completed: ["r"]}' | { sbx-verdict || true; } |
	    jq -c "${1:-.}" | { sbx-record || true; } | jq -r .record.id)
}

@test "export: yes for a record of a bundle that passed both gates, with its digest" {
	kept
	run sbx-verdict --gate export "$id"
	assert_success
	assert_output "export: yes: $id, the bundle with SHA-256 $(printf 'a%.0s' {1..64})"
}

@test "promote: no without a review, whatever else passed" {
	kept
	run sbx-verdict --gate promote "$id"
	assert_failure 1
	assert_line --partial 'promote: no'
	assert_line 'No review of that bundle has passed.'
}

# reviewed [FILTER] - a review of that bundle that passed, changed by jq's filter, in the ledger
reviewed() {
	run sbx-record < <(start_line | jq -c ". + {purpose: \"artifact_preview\", bundle: {sha256: (\"a\" * 64), app_id: \"todo\"},
	    put: {verified: true}, review: {status: \"passed\", app_id: \"todo\", bundle_sha256: (\"a\" * 64)}} | ${1:-.}")
}

@test "promote: yes with a passed review of the same bundle, whichever was kept first" {
	kept
	reviewed
	assert_success
	run sbx-verdict --gate promote "$id"
	assert_success
	assert_output "promote: yes: $id, the bundle with SHA-256 $(printf 'a%.0s' {1..64})"
	kept
	run sbx-verdict --gate promote "$id"
	assert_success
	# What may not be exported may not be promoted, whoever looked at it.
	kept '.result.success = false'
	run sbx-verdict --gate promote "$id"
	assert_failure 1
	assert_line 'The build has not passed.'
}

@test "promote: no for a review of anything else, or that does not say all it must" {
	local why filter
	kept
	while IFS='|' read -r why filter; do
		reviewed "$filter"
		run sbx-verdict --gate promote "$id"
		[ "$status" -eq 1 ] && grep -qF "$why" <<<"$output" || { echo "$filter: $status $output"; return 1; }
	done <<-'END'
		No review|.review.bundle_sha256 = ("b" * 64)
		No review|del(.review.bundle_sha256)
		No review|del(.review) | .note = ("a" * 64)
		The last review|.review.status = "failed"
		The last review|del(.review.status)
		The last review|.put.verified = false
		The last review|del(.put)
		The last review|.review.app_id = "notes"
		The last review|del(.bundle.app_id)
		The last review|.bundle.sha256 = ("b" * 64)
	END
}

@test "promote: the last review counts, and only in a ledger that verifies" {
	kept
	reviewed
	reviewed '.review.status = "failed"'
	assert_failure 1
	run sbx-verdict --gate promote "$id"
	assert_failure 1
	assert_line 'The last review of that bundle has not passed.'
	run sbx-verdict --gate export "$id"
	assert_success
	ledger "UPDATE records SET line = replace(line, '\"status\":\"failed\",\"app_id\"', '\"status\":\"passed\",\"app_id\"') WHERE seq = 3"
	run --separate-stderr -2 sbx-verdict --gate promote "$id"
	assert_equal "$output" ''
	[[ $stderr == *'the ledger does not verify'* ]]
}

@test "export: no for each thing that is missing, and it says which" {
	local why filter
	while IFS='|' read -r why filter; do
		kept "${filter//OR/|}"
		run sbx-verdict --gate export "$id"
		[ "$status" -eq 1 ] && grep -qF "$why" <<<"$output" || { echo "$filter: $status $output"; return 1; }
	done <<-'END'
		Acceptance has not passed.|del(.acceptance)
		Acceptance has not passed.|.acceptance.status = "pending"
		Acceptance has not passed.|.acceptance.status = "failed"
		Acceptance has not passed.|.acceptance.deferred = [{rule: "r", step: "none"}]
		Acceptance was not of what was built|.acceptance.snapshot_digest = "c"
		Acceptance was not of what was built|del(.acceptance.snapshot_digest)
		The build has not passed.|.result.validation_status = "skipped"
		The build has not passed.|.result.validation_status = "pending"
		The build has not passed.|.result.success = false
		The build has not passed.|del(.result)
		Nobody verified|del(.put)
		Nobody confirmed|.teardown.confirmed = false
		Its verdict is not|.verdict.ready = false
		It names no bundle.|del(.bundle.sha256)
		It names no bundle.|.bundle.sha256 = "x"
		the record of no validation|.purpose = "artifact_preview"
	END
}

@test "skipped and pending runs are never exported" {
	id=$(start_line skip | { sbx-verdict || true; } | { sbx-record || true; } | jq -r .record.id)
	run sbx-verdict --gate export "$id"
	assert_failure 1
	assert_line 'The build has not passed.'
}

# ledger SQL - done behind the programs' backs
ledger() {
	python3 -c 'import sqlite3, sys; sqlite3.connect(sys.argv[1], isolation_level=None).execute(sys.argv[2])' "$SBX_STATE/sbx.db" "$1"
}

@test "a ledger that does not verify answers nothing" {
	local first
	kept
	first=$id
	kept
	ledger "UPDATE records SET line = replace(line, '\"beef\"', '\"dead\"') WHERE seq = 1"
	for id in "$first" "$id"; do
		run --separate-stderr sbx-verdict --gate export "$id"
		assert_failure 2
		assert_equal "$output" ''
		[[ $stderr == *'the ledger does not verify'* ]]
	done
	ledger 'DELETE FROM records WHERE seq = 1'
	run -2 sbx-verdict --gate export "$id"
	assert_output --partial 'the ledger does not verify'
}

@test "a record that is not there, an id that is none, words that are none: 1 or 2" {
	run -1 sbx-verdict --gate export av_0123456789abcdef01234567
	assert_output --partial 'no such record'
	local use
	for use in '--gate export' '--gate export x' '--gate import av_0123456789abcdef01234567' '--gate export a b' 'x' \
	    '--gate export --inventory x av_0123456789abcdef01234567'; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 sbx-verdict $use </dev/null
		assert_equal "$output" ''
		assert_equal "${#stderr_lines[@]}" 1
	done
}

@test "a gate that can't say so does not say yes" {
	kept
	run -2 sh -c "sbx-verdict --gate export $id >/dev/full 2>/dev/null"
}
