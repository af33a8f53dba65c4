#!/usr/bin/env bats
# sbx-e2b - hosted sandboxes, against the stand-in: what is asked for, what is checked, what goes in and out, and that they go

load common
load e2b

setup_file() {
	e2b_start
	e2b_server reference connect-server.js
}

teardown_file() {
	e2b_stop reference
	e2b_stop
}

setup() {
	common_setup
	e2b_reset
	unset E2B_TEMPLATE E2B_TIMEOUT SANDBOX_WORKDIR
	run_id=$(new_run)
	line=$BATS_TEST_TMPDIR/line
	pinned=base:$(e2b_ask GET builds | jq -r .[0].id)
}

# start [PURPOSE] - the line that the tests begin with
start() {
	start_line e2b "$run_id" | jq -c --arg purpose "${1:-app_validation}" '.purpose = $purpose'
}

# sandbox [PURPOSE [OPTION ...]] - makes one; $line and $id are its
sandbox() {
	local purpose=${1:-app_validation}
	[ $# -eq 0 ] || shift
	start "$purpose" | sbx-e2b create "$@" >"$line"
	id=$(jq -r .sandbox.id "$line")
}

# create [PURPOSE [OPTION ...]] - the same with run, for those that fail
create() {
	local purpose=${1:-app_validation}
	[ $# -eq 0 ] || shift
	run --separate-stderr bash -c 'start_line=$1; shift; printf "%s\n" "$start_line" | sbx-e2b create "$@"' - "$(start "$purpose")" "$@"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && echo "$output" && echo "${stderr:-}"; return 1; }
}

rows() {
	sqlite3 "$SBX_STATE/sbx.db" "SELECT state FROM sandboxes WHERE run = '$run_id'"
}

alive() {
	e2b_ask GET sandboxes | jq '[.[] | select(.state != "dead")] | length'
}

nothing_left() {
	assert_equal "$(alive)" 0
	assert_equal "$(find "$SBX_STATE/e2b" -type f | wc -l)" 0
}

# asked CALL FILTER - of the body of the first such call
asked() {
	e2b_ask GET requests | jq -e --arg call "$1" "[.[] | select(.call == \$call)][0].body | (if type == \"string\" then fromjson else . end) | $2" >/dev/null || {
		e2b_ask GET requests
		fail "$1 was not asked for $2"
	}
}

# staged FILE ... - a line with a bundle of those files, for the profile python
staged() {
	local name
	for name; do
		mkdir -p "$BATS_TEST_TMPDIR/bundle/$(dirname "$name")"
		printf 'print("%s")\n' "$name" >"$BATS_TEST_TMPDIR/bundle/$name"
	done
	start | sbx-stage --profile python "$BATS_TEST_TMPDIR/bundle"
}

some_alive() {
	[ "$(alive)" -ge 1 ]
}

# ended STATUS PID - a program of ours that was left to run
ended() {
	local code=0
	wait "$2" || code=$?
	assert_equal "$code" "$1"
}

age() {
	sqlite3 "$SBX_STATE/sbx.db" "UPDATE sandboxes SET created = created - 100000"
}

@test "create asks for what the purpose allows, and tells what it got" {
	sandbox app_validation --timeout 120 --metadata team=blue
	assert_equal "$(jq -r '.sandbox | "\(.provider) \(.purpose) \(.metadata.team) \(.ports)"' "$line")" 'e2b app_validation blue {}'
	asked create '.timeout == 120 and .autoPause == false and .allow_internet_access == false and .network.allowPublicTraffic == false'
	asked create ".metadata.\"sbx.run\" == \"$run_id\" and .metadata.purpose == \"app_validation\" and .metadata.team == \"blue\""
	asked create '.metadata."sbx.name" | test("^sbx-[0-9a-f]{32}$")'
	assert_equal "$(rows)" live
	e2b_near 120 "$(e2b_seconds_left)"
	assert_equal "$(e2b_calls | cut -d' ' -f1-2)" 'create get'
	sbx-e2b rm "$id"
	nothing_left
	assert_equal "$(rows)" gone
}

@test "a preview has a way out and public ports, and gets its environment" {
	E2E_VALUE=from-outside sandbox artifact_preview --env E2E_VALUE
	asked create '.allow_internet_access == true and .network.allowPublicTraffic == true and .envVars.E2E_VALUE == "from-outside"'
	run sbx-e2b url "$id" 3000
	assert_success
	assert_output "https://3000-$id.$E2B_DOMAIN"
}

@test "a validation's ports have no URL" {
	sandbox
	run sbx-e2b url --json "$id" 3000
	assert_failure 1
	assert_output '{"url":null}'
}

@test "what the service did not give as asked is refused, and what it made is killed" {
	local overlay
	for overlay in '{"allowInternetAccess":true}' '{"allowInternetAccess":null}' '{"network":{"allowPublicTraffic":true}}' \
	    '{"network":null}' '{"lifecycle":{"onTimeout":"pause","autoResume":false}}' '{"lifecycle":{"onTimeout":"kill","autoResume":true}}' \
	    '{"metadata":{"purpose":"app_validation"}}' '{"envdAccessToken":null}' '{"templateID":""}' '{"state":"paused"}' \
	    '{"state":"dancing"}'; do
		e2b_switch "{\"overlay\": $overlay}"
		create
		assert_equal "$status $overlay" "2 $overlay"
		holds '.error.reason == "isolation_missing" and (.sandbox | not)'
		e2b_switch '{}'
		nothing_left
	done
	run ! grep -v gone <<<"$(rows)"
}

@test "a sandbox that the service takes for another is none, and is killed" {
	e2b_switch '{"overlay": {"sandboxID": "iother"}}'
	create
	assert_equal "$status" 2
	holds '.error.reason == "e2b_reply_invalid" and (.sandbox | not)'
	e2b_switch '{}'
	nothing_left
}

@test "a lifetime that the service cut short is refused" {
	e2b_switch '{"overlay": {"startedAt": "2026-01-01T00:00:00Z", "endAt": "2026-01-01T00:01:00.5Z"}}'
	create app_validation --timeout 100
	assert_equal "$status" 2
	holds '.error.reason == "lifetime_clamped" and (.error.message | contains("60 s instead of 100"))'
	e2b_switch '{}'
	nothing_left
}

@test "a lifetime above the plan's is the service's own refusal" {
	create app_validation --timeout 7200
	assert_equal "$status" 2
	holds '.error.reason == "create_refused" and (.error.message | contains("Timeout cannot be greater"))'
	assert_equal "$(e2b_calls)" create
	nothing_left
}

@test "an older server without the newer calls is asked in the older way" {
	e2b_switch '{"v2": false}'
	create
	assert_equal "$status" 0
	asked create_v1 '.secure == true and .autoPause == false'
}

@test "a template that is not there is no reason to ask twice" {
	create app_validation --image nosuch
	assert_equal "$status" 2
	holds '.error.reason == "template_missing"'
	assert_equal "$(e2b_calls)" create
}

@test "create is never repeated: an answer that was cut off leads to a look for what was made" {
	e2b_switch '{"rules": [{"on": "create", "act": true, "drop": true}]}'
	create
	assert_equal "$status" 2
	holds '.error.reason == "service_cut"'
	nothing_left
	assert_equal "$(e2b_calls | tr ' ' '\n' | grep -c '^create')" 1
	assert_equal "$(rows)" gone
}

@test "where nothing is found after a cut, what may still come is in doubt, and later it is not" {
	e2b_switch '{"rules": [{"on": "create", "drop": true}]}'
	create
	assert_equal "$status" 3
	holds '.error.status == 3 and (.error.message | contains("may still come"))'
	assert_equal "$(rows)" unconfirmed
	run sbx-e2b rm --orphans
	assert_failure 3
	age
	run sbx-e2b rm --orphans
	assert_success
	assert_equal "$(rows)" gone
}

@test "the service's own 500 is its last word, and what it made all the same is ended" {
	e2b_switch '{"rules": [{"on": "create", "act": true, "reply": {"status": 500, "json": {"code": 500, "message": "Failed to place sandbox"}}}]}'
	create
	assert_equal "$status" 2
	holds '.error.reason == "create_refused"'
	nothing_left
}

@test "a 502 of something in between is nobody's word" {
	e2b_switch '{"rules": [{"on": "create", "reply": {"status": 502, "text": "<html>bad gateway</html>"}}]}'
	create
	assert_equal "$status" 3
	e2b_switch '{"rules": [{"on": "create", "act": true, "reply": {"status": 502, "text": "<html>bad gateway</html>"}}]}'
	create
	assert_equal "$status" 2
	assert_equal "$(alive)" 0
}

@test "whoever interrupts a create waits for its answer, and what it made is killed" {
	e2b_switch '{"rules": [{"on": "create", "late_ms": 2000}]}'
	start | sbx-e2b create >"$line" 3>&- &
	local pid=$!
	e2b_eventually some_alive
	kill -TERM "$pid"
	ended 143 "$pid"
	assert_equal "$(jq -r .error.reason "$line")" stopped
	nothing_left
	assert_equal "$(rows)" gone
}

@test "too many sandboxes and too many requests are told apart, and both are for later" {
	e2b_switch '{"concurrency": 0}'
	create
	assert_equal "$status" 75
	holds '.error.reason == "sandbox_limit" and .error.retry_after_ms > 0'
	nothing_left
	e2b_switch '{"rules": [{"on": "create", "times": 9, "reply": {"status": 429, "headers": {"Retry-After": "30"}, "json": {"code": 429, "message": "Rate limit exceeded"}}}]}'
	create
	assert_equal "$status" 75
	holds '.error.reason == "rate_limited" and .error.retry_after_ms == 30000'
	e2b_switch '{"rules": [{"on": "create", "reply": {"status": 429, "text": "slow down"}}]}'
	create
	assert_equal "$status" 75
	holds '.error.reason == "rate_limited"'
	nothing_left
}

@test "a short wait that the service asks for is kept, and then it is asked again" {
	e2b_switch '{"rules": [{"on": "create", "reply": {"status": 429, "headers": {"Retry-After": "1"}, "json": {"code": 429, "message": "Rate limit exceeded"}}}]}'
	sandbox
	assert_equal "$(e2b_calls)" 'create create get'
}

@test "a request without a key, or with a wrong one, is refused before anything is made" {
	E2B_API_KEY='' create
	assert_equal "$status" 2
	holds '.error.reason == "e2b_key_missing"'
	E2B_API_KEY=sk_123 create
	holds '.error.reason == "setting_invalid"'
	E2B_API_KEY=e2b_2222 create
	assert_equal "$status" 2
	holds '.error.reason == "key_refused"'
	nothing_left
}

@test "settings that could not be right are refused by name" {
	E2B_API_URL=ftp://x create
	holds '.error.reason == "setting_invalid" and (.error.message | startswith("E2B_API_URL"))'
	E2B_API_URL=http://user:word@127.0.0.1:1 create
	holds '.error.reason == "setting_invalid" and (tostring | contains("word@") | not)'
	E2B_DOMAIN=a/b create
	holds '.error.reason == "setting_invalid" and (.error.message | startswith("E2B_DOMAIN"))'
	SANDBOX_WORKDIR=/ create
	holds '.error.reason == "setting_invalid" and (.error.message | startswith("SANDBOX_WORKDIR"))'
	SANDBOX_WORKDIR=/a/../b create
	holds '.error.reason == "setting_invalid"'
	E2B_TIMEOUT=0 create
	assert_equal "$status" 2
	assert_regex "$stderr" 'E2B_TIMEOUT'
	assert_equal "$(e2b_calls)" ''
}

@test "E2B_TEMPLATE and E2B_TIMEOUT are what is taken when nothing is said" {
	E2B_TIMEOUT=77 E2B_TEMPLATE=base sandbox
	asked create '.timeout == 77 and .templateID == "base"'
}

@test "key and tokens are in no argument, no environment, no line, no message and no log" {
	local real
	real=$(command -v curl)
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/curl" <<-END
		#!/bin/sh
		{ echo "\$@"; env; } >>"$BATS_TEST_TMPDIR/seen"
		exec "$real" "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/curl"
	(
		PATH=$BATS_TEST_TMPDIR/bin:$PATH
		staged a.py | sbx-e2b -v create | sbx-e2b -v put >"$line"
		id=$(jq -r .sandbox.id "$line")
		sbx-e2b -v exec "$id" true
		sbx-e2b -v list --json
		sbx-e2b -v connect --json "$id"
		sbx-e2b -n exec "$id" true
	) >"$BATS_TEST_TMPDIR/said" 2>&1
	id=$(jq -r .sandbox.id "$line")
	e2b_api GET "/sandboxes/$id"
	token=$(jq -r .envdAccessToken <<<"$output")
	local name traffic
	name=$(jq -r .sandbox.name "$line")
	traffic=$(cat "$SBX_STATE/e2b/$name")
	[ ${#token} -eq 64 ]
	[ ${#traffic} -eq 64 ]
	assert_file_permission 600 "$SBX_STATE/e2b/$name"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/seen")" -gt 20 ]
	run grep -rlF -e "$E2B_API_KEY" -e "$token" -e "$traffic" "$line" "$BATS_TEST_TMPDIR/seen" "$BATS_TEST_TMPDIR/said" \
	    "$SBX_STATE/runs" "$SBX_STATE/sbx.db"
	assert_output ''
	sbx-e2b rm "$id"
	nothing_left
}

@test "put unpacks what was staged, reads it back, and get gives it byte for byte" {
	staged a.py deep/er/b.py | sbx-e2b create | sbx-e2b put >"$line"
	id=$(jq -r .sandbox.id "$line")
	assert_equal "$(jq -c .put "$line")" "{\"files\":2,\"bytes\":$(cat "$BATS_TEST_TMPDIR"/bundle/a.py "$BATS_TEST_TMPDIR"/bundle/deep/er/b.py | wc -c),\"verified\":true}"
	sbx-e2b get "$id" deep/er/b.py | cmp - "$BATS_TEST_TMPDIR/bundle/deep/er/b.py"
	sbx-e2b get "$id" /workspace/a.py | cmp - "$BATS_TEST_TMPDIR/bundle/a.py"
	run sbx-e2b exec "$id" 'ls /tmp/sbx-*'
	assert_failure
}

@test "get gives any bytes, and says no to what is no file" {
	sandbox
	sbx-e2b exec "$id" 'head -c 5000000 /dev/urandom >any; : >none; ln -s any link; mkdir dir'
	assert_equal "$(sbx-e2b get "$id" any | sha256sum | cut -c1-64)" "$(sbx-e2b exec "$id" 'sha256sum any' | cut -c1-64)"
	run sbx-e2b get "$id" none
	assert_success
	assert_output ''
	for name in link dir missing; do
		run sbx-e2b get "$id" "$name"
		assert_failure 1
	done
}

@test "put says so when the sandbox holds something else than was sent" {
	staged a.py | sbx-e2b create >"$line"
	id=$(jq -r .sandbox.id "$line")
	sbx-e2b exec "$id" 'echo mine >extra.py'
	run --separate-stderr sbx-e2b put <"$line"
	assert_failure 2
	holds '.error.reason == "put_unverified" and (.error.message | contains("extra.py"))'
	sbx-e2b exec "$id" 'rm extra.py'
	e2b_switch '{"rules": [{"on": "download", "reply": {"status": 200, "text": "no tar"}}]}'
	run --separate-stderr sbx-e2b put <"$line"
	assert_failure 2
	holds '.error.reason == "tar_malformed"'
}

@test "exec: output, error and status are the command's own, in pieces or with spaces" {
	sandbox
	for how in '{}' '{"split": 1, "spaces": true}' '{"split": 7}'; do
		e2b_switch "$how"
		run --separate-stderr sbx-e2b exec "$id" 'echo out; echo err >&2; exit 5'
		assert_failure 5
		assert_equal "$output $stderr" 'out err'
	done
	run sbx-e2b exec "$id" -- printf '%s|' 'a b' "it's" '$HOME'
	assert_output "a b|it's|\$HOME|"
	FROM_US=yes run sbx-e2b exec --env FROM_US "$id" 'echo $FROM_US$E2B_API_KEY'
	assert_output yes
	run sbx-e2b exec "$id" 'head -c 1000000 /dev/zero | tr "\0" x'
	assert_equal "${#output}" 1000000
}

@test "exec: the official Connect server understands us, and we understand it" {
	SANDBOX_WORKDIR=$BATS_TEST_TMPDIR/work
	export SANDBOX_WORKDIR
	sandbox
	E2B_SANDBOX_URL=$(e2b_told reference url)
	run --separate-stderr sbx-e2b exec "$id" 'echo out; echo err >&2; pwd; exit 6'
	assert_failure 6
	assert_equal "$output" "out"$'\n'"$SANDBOX_WORKDIR"
	assert_equal "$stderr" err
	run sbx-e2b exec "$id" 'head -c 3000000 /dev/zero | tr "\0" y | sha256sum'
	assert_output "$(head -c 3000000 /dev/zero | tr '\0' y | sha256sum)"
	run --separate-stderr sbx-e2b exec --cwd /no/such "$id" true
	assert_failure 2
	run sbx-e2b exec --timeout 1 "$id" 'sleep 30'
	assert_failure 124
}

@test "exec: the standard input is empty, the directory is the workspace or the one that is named" {
	sandbox
	run sbx-e2b exec "$id" 'cat; pwd'
	assert_output /home/user/app
	run sbx-e2b exec --cwd /tmp "$id" pwd
	assert_output /tmp
	run --separate-stderr sbx-e2b exec --cwd /nowhere "$id" pwd
	assert_failure 2
	assert_regex "$stderr" nowhere
	sbx-e2b exec "$id" true
}

@test "exec: where profiles say /workspace, in a command or a variable, the sandbox has SANDBOX_WORKDIR" {
	export PLACE=/workspace/app:/workspace2
	sandbox
	run -0 sbx-e2b exec --env PLACE "$id" 'cd /workspace && pwd && echo "/workspace/x=/workspace ../workspace" /workspaces "$PLACE"'
	assert_output $'/home/user/app\n/home/user/app/x=/home/user/app ../workspace /workspaces /home/user/app/app:/workspace2'
	run -0 sbx-e2b exec --cwd /workspace "$id" pwd
	assert_output /home/user/app
	assert_equal "$(jq -r .sandbox.workspace "$line")" /home/user/app
	SANDBOX_WORKDIR=/workspace
	export SANDBOX_WORKDIR
	sandbox
	run -0 sbx-e2b exec "$id" 'pwd; echo /workspace'
	assert_output $'/workspace\n/workspace'
	assert_equal "$(jq -r .sandbox.workspace "$line")" null
}

@test "exec: at the time limit the whole group ends, and what is left behind ends with the command" {
	sandbox
	run --separate-stderr sbx-e2b exec --timeout 1 "$id" 'sleep 4321 & sleep 4321'
	assert_failure 124
	assert_regex "$stderr" 'time limit of 1 s'
	run sbx-e2b exec "$id" 'sleep 4322 & echo here'
	assert_output here
	run sbx-e2b exec "$id" 'ps -eo args | grep -c "^sleep 432[12]"'
	assert_output 0
}

@test "exec: a caller that is told to stop ends its command first" {
	sandbox
	sbx-e2b exec "$id" 'echo begun; sleep 4323' >"$BATS_TEST_TMPDIR/out" 3>&- &
	local pid=$!
	e2b_eventually grep -q begun "$BATS_TEST_TMPDIR/out"
	kill -TERM "$pid"
	ended 143 "$pid"
	run sbx-e2b exec "$id" 'ps -eo args | grep -c "^sleep 4323"'
	assert_output 0
}

@test "exec: a stream that was cut is no exit status, and each cut is told apart" {
	local how reason
	sandbox
	while read -r how reason; do
		e2b_switch "{\"rules\": [{\"on\": \"start\", \"cut\": {\"how\": \"$how\", \"after\": 2}}]}"
		run --separate-stderr sbx-e2b exec "$id" 'echo out; sleep 0.3; exit 0'
		assert_equal "$how $status" "$how 2"
		assert_regex "$stderr" "$reason"
	done <<-END
		fin cut
		rst cut
		clean without.its.last.message
		short in.the.middle.of.a.message
	END
	assert_equal "$(alive)" 1
}

@test "exec: silence leads to a look at the sandbox" {
	sandbox
	e2b_switch '{"rules": [{"on": "start", "cut": {"how": "hang", "after": 1}}]}'
	run --separate-stderr sbx-e2b exec --timeout 300 "$id" "echo a; echo b; sleep 1000"
	assert_failure 2
	assert_regex "$stderr" 'nothing came for 35 s'
	assert [ "$(e2b_calls | tr ' ' '\n' | grep -c '^health$')" -ge 1 ]
}

@test "exec: a sandbox that ends under a command is not a command that failed" {
	sandbox
	e2b_switch '{}'
	sbx-e2b exec "$id" 'echo begun; sleep 100' >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$!
	e2b_eventually grep -q begun "$BATS_TEST_TMPDIR/out"
	e2b_api DELETE "/sandboxes/$id"
	ended 2 "$pid"
}

@test "exec is for validations alone; nothing reaches into sealed and unknown ones" {
	sandbox artifact_preview
	run sbx-e2b exec "$id" true
	assert_failure 1
	assert_output --partial 'purpose artifact_preview'
	e2b_switch '{"overlay": {"metadata": {"sbx.owner": "'"$(sqlite3 "$SBX_STATE/sbx.db" 'SELECT id FROM owner')"'"}}}'
	for verb in exec get url extend connect; do
		case $verb in
		exec) set -- "$id" true ;;
		get) set -- "$id" x ;;
		url) set -- "$id" 3000 ;;
		extend) set -- "$id" 500 ;;
		connect) set -- "$id" ;;
		esac
		run sbx-e2b "$verb" "$@"
		assert_failure 1
	done
	run ! grep -qw -e connect -e start -e timeout <<<"$(e2b_calls)"
}

