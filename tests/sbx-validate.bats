#!/usr/bin/env bats
# sbx-validate - whatever happens to a stage or to the workflow: the sandbox is removed, the end is recorded, the status is told

load common

bats_require_minimum_version 1.5.0

setup() {
	common_setup
	unset E2B_TIMEOUT
	PLAY=$BATS_TEST_TMPDIR/play
	mkdir -p "$PLAY"
	export PLAY
}

# ---- the real programs on a real Engine

# nothing_left - no container, in any state, and no file of the run whose line is in $output
nothing_left() {
	assert_equal "$(containers_of "$(jq -r .run <<<"$output")")" 0
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

bundle() {
	"$TOP/tests/lay-bundle" "$1" "$BATS_TEST_TMPDIR/bundle"
}

validate() {
	run --separate-stderr sbx-validate "$@"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-3000 <<<"$output"; return 1; }
}

@test "a static site is ready, and nothing is left" {
	require_docker
	bundle static
	validate --profile static "$BATS_TEST_TMPDIR/bundle"
	assert_success
	assert_equal "${#lines[@]}" 1
	holds '.verdict.ready and .result.validation_status == "passed" and .result.preview_url == null'
	holds '.teardown.confirmed and .result.sandbox_terminated and .strategy.name == "docker"'
	nothing_left
	run sbx-record verify
	assert_success
}

@test "a profile without rules is ready by its steps alone" {
	require_docker
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	SBX_SHARE=$BATS_TEST_TMPDIR/share
	jq '.name = "bare" | .rules = []' "$TOP/share/profiles/static.json" >"$SBX_SHARE/profiles/bare.json"
	"$TOP/tests/lay-bundle" static "$BATS_TEST_TMPDIR/bundle"
	run --separate-stderr sbx-validate --profile bare "$BATS_TEST_TMPDIR/bundle"
	assert_success
	jq -e '.verdict.ready and .acceptance.status == "pending"' <<<"$output"
}

@test "the pipeline of the manual, typed by hand" {
	require_docker
	bundle static
	cd "$BATS_TEST_TMPDIR/bundle" && zip -q -X -D -r ../site.zip . && cd ..
	sed -n '/^The same by hand/,/^.Ed/p' "$TOP/man/sbx-validate.1" | sed -n '/^sbx-resolve/,/sbx-record$/p' >by-hand
	run --separate-stderr sh <by-hand
	assert_success
	holds '.verdict.ready and .record.seq == 1'
	assert_equal "$(containers_of "$(jq -r .run <<<"$output")")" 0
}

@test "the canonical example runs and builds: it is ready" {
	require_docker
	validate "$TOP/share/examples/todo"
	assert_success
	holds '.result.validation_status == "passed" and .verdict.ready and .smoke.status == "passed"'
	holds '[.steps[].status] == ["passed", "passed", "passed"]'
	holds '.result.build_output | contains("$ python -m compileall -q .") and contains("vite.js build --outDir /workspace/build")'
	nothing_left
}

@test "a bundle that does not build is told so, on standard error too, and recorded" {
	require_docker
	bundle todo.python-syntax
	validate "$BATS_TEST_TMPDIR/bundle"
	assert_failure 1
	holds '.result.validation_status == "failed" and ([.steps[].status] == ["failed", "not_run", "not_run"])'
	holds '.result | has("infrastructure_failure") | not'
	[[ $stderr == *"SyntaxError: '(' was never closed"* ]]
	nothing_left
	run sbx-record list --status failed
	assert_line --partial 'docker'
}

@test "INT during a check: the sandbox is gone, the end recorded, 130" {
	require_docker
	slow_profile
	env --default-signal=INT sbx-validate --profile slow "$BATS_TEST_TMPDIR/bundle" >"$PLAY/line" 2>"$PLAY/err" 3>&- &
	until_grep 'put  *ok' "$PLAY/err"
	until_true has_exec
	kill -INT $!
	ended $!
	assert_failure 130
	holds '.error.by == "sbx-check" and .error.status == 143 and .teardown.confirmed and .record.seq == 1'
	holds '.steps[0].status == "error" and .result.infrastructure_failure'
	nothing_left
}

