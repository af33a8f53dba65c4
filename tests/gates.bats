#!/usr/bin/env bats
# gates - the whole of a validation on a real Engine: acceptance, the build, whose fault it was, who is asked, how it ends

load common

setup() {
	common_setup
	require_docker
	BUNDLE=$BATS_TEST_TMPDIR/bundle
	SHARE=$BATS_TEST_TMPDIR/share
	profile .
}

# profile FILTER - the canonical profile without what only the runtime can tell, changed by jq's filter
profile() {
	[ -d "$SHARE" ] || cp -R "$TOP/share" "$SHARE"
	jq '.rules -= ["runtime_smoke", "app_loads"] | .steps |= map(select(.id != "imports")) | del(.smoke)' "$TOP/share/profiles/mozaiks.json" |
	    jq "$1" >"$SHARE/profiles/mozaiks.json"
	export SBX_SHARE=$SHARE
}

bundle() {
	rm -rf "$BUNDLE"
	"$TOP/tests/lay-bundle" "$1" "$BUNDLE"
}

# inventory [FILTER] - each file of the bundle has a task of its own, whose work was accepted, but for what jq's filter changes
inventory() {
	(cd "$BUNDLE" && find . -type f -printf '%P\n' | sort) | jq -Rn '[inputs] | {sbx_inventory: 1, series: "registry-1",
	    plan: map({task_id: ., task_type: "file", initial_agent: "Agent of \(.)", owned_paths: [.], depends_on: []}),
	    evidence: (map({key: ., value: {status: "accepted"}}) | from_entries)}' | jq "${1:-.} | .executed = .plan" >"$BATS_TEST_TMPDIR/plan"
	jq --arg sha256 "$(jq -cjS .plan "$BATS_TEST_TMPDIR/plan" | sha256sum | cut -d' ' -f1)" '.plan_sha256 = $sha256' \
	    "$BATS_TEST_TMPDIR/plan" >"$BATS_TEST_TMPDIR/inventory"
}

validate() {
	run --separate-stderr sbx-validate "$@" "$BUNDLE"
}

# repaired - the same with the inventory
repaired() {
	validate --inventory "$BATS_TEST_TMPDIR/inventory"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-5000 <<<"$output"; return 1; }
}

# spy PROVIDER - from here on each verb of its program is noted in the file verbs
spy() {
	mkdir -p "$BATS_TEST_TMPDIR/spy"
	: >"$BATS_TEST_TMPDIR/verbs"
	printf '#!/bin/sh\necho "$1" >>"%s"\nexec "%s" "$@"\n' "$BATS_TEST_TMPDIR/verbs" "$BUILD/bin/sbx-$1" \
	    >"$BATS_TEST_TMPDIR/spy/sbx-$1"
	chmod +x "$BATS_TEST_TMPDIR/spy/sbx-$1"
	PATH=$BATS_TEST_TMPDIR/spy:$PATH
}

# two_checks STRATEGY - with no failure, with the first check failing, with the second failing
two_checks() {
	local name statuses
	while read -r name statuses; do
		bundle "$name"
		[ "$name" != todo.missing-export ] || echo '// BROKEN' >>"$BUNDLE/pages/Open.tsx"
		: >"$BATS_TEST_TMPDIR/verbs"
		validate --strategy "$1"
		holds "[.steps[].status] == $statuses"
		holds '[.steps[] | [.command, .cwd]] == [["python -m compileall -q .", "/workspace"],
		    ["node /opt/mozaiks/web_shell/node_modules/vite/bin/vite.js build --outDir /workspace/build", "/opt/mozaiks/web_shell"]]'
		holds '.result | has("preview_url") and .preview_url == null and .sandbox_terminated'
		assert_equal "$(xargs <"$BATS_TEST_TMPDIR/verbs")" 'create put rm'
	done <<-'END'
		todo.type-error ["passed","passed"]
		todo.python-syntax ["failed","not_run"]
		todo.missing-export ["passed","failed"]
	END
}

@test "docker: no failure, the first check fails, the second fails: two exact commands, one teardown, no URL" {
	spy docker
	two_checks docker
	assert_equal "$(containers_of "$(jq -r .run <<<"$output")")" 0
}

@test "local: the same" {
	require_local
	stand_in_shell "$BATS_TEST_TMPDIR/shell"
	export SBX_SHELL=$BATS_TEST_TMPDIR/shell
	spy local
	two_checks local
	assert_equal "$(ls "$SBX_STATE/local")" engine
}