@test "supervise: a template without a supervisor is named as what is wrong" {
	sandbox artifact_preview
	run -2 sbx-e2b supervise "$id" start
	assert_output --partial 'has no /usr/local/libexec/sbx/sbx-supervise'
	run --separate-stderr sbx-e2b supervise stop <"$line"
	assert_equal "$status $(jq -r .error.reason <<<"$output")" '2 image_unfit'
}

@test "sealed: a pinned template, no environment, and all of it confirmed" {
	create sealed_candidate_preview
	holds '.error.reason == "template_unpinned"'
	create sealed_candidate_preview --image base:latest
	holds '.error.reason == "template_unpinned"'
	E2E_VALUE=x create sealed_candidate_preview --image "$pinned" --env E2E_VALUE
	holds '.error.reason == "env_refused"'
	assert_equal "$(e2b_calls)" ''
}

@test "sealed: made as it must be, nothing but its end reaches it" {
	sandbox sealed_candidate_preview --image "$pinned"
	asked create '.allow_internet_access == false and .network.allowPublicTraffic == false and .autoPause == false and (.envVars | not)'
	e2b_ask DELETE requests
	run sbx-e2b url "$id" 3000
	assert_failure 1
	refute_output --partial https
	for verb in 'exec ID true' 'get ID x' 'extend ID 500' 'connect ID'; do
		# shellcheck disable=SC2086 # words
		run sbx-e2b ${verb/ID/$id}
		assert_failure 1
		assert_output --partial 'purpose sealed_candidate_preview'
	done
	staged a.py >"$line.staged"
	jq -c --argjson box "$(jq .sandbox "$line")" '.sandbox = $box' "$line.staged" >"$line.filled"
	run --separate-stderr sbx-e2b put <"$line.filled"
	assert_failure 1
	holds '.error.reason == "purpose_refused"'
	run grep -wvE 'get' <<<"$(e2b_calls | tr ' ' '\n')"
	assert_output ''
	sbx-e2b rm "$id"
	nothing_left
}