@test "a check that is killed: the line it was given is kept, the sandbox removed, the end recorded" {
	require_docker
	slow_profile
	sbx-validate --profile slow "$BATS_TEST_TMPDIR/bundle" >"$PLAY/line" 2>"$PLAY/err" 3>&- &
	until_grep 'put  *ok' "$PLAY/err"
	until_true has_exec
	kill -KILL "$(pgrep -P "$(pgrep -P $!)")"
	ended $!
	assert_failure 137
	holds '.error.by == "sbx-check" and .error.reason == "stage_died" and .teardown.confirmed and .record.seq == 1'
	nothing_left
}

@test "any program killed at any step that leaves a trace: nothing is left, and the end is told" {
	require_docker
	bundle static
	play_killed_once
	points=$(grep -oh 'crash_point("[a-z.]*")' "$TOP"/lib/*.c | cut -d'"' -f2 | sort -u)
	# Only where something else went wrong, or in a preview, are they reached; sbx-docker.bats kills there. Other providers have
	# their own.
	points=$(grep -vx 'docker\.create\.undone\|docker\.exec\.launched\|local\..*\|e2b\..*' <<<"$points")
	[ "$(wc -w <<<"$points")" -ge 15 ]
	for point in $points; do
		killed_at "$point" docker
		nothing_left || { echo "at $point"; return 1; }
	done
}

# killed_at POINT STRATEGY - a program is killed there, and the end is told and recorded
killed_at() {
	rm -f "$PLAY/crashed"
	SBX_CRASH=$1 validate -q --strategy "$2" --profile static "$BATS_TEST_TMPDIR/bundle"
	[ -e "$PLAY/crashed" ] || { echo "$1: not reached"; return 1; }
	[ "$status" -eq 137 ] || [ "$status" -eq 3 ] || { echo "$1: status $status"; return 1; }
	holds '.verdict.ready == false or .error.by == "sbx-record"'
	sbx-record verify >/dev/null
}

@test "the same with the strategy local: no workspace, no mount, no file is left" {
	require_local
	bundle static
	local_profile
	play_killed_once
	points=$(grep -oh 'crash_point("local[a-z.]*")' "$TOP"/lib/*.c | cut -d'"' -f2 | sort -u)
	[ "$(wc -w <<<"$points")" -ge 6 ]
	for point in $points; do
		killed_at "$point" local
		assert_equal "$(ls "$SBX_STATE/runs")" ''
		assert_equal "$(ls "$SBX_STATE/local")" engine || { echo "at $point"; return 1; }
		run grep -F "$SBX_STATE" /proc/self/mounts
		assert_failure 1
	done
}

# The profile static with a step that any machine can carry out, and a shell for local sandboxes.
local_profile() {
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	SBX_SHARE=$BATS_TEST_TMPDIR/share
	jq '.steps = [.steps[0] | {id, title, cwd, limit_s, command: "test -e index.html"}]' "$TOP/share/profiles/static.json" \
	    >"$SBX_SHARE/profiles/static.json"
	stand_in_shell "$BATS_TEST_TMPDIR/shell"
	export SBX_SHELL=$BATS_TEST_TMPDIR/shell
}

@test "the strategy local, from the bundle to the evidence: no preview, nothing left" {
	require_local
	bundle static
	local_profile
	validate --strategy local --profile static "$BATS_TEST_TMPDIR/bundle"
	assert_success
	holds '.verdict.ready and .result.validation_strategy == "local" and .result.sandbox_provider == "local" and .result.preview_url == null'
	assert_equal "$(ls "$SBX_STATE/local")" engine
	assert_equal "$(ls "$SBX_STATE/runs")" ''
	SBX_LOCAL_UNCONFINED=1 validate --strategy local --profile static "$BATS_TEST_TMPDIR/bundle"
	assert_success
	holds '.result.warnings | any(startswith("The sandbox was not confined"))'
	SBX_SHELL=$BATS_TEST_TMPDIR/none validate --strategy local --profile static "$BATS_TEST_TMPDIR/bundle"
	assert_failure 2
	holds '.result.infrastructure_failure and .error.by == "sbx-local"'
}

# All programs made so that SBX_CRASH kills one of them, and only once in a run.
play_killed_once() {
	local program
	make -s -C "$TOP" FAULTS=1 CFLAGS=-O0 BUILD="$BATS_TEST_TMPDIR/faults" all
	for program in resolve stage accept docker local check diagnose verdict record; do
		play "sbx-$program" <<-END
			[ ! -e "\$PLAY/crashed" ] || unset SBX_CRASH
			"$BATS_TEST_TMPDIR/faults/bin/sbx-$program" "\$@"
			status=\$?
			[ \$status -ne 137 ] || { echo >"\$PLAY/crashed"; kill -KILL \$\$; }
			exit \$status
		END
	done
}

# A profile of one step that takes longer than any test, in a share directory of the test's own.
slow_profile() {
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	SBX_SHARE=$BATS_TEST_TMPDIR/share
	jq '.name = "slow" | .steps[0] += {command: "touch /tmp/begun; sleep 77"}' "$TOP/share/profiles/static.json" \
	    >"$SBX_SHARE/profiles/slow.json"
	bundle static
}

until_true() {
	local tries
	for tries in {1..300}; do
		"$@" && return
		sleep 0.1
	done
	echo "never: $*" >&2
	return 1
}

# ended PID - wait for a validation in the background: how it ended in $status, its line in $output
ended() {
	status=0
	wait "$1" || status=$?
	output=$(<"$PLAY/line")
}

until_grep() {
	until_true grep -q "$@" 2>/dev/null
}

# The sandbox of the only run that is under way executes a command.
has_exec() {
	local run
	run=$(ls "$SBX_STATE/runs")
	docker_api GET "/containers/json?filters=%7B%22label%22%3A%5B%22sbx.run%3D$run%22%5D%7D" | jq -r '.[].Id' |
	    while read -r id; do docker_api GET "/containers/$id/json" | jq -e '.ExecIDs | length > 0'; done | grep -q true
}

# ---- played parts: what no real stage would do when asked to

# play NAME - a program of that name, from standard input, before the real one
play() {
	{ echo '#!/bin/sh' && cat; } >"$PLAY/$1"
	chmod +x "$PLAY/$1"
	PATH=$PLAY:${PATH#"$PLAY":}
}

# A chain that goes well without an Engine. Each call of sbx-docker is noted in the file calls.
play_all() {
	play sbx-resolve <<-'END'
		echo '{"sbx":1,"run":"'"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"'","strategy":{"name":"docker","reason":"x"}}'
	END
	play sbx-stage <<-'END'
		jq -c '.bundle = {sha256: "ab", files: 1, profile: "static"}'
	END
	play sbx-docker <<-'END'
		echo "$*" >>"$PLAY/calls"
		case "$*" in
		*--run*) ;;
		create*) jq -c '.sandbox = {provider: "docker", id: "beef"}' ;;
		put*) jq -c '.put = {verified: true}' ;;
		rm*) jq -c '.teardown = {confirmed: true, result: "confirmed"}' ;;
		esac
	END
	play sbx-accept <<-'END'
		jq -c '.acceptance = {status: "passed", completed: ["r"]}'
	END
	play sbx-check <<-'END'
		jq -c '.steps = [{id: "references", title: "t", command: "c", status: "passed"}]'
	END
	play sbx-diagnose <<-'END'
		case "$*" in *--format*) ;; *) exec jq -c '.diagnostics = []' ;; esac
		echo "$*" >>"$PLAY/diagnose"
		jq -r '"found in \(.run)"'
	END
}

# play_verb PATTERN - what the played sbx-docker does for such a call, from standard input
play_verb() {
	{ echo "case \"\$*\" in $1)" && echo 'echo "$*" >>"$PLAY/calls"' && cat && echo "exit ;; esac" &&
	    sed 1d "$PLAY/sbx-docker"; } >"$PLAY/new"
	play sbx-docker <"$PLAY/new"
}

calls() {
	cat "$PLAY/calls" 2>/dev/null | grep -c "$1" || true
}

@test "the played chain goes well" {
	play_all
	validate x
	assert_success
	holds '.verdict.ready and .record.seq == 1'
	assert_equal "$(cat "$PLAY/calls")" "$(printf 'create --timeout 120\nput\nrm')"
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

@test "one line a stage on standard error; nothing of it with -q" {
	play_all
	validate x
	assert_equal "$(sed 's/ *[0-9.]* s$//; s/^sbx-validate: //; s/  */ /' <<<"$stderr")" \
	    "$(printf '%s ok\n' resolve stage accept create put check diagnose teardown verdict record && echo ready)"
	validate -q x
	assert_success
	assert_equal "$stderr" ''
	assert_equal "${#lines[@]}" 1
}

@test "a gate that fails leads to teardown, verdict and record, and its status is told" {
	local gate status
	for status in 1 2 3 75; do
		for gate in put check; do
			play_all
			rm -f "$PLAY/calls"
			play_failing "$gate" "$status"
			validate x
			assert_failure "$status"
			holds ".error.status == $status and .teardown.confirmed and .result.success == false and .record.id"
			assert_equal "$(calls '^rm$')" 1
		done
	done
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

play_failing() {
	if [ "$1" = put ]; then play_verb 'put*'; else play sbx-check; fi <<-END
		jq -c '.error = {by: "sbx-$1", reason: "x", message: "x", status: $2}'
		exit $2
	END
}

@test "a stage that says no is told as no, and so is a verdict; what only passes on is fine" {
	play_all
	play sbx-check <<-'END'
		jq -c '.steps = [{id: "references", title: "t", command: "c", status: "failed", exit_code: 1}]'
		exit 1
	END
	validate x
	assert_failure 1
	assert_equal "$(told)" 'resolve ok stage ok accept ok create ok put ok check no diagnose ok teardown ok verdict no record ok'
	play_all
	play_failing put 2
	validate x
	assert_failure 2
	assert_equal "$(told)" 'resolve ok stage ok accept ok create ok put failed (2) teardown ok verdict no record ok'
}

# What standard error says of each stage, on one line.
told() {
	grep ' s$' <<<"$stderr" | sed 's/ *[0-9.]* s$//; s/^sbx-validate: //; s/  */ /' | xargs
}

@test "acceptance that fails: no sandbox, and the build is pending" {
	play_all
	play sbx-accept <<-'END'
		jq -c '.acceptance = {status: "failed", failed: ["r"], failures: [{rule: "r", path: "app.json", message: "is not there"}]}'
		exit 1
	END
	validate x
	assert_failure 1
	assert_not_exists "$PLAY/calls"
	holds '.result | .validation_status == "pending" and .validation_strategy == "skip" and .success == false'
	holds '.verdict.readiness == "failed" and .record.id and ([has("sandbox", "steps", "teardown", "error")] | any | not)'
	[[ $stderr == *'Acceptance failed'*'app.json: is not there'* ]]
}

@test "acceptance that could not be decided: the build is tried, and the run is pending" {
	play_all
	play sbx-accept <<-'END'
		jq -c '.acceptance = {status: "pending", skipped: [{rule: "runtime_smoke", reason: "no database"}]}'
		exit 1
	END
	validate x
	assert_failure 1
	holds '.result.success and .verdict.readiness == "pending" and .teardown.confirmed'
	holds '.verdict.ends and (.verdict.message | contains("no database"))'
}

@test "acceptance that breaks is our trouble, and no sandbox is made" {
	play_all
	play sbx-accept <<-'END'
		jq -c '.error = {by: "sbx-accept", reason: "rules_failed", message: "x", status: 2}'
		exit 2
	END
	validate x
	assert_failure 2
	assert_not_exists "$PLAY/calls"
	holds '.result.infrastructure_failure and .record.id'
	echo 'kill -KILL $$' | play sbx-accept
	validate x
	assert_failure 137
	assert_not_exists "$PLAY/calls"
	holds '.error.by == "sbx-accept" and .record.id'
}

@test "a build that fails after acceptance leaves acceptance passed" {
	play_all
	play_failing_step
	validate x
	assert_failure 1
	holds '.acceptance.status == "passed" and .verdict.gates == {acceptance: "passed", build: "failed"}'
}

play_failing_step() {
	play sbx-check <<-'END'
		jq -c '.steps = [{id: "references", title: "t", command: "c", status: "failed", exit_code: 1}]'
		exit 1
	END
	play sbx-diagnose <<-'END'
		jq -c '.diagnostics = [{tool: "t", severity: "error", file: "index.html", line: 1, message: "bad", owned: true}]'
	END
}

@test "with an inventory a build failure goes to its owner, and the next run of the same kind ends" {
	play_all
	play_failing_step
	jq -n '{sbx_inventory: 1, series: "s", plan: [{task_id: "site", task_type: "t", initial_agent: "A",
	    owned_paths: ["index.html"], depends_on: []}], evidence: {site: {status: "accepted"}}} | .executed = .plan' >"$PLAY/plan"
	jq --arg sha256 "$(jq -cjS .plan "$PLAY/plan" | sha256sum | cut -d' ' -f1)" '.plan_sha256 = $sha256' "$PLAY/plan" >"$PLAY/inventory"
	validate --inventory "$PLAY/inventory" x
	assert_failure 1
	holds '.result.bundle_repair.repair_request.target_agent == "A" and .verdict.ends == false'
	[[ $stderr == *"task site is asked to repair it, request $(jq -r .verdict.repair.request_id <<<"$output")"* ]]
	validate --inventory "$PLAY/inventory" x
	holds '.verdict.ends and .verdict.no_progress and .result.bundle_repair.status == "blocked"'
	[[ $stderr == *'no repair: What task site was asked before was interrupted'* ]]
}

