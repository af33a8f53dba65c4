#!/usr/bin/env bats
# ci - the jobs of contrib/github-action and contrib/gitlab, carried out as their runners would, cancelled and killed as they would

load common

setup() {
	common_setup
	RUNNER_TEMP=$BATS_TEST_TMPDIR/runner
	GITHUB_ACTION_PATH=$TOP/contrib/github-action
	GITHUB_STEP_SUMMARY=$RUNNER_TEMP/summary GITHUB_OUTPUT=$RUNNER_TEMP/output
	mkdir -p "$RUNNER_TEMP"
	: >"$GITHUB_STEP_SUMMARY" && : >"$GITHUB_OUTPUT"
	export RUNNER_TEMP GITHUB_ACTION_PATH GITHUB_STEP_SUMMARY GITHUB_OUTPUT SBX_SARIF=''
	unset SBX_STATE
	STATE=$RUNNER_TEMP/sbx/state
	LINE=$RUNNER_TEMP/sbx/line.json
}

# script_of STEP - what the runner makes of a step: a file that sh runs
script_of() {
	python3 -c 'import sys, yaml
for step in yaml.safe_load(open(sys.argv[1]))["runs"]["steps"]:
    if step["id"] == sys.argv[2]: print(step["run"])' "$GITHUB_ACTION_PATH/action.yml" "$1" >"$RUNNER_TEMP/$1.sh"
	[ -s "$RUNNER_TEMP/$1.sh" ]
}

# always - the steps that run however the first one ended; the status of the last in $status
always() {
	script_of report
	script_of clean
	sh -e "$RUNNER_TEMP/report.sh"
	status=0
	sh -e "$RUNNER_TEMP/clean.sh" || status=$?
}

# begin - the first step in the background, its top process $top
begin() {
	script_of validate
	env --default-signal=INT sh -e "$RUNNER_TEMP/validate.sh" >"$RUNNER_TEMP/out" 2>"$RUNNER_TEMP/err" 3>&- &
	top=$!
}

# cancel - what a runner does to the top process of a step, and to no other
cancel() {
	local signal
	for signal in INT:75 TERM:25 KILL:600; do
		kill -"${signal%:*}" "$top" 2>/dev/null || break
		gone_within "${signal#*:}" && break
	done
	wait "$top" || true
}