@test "sealed: whatever is not told counts as missing, and is killed" {
	local overlay
	for overlay in '{"lifecycle":null}' '{"lifecycle":{}}' '{"allowInternetAccess":null}' '{"network":{}}'; do
		e2b_switch "{\"overlay\": $overlay}"
		create sealed_candidate_preview --image "$pinned"
		assert_equal "$status $overlay" "2 $overlay"
		holds '.error.reason == "isolation_missing"'
		e2b_switch '{}'
		nothing_left
	done
}

@test "looking renews no deadline and wakes nothing" {
	sandbox app_validation --timeout 60
	e2b_ask DELETE requests
	sbx-e2b list
	sbx-e2b exec "$id" true
	run sbx-e2b url "$id" 1
	sbx-e2b exec "$id" 'echo x >x'
	sbx-e2b get "$id" x
	run grep -wE 'connect|timeout|refresh|resume' <<<"$(e2b_calls)"
	assert_failure
	e2b_near 60 "$(e2b_seconds_left)"
	e2b_api POST "/sandboxes/$id/pause"
	run sbx-e2b exec "$id" true
	assert_failure 1
	assert_output --partial paused
	assert_equal "$(e2b_state)" paused
}

@test "connect keeps what is left of the lifetime, also of a paused one" {
	sandbox app_validation --timeout 60
	run sbx-e2b connect --json "$id"
	assert_success
	holds '.provider == "e2b" and .state == "running"'
	e2b_near 60 "$(e2b_seconds_left)"
	e2b_api POST "/sandboxes/$id/pause"
	run sbx-e2b connect --json "$id"
	assert_success
	assert_equal "$(e2b_state)" running
	e2b_near 60 "$(e2b_seconds_left)"
}