@test "the layout that the checks see, and their environment: nothing of the host's" {
	profile '.steps[0].command = "env; echo; find /workspace -type f | LC_ALL=C sort"'
	bundle todo.type-error
	export E2B_API_KEY=hostsecret1 OPENAI_API_KEY=hostsecret2 MOZAIKS_PREVIEW_ENV_TOKEN=hostsecret3 MONGO_URI=hostsecret4
	validate
	holds '.result.build_output | contains("hostsecret") | not'
	holds '.result.build_output | test("\nMOZAIKS_APP_WORKSPACE_PATH=/workspace\n") and test("\nPLATFORM_PATH=/workspace/app\n") and test("\nCI=1\n")'
	holds '.result.build_output | contains("\n/workspace/app/app.json\n") and contains("\n/workspace/app/pages/Open.tsx\n")'
}

@test "commands that the bundle brings are not run" {
	profile '.rules -= ["no_npm_project", "root_files"]'
	bundle todo.type-error
	echo '{"scripts":{"build":"echo AGENT","preinstall":"echo AGENT","test":"echo AGENT"}}' >"$BUNDLE/package.json"
	validate
	assert_success
	holds '([.steps[].id] == ["compileall", "vite_build"]) and (.result.build_output | contains("AGENT") | not)'
}

@test "app.json and app/app.json: refused before anything is allocated" {
	spy docker
	bundle todo.type-error
	mkdir -p "$BUNDLE/app" && cp "$BUNDLE/app.json" "$BUNDLE/app/app.json"
	validate
	assert_failure 1
	holds '.error.by == "sbx-stage" and (has("sandbox") | not) and .result.validation_status == "failed"'
	assert_equal "$(cat "$BATS_TEST_TMPDIR/verbs")" ''
}

@test "both gates passed: ready, and the record may be exported but not promoted" {
	bundle todo.type-error
	validate
	assert_success
	holds '.verdict.ready and .verdict.gates == {acceptance: "passed", build: "passed"}'
	run sbx-verdict --gate export "$(jq -r .record.id <<<"$output")"
	assert_success
	assert_output --partial 'export: yes'
	run sbx-verdict --gate promote "$(cut -d' ' -f3 <<<"$output" | tr -d ,)"
	assert_failure 1
	assert_line 'No review of that bundle has passed.'
}

@test "acceptance fails: no sandbox, the build pending; skip changes nothing of that" {
	local strategy
	spy docker
	bundle todo.type-error
	jq '.pages[0].component = "pages/None.tsx"' "$BUNDLE/app.json" >"$BATS_TEST_TMPDIR/app.json"
	cp "$BATS_TEST_TMPDIR/app.json" "$BUNDLE/app.json"
	for strategy in docker skip; do
		validate --strategy "$strategy"
		assert_failure 1
		holds '.acceptance.status == "failed" and .result.validation_status == "pending" and .result.success == false'
		holds '.result.validation_strategy == "skip" and .verdict.ready == false and .record.id'
		run sbx-verdict --gate export "$(jq -r .record.id <<<"$output")"
		assert_failure 1
	done
	assert_equal "$(cat "$BATS_TEST_TMPDIR/verbs")" ''
}

@test "acceptance that fails goes to the task that owns the document" {
	bundle todo.type-error
	jq '.pages[0].component = "pages/None.tsx"' "$BUNDLE/app.json" >"$BATS_TEST_TMPDIR/app.json"
	cp "$BATS_TEST_TMPDIR/app.json" "$BUNDLE/app.json"
	inventory
	repaired
	assert_failure 1
	holds '.verdict.bundle_repair.target_agent == "Agent of app.json" and .verdict.ends == false'
}

@test "acceptance pending for want of a smoke test: the build passes, the whole does not" {
	profile '.rules += ["runtime_smoke"]'
	bundle todo.type-error
	validate
	assert_failure 1
	holds '.acceptance.status == "pending" and .result.success and .verdict.ready == false and .verdict.readiness == "pending"'
	holds '.verdict.message | startswith("A validation that is required did not complete") and contains("runtime_smoke")'
	run sbx-verdict --gate export "$(jq -r .record.id <<<"$output")"
	assert_line 'Acceptance has not passed.'
}