@test "what was found is written in the form asked for, to standard error or to a file" {
	play_all
	validate -q --format github x
	assert_success
	assert_equal "$stderr" "found in $(jq -r .run <<<"$output")"
	validate -q --format sarif --output "$PLAY/a b.sarif" x
	assert_equal "$stderr" ''
	assert_equal "$(cat "$PLAY/a b.sarif")" "found in $(jq -r .run <<<"$output")"
	assert_equal "$(cat "$PLAY/diagnose")" $'-q --format github\n-q --format sarif'
	[ ! -e "$PLAY/a b.sarif.new" ]
	validate --format sarif --output "$PLAY/none/x" x
	assert_failure 2
	holds '.verdict.ready and .record.id'
}

@test "what was found is written of a run that went wrong, too; a writer that dies is told" {
	play_all
	play_failing put 2
	play sbx-diagnose <<<'echo found; exit 2'
	validate --format junit --output "$PLAY/x" x
	assert_failure 2
	assert_equal "$(cat "$PLAY/x")" found
	rm "$PLAY/x"
	play_all
	play sbx-diagnose <<-'END'
		case "$*" in *--format*) ;; *) exec jq -c '.diagnostics = []' ;; esac
		printf half
		kill -KILL $$
	END
	validate --format junit --output "$PLAY/x" x
	assert_failure 137
	assert_not_exists "$PLAY/x"
	holds '.verdict.ready and .record.id'
}