@test "connect says what the service changed of its own accord" {
	local told
	sandbox app_validation --timeout 60
	e2b_api GET "/sandboxes/$id"
	told=$output
	e2b_switch "$(jq -c '{rules: [{on: "get", skip: 1, reply: {status: 200, json: (. + {lifecycle: {onTimeout: "pause", autoResume: false}})}}]}' <<<"$told")"
	run -0 --separate-stderr sbx-e2b connect --json "$id"
	assert_regex "$stderr" "$id: at its deadline the service will now pause it, not kill"
	e2b_switch "$(jq -c '{rules: [{on: "get", skip: 1, reply: {status: 200, json: (. + {endAt: "2099-01-01T00:00:00Z"})}}]}' <<<"$told")"
	run -0 --separate-stderr sbx-e2b connect --json "$id"
	assert_regex "$stderr" "$id: the service moved its deadline to 2099-01-01T00:00:00Z"
	e2b_switch '{}'
	run -0 --separate-stderr sbx-e2b connect --json "$id"
	assert_equal "$stderr" ''
}

@test "connect finds the sandbox of a line that lost it" {
	sandbox
	start | sbx-e2b connect >"$BATS_TEST_TMPDIR/again"
	assert_equal "$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/again")" "$id"
}

@test "extend reads the deadline back, and says no when it was clamped" {
	sandbox app_validation --timeout 60
	sbx-e2b extend "$id" 600
	e2b_near 600 "$(e2b_seconds_left)"
	run sbx-e2b extend "$id" 30
	assert_failure 1
	assert_output --partial 'more time than that'
	e2b_near 600 "$(e2b_seconds_left)"
	run sbx-e2b extend "$id" 86000
	assert_failure 1
	assert_output --partial 'no longer'
	run sbx-e2b extend "$id" 0
	assert_failure 2
}