@test "a build failure in a file that a task owns: it is asked, and acceptance stays passed" {
	bundle todo.unresolved-import
	inventory
	repaired
	assert_failure 1
	holds '.acceptance.status == "passed" and .verdict.gates == {acceptance: "passed", build: "failed"} and .verdict.ends == false'
	holds '.result.bundle_repair.repair_request | .target_agent == "Agent of components/TaskList.tsx"
	    and .allowed_paths == ["components/TaskList.tsx"]'
	holds '.result.parsed_errors[0] | .file == "components/TaskList.tsx" and .line == 2'
}

@test "a missing export: who imports it is asked, not who should have exported it" {
	bundle todo.missing-export
	inventory
	repaired
	holds '.result.bundle_repair.target_agent == "Agent of pages/Open.tsx" and .result.parsed_errors[0].line == 3'
}

@test "Python that does not compile: its owner is asked" {
	bundle todo.python-syntax
	inventory
	repaired
	holds '.result.bundle_repair | .status == "needs_revision" and (.repair_request.allowed_paths[0] | endswith(".py"))'
}

# ended REASON - nobody is asked, for that reason; the run ends with a message, and acceptance is still passed
ended() {
	assert_failure 1
	holds ".verdict.ends and (.verdict.repair.blocks | any(.reason == \"$1\")) and .acceptance.status == \"passed\""
	holds '.result.bundle_repair.repair_request == null and (.verdict.message | startswith("What is wrong with the bundle could not be repaired"))'
}

@test "nobody's file, no evidence, nothing parsed, nothing left to try: the run ends with a message" {
	bundle todo.unresolved-import
	inventory '.plan |= map(select(.task_id != "components/TaskList.tsx")) | del(.evidence["components/TaskList.tsx"])'
	repaired
	ended owner_missing
	inventory '.series = "b" | del(.evidence["components/TaskList.tsx"])'
	repaired
	ended evidence_missing
	profile '.steps[1].command = "echo went wrong >&2; exit 3"'
	inventory '.series = "c"'
	repaired
	ended owner_missing
	profile .
	inventory '.series = "d"'
	spend
	repaired
	ended attempts_exhausted
}

# spend - both attempts of the series are used up, and were answered
spend() {
	local task
	for task in app.json pages/Open.tsx; do
		start_line docker | sbx-stage "$BUNDLE" | jq -c --arg task "$task" '.acceptance = {status: "failed",
		    failures: [{rule: "r", path: $task, message: "m"}]}' |
		    { sbx-verdict --inventory "$BATS_TEST_TMPDIR/inventory" || true; } >"$BATS_TEST_TMPDIR/spent"
		start_line docker | sbx-stage "$BUNDLE" |
		    sbx-verdict --answer "$(jq -r .verdict.repair.request_id "$BATS_TEST_TMPDIR/spent")" >"$BATS_TEST_TMPDIR/answered"
	done
}

@test "the same bundle with the same failure, twice: the second run says so" {
	bundle todo.missing-export
	validate
	holds '.verdict.no_progress == false'
	validate
	holds '.verdict.no_progress and (.verdict.message | startswith("The bundle is the same as in the run before"))'
}

# answered NAME - that bundle, as the answer to what was asked
answered() {
	local request
	request=$(jq -r .verdict.repair.request_id <<<"$output")
	bundle "$1"
	validate --inventory "$BATS_TEST_TMPDIR/inventory" --answer "$request"
}

@test "an answer that puts it right makes the next run ready" {
	bundle todo.missing-export
	inventory
	repaired
	answered todo
	assert_success
	holds '.answer.admitted and .answer.written == 1 and .verdict.ready and .verdict.ends == false'
}

@test "an answer that goes beyond its files sees no sandbox; the run ends, and is recorded" {
	spy docker
	bundle todo.missing-export
	inventory
	repaired
	: >"$BATS_TEST_TMPDIR/verbs"
	answered todo.unresolved-import
	assert_failure 1
	holds '.error.reason == "answer_rejected" and (has("sandbox") or has("acceptance") | not) and .record.id'
	holds '.verdict.ends and .result.validation_status == "failed" and (.result | has("infrastructure_failure") | not)'
	assert_equal "$(cat "$BATS_TEST_TMPDIR/verbs")" ''
}

@test "a provider that is gone: the environment failed, and nobody is asked" {
	bundle todo.missing-export
	inventory
	DOCKER_SANDBOX_IMAGE=sbx-none:local validate --inventory "$BATS_TEST_TMPDIR/inventory"
	assert_failure 2
	holds '.result.infrastructure_failure and (.verdict | has("repair") | not) and .acceptance.status == "passed"'
	holds '.verdict.message | startswith("The environment that validates apps was not available")'
}