@test "a bundle that is refused never sees a sandbox" {
	play_all
	play sbx-stage <<-'END'
		jq -c '.error = {by: "sbx-stage", reason: "name_escapes", message: "x", status: 1}'
		exit 1
	END
	validate x
	assert_failure 1
	holds '.error.reason == "name_escapes" and .record.id and (has("sandbox") or has("teardown") | not)'
	assert_not_exists "$PLAY/calls"
}

@test "each gate killed: the line lives, with an error in its program's name" {
	local gate
	for gate in put check; do
		play_all
		echo 'kill -KILL $$' | if [ "$gate" = put ]; then play_verb 'put*'; else play sbx-check; fi
		validate x
		assert_failure 137
		holds '.error.reason == "stage_died" and .error.status == 137 and .teardown.confirmed and .record.id'
		holds '.result.infrastructure_failure'
		[[ $stderr == *'was ended by signal 9 before it wrote its line'* ]]
	done
	play_all
	echo 'kill -KILL $$' | play sbx-stage
	validate x
	assert_failure 137
	holds '.error.by == "sbx-stage" and .record.id'
	echo 'kill -KILL $$' | play sbx-resolve
	validate x
	assert_failure 137
	holds '.error.by == "sbx-resolve" and .record.id and (.run | test("^[0-9a-f]{32}$"))'
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

@test "a create that is killed: whatever carries the run's label is removed" {
	play_all
	play_verb 'create*' <<<'kill -KILL $$'
	validate x
	assert_failure 137
	holds '.teardown.confirmed and (has("sandbox") | not)'
	assert_equal "$(calls "^rm --run $(jq -r .run <<<"$output")$")" 1
}

@test "a create that is killed and can't be cleaned up is in doubt" {
	play_all
	play_verb 'create*' <<<'kill -KILL $$'
	play_verb 'rm --run*' <<<'exit 3'
	validate x
	assert_failure 3
	holds '.teardown.confirmed == false and .result.infrastructure_failure'
}

@test "a create that failed cleanly needs no teardown, one in doubt does" {
	play_all
	play_verb 'create*' <<<'jq -c ".error = {by: \"sbx-docker\", reason: \"image_missing\", message: \"x\", status: 2}"; exit 2'
	validate x
	assert_failure 2
	assert_equal "$(calls rm)" 0
	holds 'has("teardown") | not'
	play_verb 'create*' <<<'jq -c ".error = {by: \"sbx-docker\", reason: \"create_unconfirmed\", message: \"x\", status: 3}"; exit 3'
	validate x
	assert_failure 3
	assert_equal "$(calls '^rm --run')" 1
}

@test "a teardown that is killed: the run's label is tried" {
	play_all
	play_verb rm <<<'kill -KILL $$'
	validate x
	assert_failure 137
	holds '.teardown.confirmed and .error.by == "sbx-docker" and .record.id'
	assert_equal "$(calls '^rm --run')" 1
}

@test "a teardown that is not confirmed is told and not tried again" {
	play_all
	play_verb rm <<<'jq -c ".teardown = {confirmed: false, result: \"unconfirmed\"}"; exit 3'
	validate x
	assert_failure 3
	holds '.result.sandbox_terminated == false and .result.infrastructure_failure and .record.id'
	assert_equal "$(calls rm)" 1
}

@test "a verdict that is killed is recorded as that; a record that is killed is in doubt" {
	play_all
	echo 'kill -KILL $$' | play sbx-verdict
	validate x
	assert_failure 137
	holds '.error.by == "sbx-verdict" and .record.id and (has("verdict") | not)'
	play_all
	rm "$PLAY/sbx-verdict"
	echo 'kill -KILL $$' | play sbx-record
	validate x
	assert_failure 3
	holds '.error.by == "sbx-record" and .error.status == 3 and .verdict.ready'
}

@test "a diagnose that is killed: the sandbox is removed, the end recorded" {
	play_all
	echo 'kill -KILL $$' | play sbx-diagnose
	validate x
	assert_failure 137
	holds '.error.by == "sbx-diagnose" and .teardown.confirmed and .record.id and (.verdict.ready == false)'
}

@test "half a line is no line" {
	play_all
	play sbx-check <<<'printf "{\"sbx\":1"'
	validate x
	assert_failure 2
	holds '.error.by == "sbx-check" and .error.reason == "stage_died" and .teardown.confirmed'
	play sbx-check <<<'cat; echo "{\"sbx\":1}"'
	validate x
	assert_failure 2
	holds '.error.reason == "stage_died" and .teardown.confirmed'
}

# begin_waiting SHELL - a validation, pid $!, whose check runs that and then waits for ever
begin_waiting() {
	play_all
	play sbx-check <<-END
		$1
		echo >"\$PLAY/waiting"
		while :; do sleep 0.05; done
	END
	env --default-signal=INT sbx-validate x >"$PLAY/line" 2>"$PLAY/err" 3>&- &
	until_true test -e "$PLAY/waiting"
}

@test "INT, TERM and HUP end the check at once; teardown, verdict and record follow" {
	local name
	for name in INT:130 TERM:143 HUP:129; do
		rm -f "$PLAY/calls" "$PLAY/waiting"
		begin_waiting 'trap "jq -c .error={by:\\\"x\\\",reason:\\\"x\\\",message:\\\"x\\\",status:143}; exit 143" TERM; exec 7<&0'
		kill -"${name%:*}" $!
		ended $!
		assert_failure "${name#*:}"
		holds '.teardown.confirmed and .record.id and .error.status == 143'
		assert_equal "$(calls '^rm$')" 1
	done
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

@test "a check that does not listen is killed by the second signal" {
	begin_waiting 'trap "" TERM'
	kill -INT $!
	until_grep SIGINT "$PLAY/err"
	kill -TERM $!
	ended $!
	assert_failure 130
	holds '.error.reason == "stage_died" and .error.status == 137 and .teardown.confirmed and .record.id'
}

@test "a check that does not listen is killed after a while without one" {
	begin_waiting 'trap "" TERM'
	kill -TERM $!
	ended $!
	assert_failure 143
	holds '.error.status == 137 and .teardown.confirmed'
}

@test "signals between stages end the run before the next" {
	play_all
	play_verb 'put*' <<<'kill -INT $(ps -o ppid= $(ps -o ppid= $$)); sleep 0.2; jq -c ".put = {verified: true}"'
	run --separate-stderr env --default-signal=INT sbx-validate x
	assert_failure 130
	holds '.teardown.confirmed and .record.id and (has("steps") | not)'
}

@test "no signal stops a teardown" {
	play_all
	play_verb rm <<<'echo >"$PLAY/waiting"; until [ -e "$PLAY/go" ]; do sleep 0.05; done; jq -c ".teardown = {confirmed: true}"'
	env --default-signal=INT sbx-validate x >"$PLAY/line" 2>"$PLAY/err" 3>&- &
	until_true test -e "$PLAY/waiting"
	for name in INT TERM INT HUP; do kill -"$name" $!; sleep 0.05; done
	echo >"$PLAY/go"
	ended $!
	assert_failure 130
	holds '.teardown.confirmed and .record.id and .verdict.ready'
}

@test "a teardown outlives the workflow" {
	play_all
	play_verb rm <<<'echo >"$PLAY/waiting"; sleep 0.3; cat >/dev/null; echo >"$PLAY/removed"'
	sbx-validate x >"$PLAY/line" 2>"$PLAY/err" 3>&- &
	until_true test -e "$PLAY/waiting"
	kill -KILL $!
	until_true test -e "$PLAY/removed"
}

@test "skip stages, executes nothing, and is recorded" {
	play_all
	rm "$PLAY/sbx-resolve"
	validate --strategy skip x
	assert_failure 1
	holds '.verdict.readiness == "skipped" and .result.success == false and .bundle.sha256 == "ab" and .acceptance.status == "passed"'
	assert_not_exists "$PLAY/calls"
	run sbx-record list --status skipped
	assert_line --partial skip
}

@test "a strategy without its program is our trouble, in words" {
	play_all
	rm "$PLAY/sbx-resolve"
	mkdir "$PLAY/bin"
	ln -s "$BUILD"/bin/sbx-[!l]* "$PLAY/bin"
	PATH=$PLAY:$PLAY/bin:/usr/bin:/bin
	run -127 --separate-stderr sbx-validate --strategy local x
	holds '.error == {by: "sbx-local", reason: "program_missing", message: "sbx-local is not installed", status: 127}'
	holds '.result.infrastructure_failure and .result.validation_strategy == "local" and .record.id'
	holds 'has("teardown") | not'
}

@test "an invalid strategy of the operator fails, whatever was asked for" {
	play_all
	rm "$PLAY/sbx-resolve"
	export MOZAIKS_APP_VALIDATION_STRATEGY=nonsense
	validate --strategy docker x
	assert_failure 2
	holds '.error.by == "sbx-resolve" and .result.validation_status == "failed" and .record.id'
	assert_not_exists "$PLAY/calls"
}

@test "E2B_TIMEOUT caps what was asked for on e2b, and must be a number" {
	play_all
	mv "$PLAY/sbx-docker" "$PLAY/sbx-e2b"
	sed -i s/docker/e2b/ "$PLAY/sbx-resolve"
	E2B_TIMEOUT=60 validate --timeout 100 x
	assert_equal "$(head -n 1 "$PLAY/calls")" 'create --timeout 60'
	rm "$PLAY/calls"
	E2B_TIMEOUT=600 validate --timeout 100 x
	assert_equal "$(head -n 1 "$PLAY/calls")" 'create --timeout 100'
	rm "$PLAY/calls"
	E2B_TIMEOUT=1m validate x
	assert_failure 2
	holds '.error.reason == "setting_invalid" and .result.infrastructure_failure and .record.id'
	assert_not_exists "$PLAY/calls"
}

@test "the options reach the programs they are for" {
	play_all
	play sbx-resolve <<<'printf "%s\n" "$*" >"$PLAY/resolve"; echo "{\"sbx\":1,\"run\":\"$RUN_ID\",\"strategy\":{\"name\":\"docker\"}}"'
	play sbx-stage <<<'printf "%s|" "$@" >"$PLAY/stage"; jq -c ".bundle = {profile: \"static\"}"'
	RUN_ID=$(new_run) validate -v --strategy ' skip' --profile=static --sha256 ab --timeout 9 -- '-a b.zip'
	assert_equal "$(cat "$PLAY/resolve")" '-v --strategy  skip validation'
	assert_equal "$(cat "$PLAY/stage")" '-v|--profile|static|--sha256|ab|--|-a b.zip|'
	assert_equal "$(head -n 1 "$PLAY/calls")" 'create -v --timeout 9'
}

@test "nothing in the environment passes for an option" {
	play_all
	opt_timeout=7 opt_strategy=skip opt_profile=x opt_sha256=x opt_format=x opt_output=/x opt_inventory=/x signal=INT lost=create failed=1 \
	    worst=3 quiet=1 validate x
	assert_success
	assert_equal "$(head -n 1 "$PLAY/calls")" 'create --timeout 120'
}

@test "wrong use: one line, 2, and nothing begun" {
	local use
	for use in '' 'a b' '--timeout 0 a' '--timeout 1e3 a' '--timeout 86401 a' '--timeout -1 a' '--timeout= a' '--nonsense a' '--profile' \
	    '--format xml a' '--output o a' '--inventory /nonexistent a'; do
		# shellcheck disable=SC2086
		validate $use
		assert_failure 2
		assert_equal "$output" ''
		assert_equal "${#stderr_lines[@]}" 1
	done
	assert_not_exists "$SBX_STATE"
}

@test "a line that nobody takes is no success" {
	play_all
	run sh -c 'sbx-validate -q x >/dev/full 2>/dev/null'
	assert_failure 2
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}