@test "rm by id or name, of a paused one too, wakes nothing and takes 404 for gone" {
	sandbox
	e2b_api POST "/sandboxes/$id/pause"
	e2b_ask DELETE requests
	sbx-e2b rm "$(jq -r .sandbox.name "$line")"
	nothing_left
	run grep -wE 'connect|resume' <<<"$(e2b_calls)"
	assert_failure
	sbx-e2b rm "$id"
	sandbox
	e2b_api DELETE "/sandboxes/$id"
	sbx-e2b rm <"$line" >"$BATS_TEST_TMPDIR/torn"
	assert_equal "$(jq -c .teardown "$BATS_TEST_TMPDIR/torn")" '{"confirmed":true,"result":"confirmed"}'
}

@test "rm: a 500 is asked again; what can't be seen to be gone is in doubt" {
	sandbox
	e2b_switch '{"rules": [{"on": "kill", "times": 2, "reply": {"status": 500, "json": {"code": 500, "message": "oh"}}}]}'
	sbx-e2b rm "$id"
	nothing_left
	sandbox
	e2b_switch '{"rules": [{"on": "kill", "times": 99, "reply": {"status": 500, "json": {"code": 500, "message": "oh"}}}]}'
	run --separate-stderr sbx-e2b rm <"$line"
	assert_failure 3
	holds '.teardown == {"confirmed": false, "result": "unconfirmed"} and .error.reason == "teardown_unconfirmed"'
	assert_equal "$(rows | tail -n 1)" unconfirmed
	e2b_switch '{"rules": [{"on": "get", "times": 99, "reply": {"status": 502, "text": "no"}}]}'
	run sbx-e2b rm "$id"
	assert_failure 3
	e2b_switch '{}'
	sbx-e2b rm --orphans
	nothing_left
}