# gone_within TENTHS
gone_within() {
	local tenths
	for ((tenths = 0; tenths < $1; tenths++)); do
		[ -e "/proc/$top" ] && ! grep -q '^State:.*Z' "/proc/$top/status" || return 0
		sleep 0.1
	done
	return 1
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

runs() {
	ls "$STATE/runs"
}

# nothing_left RUN - no container and no file of it
nothing_left() {
	assert_equal "$(containers_of "$1")" 0
	assert_equal "$(runs)" ''
}

# The site of the tests, validated by a check that takes longer than any test.
slow() {
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	SBX_SHARE=$BATS_TEST_TMPDIR/share
	jq '.name = "slow" | .steps[0] += {command: "trap : TERM INT; while :; do sleep 1; done"}' "$TOP/share/profiles/static.json" \
	    >"$SBX_SHARE/profiles/slow.json"
	site slow
}

site() {
	"$TOP/tests/lay-bundle" static "$BATS_TEST_TMPDIR/bundle"
	export SBX_BUNDLE=$BATS_TEST_TMPDIR/bundle SBX_PROFILE=$1
}

checking() {
	grep -q 'put  *ok' "$RUNNER_TEMP/err" && [ "$(containers_of "$(runs)")" = 1 ]
}

# play NAME - a program of that name, from standard input, before the real one
play() {
	mkdir -p "$BATS_TEST_TMPDIR/play"
	{ echo '#!/bin/sh' && cat; } >"$BATS_TEST_TMPDIR/play/$1"
	chmod +x "$BATS_TEST_TMPDIR/play/$1"
	PATH=$BATS_TEST_TMPDIR/play:${PATH#"$BATS_TEST_TMPDIR/play":}
}

@test "github: a bundle that is ready: the step says yes, the page says so, nothing is left" {
	require_docker
	site static
	script_of validate
	run --separate-stderr sh -e "$RUNNER_TEMP/validate.sh"
	assert_success
	assert_equal "$output" ''
	always
	assert_equal "$status" 0
	grep -qx 'readiness=ready' "$GITHUB_OUTPUT"
	grep -qx "record=$(jq -r .record.id "$LINE")" "$GITHUB_OUTPUT"
	grep -qx '### sbx-validate: ready' "$GITHUB_STEP_SUMMARY"
	grep -q 'valid HTML' "$GITHUB_STEP_SUMMARY"
	nothing_left "$(jq -r .run "$LINE")"
}

@test "github: the inputs reach the program they are for, whatever they hold" {
	play sbx-validate <<<'printf "%s|" "$@"'
	script_of validate
	SBX_BUNDLE='-x $(touch gone).zip' SBX_PROFILE='a b' SBX_SHA256=ab SBX_STRATEGY=skip SBX_TIMEOUT=9 SBX_INVENTORY='i;j' \
	    sh -e "$RUNNER_TEMP/validate.sh"
	assert_equal "$(cat "$LINE")" '--format|github|--inventory|i;j|--timeout|9|--strategy|skip|--sha256|ab|--profile|a b|--|-x $(touch gone).zip|'
	SBX_BUNDLE=a SBX_PROFILE='' SBX_TIMEOUT='' sh -e "$RUNNER_TEMP/validate.sh"
	assert_equal "$(cat "$LINE")" '--format|github|--|a|'
}

@test "github: no input is written into a script" {
	run python3 -c 'import sys, yaml
for step in yaml.safe_load(open(sys.argv[1]))["runs"]["steps"]:
    assert "${{" not in step["run"], step
    assert step["shell"] == "sh"
    assert step["id"] == "validate" or step["if"] == "${{ always() }}", step' "$GITHUB_ACTION_PATH/action.yml"
	assert_success
}

@test "github: what others wrote is text on the page, not markup" {
	mkdir -p "${LINE%/*}"
	jq -cn '"<script>x</script>\n\n# big\n</ul></details>| a | **b** `c`" as $bad | {sbx: 1, run: "x", bundle: {sha256: $bad},
	    result: {validation_strategy: $bad}, verdict: {readiness: $bad, message: "m\n- \($bad)", reasons: [{message: $bad}],
	    not_claimed: [$bad]}, record: {id: "av_1"}}' >"$LINE"
	script_of report
	sh -e "$RUNNER_TEMP/report.sh"
	run grep -c '<script\|^#* *big\|</ul></details>' "$GITHUB_STEP_SUMMARY"
	assert_output 0
	grep -q '&lt;script&gt;' "$GITHUB_STEP_SUMMARY"
}

@test "github: cancelled during a check: the sandbox is gone before the runner would kill, the answer is there" {
	require_docker
	slow
	begin
	until_true checking
	cancel
	[ -s "$LINE" ]
	assert_equal "$(jq -r .teardown.confirmed "$LINE")" true
	assert_equal "$(jq -r .record.seq "$LINE")" 1
	nothing_left "$(jq -r .run "$LINE")"
	always
	assert_equal "$status" 0
	grep -qx 'readiness=failed' "$GITHUB_OUTPUT"
}

@test "github: killed with everything: the last step removes the sandbox" {
	require_docker
	slow
	begin
	until_true checking
	run_id=$(runs)
	until_true check_runs
	kill -KILL "$top"
	wait "$top" || true
	always
	assert_equal "$status" 0
	nothing_left "$run_id"
	grep -qx 'readiness=unknown' "$GITHUB_OUTPUT"
	grep -q 'cut off' "$GITHUB_STEP_SUMMARY"
	# The check that was left alone ends with its sandbox.
	until_true no_check
}

check_runs() {
	! no_check
}

# Of this test's, that is: its state directory tells.
no_check() {
	local pid
	for pid in $(pgrep -x sbx-check); do
		! grep -qzF "SBX_STATE=$STATE" "/proc/$pid/environ" 2>/dev/null || return 1
	done
}

@test "github: cancelled while the teardown hangs: killed, and the last step removes the sandbox" {
	require_docker
	slow
	play sbx-docker <<-END
		case "\$*" in
		'rm --run'*) ;;
		rm*) echo \$\$ >"$BATS_TEST_TMPDIR/hung"; exec sleep 50 ;;
		esac
		exec "$BUILD/bin/sbx-docker" "\$@"
	END
	begin
	until_true checking
	run_id=$(runs)
	cancel
	assert_exists "$BATS_TEST_TMPDIR/hung"
	assert_equal "$(containers_of "$run_id")" 1
	always
	assert_equal "$status" 0
	nothing_left "$run_id"
	kill "$(cat "$BATS_TEST_TMPDIR/hung")"
}