@test "rm: a kill that answers and does nothing is found out" {
	sandbox
	e2b_switch '{"rules": [{"on": "kill", "times": 99, "reply": {"status": 204}}]}'
	run sbx-e2b rm "$id"
	assert_failure 3
	assert_output --partial 'still has it'
}

@test "rm: with another key nothing is known to be gone" {
	sandbox
	E2B_API_KEY=$(e2b_told standin other_key) run sbx-e2b rm "$id"
	assert_failure 3
	assert_output --partial 'another key' || assert_output --partial 'made with the key'
	assert_equal "$(alive)" 1
	sbx-e2b rm "$id"
	nothing_left
}

@test "rm leaves alone what is not of this store" {
	e2b_box '{"metadata": {"purpose": "app_validation"}}'
	run sbx-e2b rm "$id"
	assert_failure 1
	assert_output --partial 'not a sandbox of this store'
	run sbx-e2b exec "$id" true
	assert_failure 1
	sbx-e2b rm --orphans
	assert_equal "$(alive)" 1
}

@test "rm --run ends all of a run; an unreachable service is in doubt" {
	sandbox
	sandbox
	sbx-e2b rm --run "$run_id"
	nothing_left
	sandbox
	E2B_API_URL=http://127.0.0.1:9 run sbx-e2b rm --run "$run_id"
	assert_failure 3
}

@test "list pages, goes by metadata whatever is in it, and shows paused ones" {
	sandbox app_validation --metadata 'odd &=+%/é=a b&c=d+%'
	local odd=$id
	sandbox
	e2b_api POST "/sandboxes/$id/pause"
	run sbx-e2b list --json
	assert_equal "$(jq -rs 'map(.state) | sort | join(" ")' <<<"$output")" 'paused running'
	run sbx-e2b list --json --metadata 'odd &=+%/é=a b&c=d+%'
	assert_equal "$(jq -r .id <<<"$output")" "$odd"
	run sbx-e2b list --metadata nosuch=1
	assert_success
	assert_output ''
	e2b_switch '{"rules": [{"on": "list", "reply": {"status": 200, "headers": {"X-Next-Token": "MjAyNi0wMS0wMVQwMDowMDowMC4wMDBaX19pMDAw"}, "json": [{"sandboxID": "ifirst", "templateID": "t", "state": "running", "endAt": "2026-01-01T00:00:00Z"}]}}]}'
	run sbx-e2b list --json
	assert_success
	assert_equal "$(jq -r .id <<<"${lines[0]}")" ifirst
	assert_equal "$(e2b_ask GET requests | jq -r '[.[] | select(.call == "list")] | length')" 5
}

@test "a list of more sandboxes than a page holds has each of them once" {
	local -a urls=()
	local owner
	sbx-e2b list
	owner=$(sqlite3 "$SBX_STATE/sbx.db" 'SELECT id FROM owner')
	e2b_switch '{"concurrency": 200}'
	for _ in $(seq 103); do urls+=(-o /dev/null "$E2B_API_URL/v2/sandboxes"); done
	curl -q -s --noproxy '*' --max-time 60 -Z --parallel-max 8 -H "X-API-Key: $E2B_API_KEY" \
	    -d '{"templateID": "base", "timeout": 300, "metadata": {"purpose": "app_validation", "sbx.owner": "'"$owner"'"}}' "${urls[@]}" 2>/dev/null
	e2b_ask DELETE requests
	run -0 --separate-stderr sbx-e2b list --json
	assert_equal "$(e2b_calls)" 'list list'
	assert_equal "$(jq -r .id <<<"$output" | sort -u | wc -l)" 103
	assert_equal "$(jq -r .id <<<"$output" | sort)" "$(e2b_ask GET sandboxes | jq -r '.[].id' | sort)"
}

@test "a list whose entries are no sandboxes is no list" {
	local body
	for body in '{"sandboxID": "i0"}' '["i0"]' '[{"templateID": "t"}]' '[{"sandboxID": 3}]'; do
		e2b_switch "{\"rules\": [{\"on\": \"list\", \"reply\": {\"status\": 200, \"json\": $body}}]}"
		run -2 sbx-e2b list
		assert_output --partial "list: the service's answer is no list"
	done
}

@test "caps tells what there is" {
	run sbx-e2b caps --json
	assert_output '{"provider":"e2b","supports_preview":true,"supports_file_io":true,"supports_command_execution":true,"supports_timeout_extension":true}'
}