@test "github: what can't be removed is told by the last step, and kept for the next" {
	mkdir -p "$STATE/runs/$(printf '%032d' 1)" "$STATE/runs/new.abc"
	start_line docker "$(printf '%032d' 1)" >"$STATE/runs/$(printf '%032d' 1)/line"
	play sbx-docker <<<'echo "$*" >>"$RUNNER_TEMP/calls"; exit 3'
	always
	assert_equal "$status" 3
	assert_equal "$(runs)" "$(printf '%032d' 1)"
	assert_equal "$(cat "$RUNNER_TEMP/calls")" "rm --run $(printf '%032d' 1)"
}

@test "github: the results as SARIF, of a run that failed, too" {
	mkdir -p "${LINE%/*}"
	start_line docker | jq -c '.error = {by: "sbx-docker", reason: "x", message: "x", status: 2}' >"$LINE"
	export SBX_SARIF=$RUNNER_TEMP/sbx.sarif
	always
	assert_equal "$(jq -r .version "$SBX_SARIF")" 2.1.0
}

# job KEY - the lines of that part of GitLab's job, as one script
job() {
	python3 -c 'import sys, yaml
print("\n".join(yaml.safe_load(open(sys.argv[1]))[".sbx-validate"][sys.argv[2]]))' "$TOP/contrib/gitlab/sbx.gitlab-ci.yml" "$1" \
	    >"$BATS_TEST_TMPDIR/$1.sh"
	cd "$RUNNER_TEMP"
	export SBX_STATE=$STATE
}

@test "gitlab: the job's result is its test report and its line" {
	require_docker
	site static
	cp "$TOP/share/profiles/static.json" "$BATS_TEST_TMPDIR/profile"
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	jq '.name = "mozaiks"' "$BATS_TEST_TMPDIR/profile" >"$BATS_TEST_TMPDIR/share/profiles/mozaiks.json"
	SBX_SHARE=$BATS_TEST_TMPDIR/share
	job script
	bash -eo pipefail "$BATS_TEST_TMPDIR/script.sh"
	jq -e .verdict.ready sbx-line.json
	python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("sbx-junit.xml")'
	job after_script
	bash -e "$BATS_TEST_TMPDIR/after_script.sh"
	nothing_left "$(jq -r .run sbx-line.json)"
}

@test "gitlab: a job that is killed leaves its sandbox to after_script" {
	require_docker
	slow
	cp "$SBX_SHARE/profiles/slow.json" "$BATS_TEST_TMPDIR/profile"
	jq '.name = "mozaiks"' "$BATS_TEST_TMPDIR/profile" >"$SBX_SHARE/profiles/mozaiks.json"
	job script
	setsid bash -eo pipefail "$BATS_TEST_TMPDIR/script.sh" 2>"$RUNNER_TEMP/err" 3>&- &
	top=$!
	until_true checking
	run_id=$(runs)
	kill -KILL -- "-$top"
	wait "$top" || true
	job after_script
	bash -e "$BATS_TEST_TMPDIR/after_script.sh"
	nothing_left "$run_id"
}