@test "-n shows each command, secrets by name, and runs nothing" {
	run bash -c 'printf "%s\n" "$1" | sbx-e2b -n create 2>&1 >/dev/null' - "$(start)"
	assert_success
	assert_output --partial '"X-API-KEY: $E2B_API_KEY"'
	assert_output --partial "$E2B_API_URL/v2/sandboxes"
	run sbx-e2b -n exec iabc 'echo hi'
	assert_output --partial 'process.Process/Start'
	assert_output --partial '$ENVD_ACCESS_TOKEN'
	assert_equal "$(e2b_calls)" ''
	assert_not_exists "$SBX_STATE/sbx.db"
}

is_dead() {
	[ "$(e2b_state)" = dead ]
}

@test "a sandbox that is gone before its deadline is told apart from one whose time ran out" {
	e2b_switch '{"vanish_ms": 1500}'
	sandbox
	e2b_eventually is_dead
	run -1 sbx-e2b exec "$id" true
	assert_output --regexp 'does not have it any more, 2[0-9]+ s before its deadline'
	sqlite3 "$SBX_STATE/sbx.db" 'UPDATE sandboxes SET deadline = 1'
	run -1 sbx-e2b exec "$id" true
	assert_output --partial 'has no such thing'
	sbx-e2b rm "$id"
}

@test "with another key a sandbox is not missing but in doubt" {
	sandbox
	E2B_API_KEY=$(e2b_told standin other_key)
	for verb in "exec $id true" "get $id x" "url $id 3000" "extend $id 900" "connect $id" "supervise $id check"; do
		# shellcheck disable=SC2086 # words
		run -3 sbx-e2b $verb
		assert_output --partial 'it was made with the key'
	done
	E2B_API_KEY=$(e2b_told standin key)
}

# The proxy says 502 for a sandbox that does not run and for a port that nobody listens on: only the first is an end.
@test "a port that is not open is no sandbox that is gone" {
	sandbox
	e2b_switch "{\"rules\": [{\"on\": \"start\", \"reply\": {\"status\": 502, \"json\": {\"sandboxId\": \"$id\", \"message\": \"The sandbox is running but port is not open\", \"code\": 502, \"port\": 49983}}}]}"
	run -2 sbx-e2b exec "$id" true
	assert_output --partial 'port is not open'
	e2b_switch "{\"rules\": [{\"on\": \"start\", \"reply\": {\"status\": 502, \"json\": {\"sandboxId\": \"$id\", \"message\": \"The sandbox was not found\", \"code\": 502}}}]}"
	run -1 sbx-e2b exec "$id" true
	assert_output --partial 'does not run'
	run -0 sbx-e2b exec "$id" true
}

@test "every call of a sandbox's own service names the sandbox, as a server of one's own needs it" {
	staged a.py | sbx-e2b create | sbx-e2b put >"$line"
	id=$(jq -r .sandbox.id "$line")
	sbx-e2b exec "$id" true
	sbx-e2b get "$id" a.py >/dev/null
	run jq -c --arg id "$id" '[.[] | select(.call == ("upload", "download", "start", "health", "rpc")) |
	    [.headers["e2b-sandbox-id"] == $id, .headers["e2b-sandbox-port"]]] | unique' <<<"$(e2b_ask GET requests)"
	assert_output '[[true,"49983"]]'
}

@test "without curl it says what is missing, and makes nothing" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	start >"$line"
	PATH=$BATS_TEST_TMPDIR/bin run -2 "$BUILD/bin/sbx-e2b" create <"$line"
	assert_output --partial '"reason":"curl_missing"'
	assert_equal "$(e2b_calls)" ''
	assert_equal "$(rows)" gone
}

@test "killed at any step, sbx-e2b leaves what rm --orphans ends" {
	local points point faults=$BATS_TEST_TMPDIR/faults
	make -s -C "$TOP" FAULTS=1 CFLAGS=-O0 BUILD="$faults" "$faults/bin/sbx-e2b"
	points=$(grep -oh 'crash_point("e2b\.[a-z.]*")' "$TOP"/lib/e2b*.c | cut -d'"' -f2 | sort -u)
	[ "$(wc -w <<<"$points")" -ge 10 ]
	for point in $points; do
		e2b_reset
		run_id=$(new_run)
		staged a.py >"$line.staged"
		case $point in
		e2b.create.undone) e2b_switch '{"overlay": {"templateID": ""}}' ;;
		esac
		run env SBX_CRASH="$point" bash -c '
			sbx=$1 line=$2
			"$sbx" create <"$line.staged" >"$line.1" && "$sbx" put <"$line.1" >"$line.2" || exit
			id=$(jq -r .sandbox.id "$line.1")
			"$sbx" exec "$id" true && "$sbx" connect "$id" && "$sbx" extend "$id" 400 && "$sbx" rm "$id"' - "$faults/bin/sbx-e2b" "$line"
		assert_equal "$point $status" "$point 137"
		e2b_switch '{}'
		age
		sqlite3 "$SBX_STATE/sbx.db" "UPDATE sandboxes SET deadline = 0"
		run sbx-e2b rm --orphans
		assert_equal "$point $status" "$point 0"
		nothing_left || fail "left by $point"
	done
}
