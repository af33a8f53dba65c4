#!/usr/bin/env bats
# providers - one SandboxPort: the same lines and the same words, whichever provider is behind them

load common
load e2b

# What the image brings on the one is bound into sandboxes of the other, and with it the shell, once make shell has run.
setup_file() {
	local local=$BATS_FILE_TMPDIR/local shell=$BUILD/shell
	[ -d "$shell" ] || shell=$BATS_FILE_TMPDIR
	mkdir -p "$local/libexec/sbx" "$local/bin"
	cp "$BUILD/image/sbx-within" "$BUILD/image/sbx-health" "$local/libexec/sbx"
	cp "$TOP/tests/supervisor-stand-in" "$local/libexec/sbx/sbx-supervise"
	ln -s /opt/mozaiks/bin/node "$local/bin/node"
	ln -s /usr/bin/python3 "$local/bin/python"
	chmod -R a+rX "$local"
	e2b_start --bind "$local:/usr/local" --bind "$shell:/opt/mozaiks"
}

teardown_file() {
	e2b_stop
}

# Checks that need nothing but a shell, so that they are the same wherever they run.
setup() {
	common_setup
	e2b_reset
	require_docker
	DOCKER_SANDBOX_IMAGE=$("$TOP/tests/fixture-image")
	require_local
	SBX_SHARE=$BATS_TEST_TMPDIR/share SBX_SHELL=$BATS_TEST_TMPDIR/shell
	export DOCKER_SANDBOX_IMAGE SBX_SHARE SBX_SHELL
	stand_in_shell "$SBX_SHELL"
	mkdir -p "$SBX_SHARE/profiles" "$BATS_TEST_TMPDIR/bundle/deep"
	ln -s "$TOP/share/rules" "$SBX_SHARE/rules"
	cat >"$SBX_SHARE/profiles/shell.json" <<-'END'
		{"name": "shell", "title": "shell scripts", "canonical": false, "layout": {"flat": true}, "owner": {"uid": 10001, "gid": 10001},
		"limits": {}, "needs_acceptance": false, "env": {"GREETING": "hello", "HERE": "/workspace/deep"},
		"steps": [
			{"id": "parse", "title": "parse the scripts", "command": "for f in *.sh; do sh -n \"$f\" || exit; done", "cwd": "/workspace", "limit_s": 30},
			{"id": "run", "title": "run one", "command": "[ \"$(pwd)\" = \"$HERE\" ] && cd /workspace && [ $HERE = /workspace/deep ] && sh hello.sh", "cwd": "/workspace/deep", "limit_s": 30}],
		"claims": ["Every script parses."], "not_claimed": ["What the scripts do."]}
	END
	echo 'echo "$GREETING"; echo "to $0" >&2' >"$BATS_TEST_TMPDIR/bundle/hello.sh"
	head -c 100000 /dev/urandom >"$BATS_TEST_TMPDIR/bundle/deep/any.bin"
	run_id=$(new_run)
}

teardown() {
	[ ! -e "$SBX_STATE/sbx.db" ] || { sbx-docker rm --run "$run_id" && sbx-local rm --run "$run_id"; } >&2
}

# each_provider FUNCTION ... - for all three; each_hosting, for those that can have previews. No "||" here: in its reach a failing
# line of the function would not end it.
each_provider() {
	each_hosting "$@"
	echo "with local:" >&2
	"$@" local
}

each_hosting() {
	local hosting
	for hosting in docker e2b; do
		echo "with $hosting:" >&2
		"$@" "$hosting"
	done
}

# line_of PROVIDER - a line with the staged bundle
line_of() {
	start_line "$1" "$run_id" | sbx-stage --profile shell "$BATS_TEST_TMPDIR/bundle"
}

# What may differ: who made the sandbox, where, when, and how long things took.
without_provider() {
	jq -cS 'del(.strategy, .sandbox.provider, .sandbox.id, .sandbox.name, .sandbox.engine, .sandbox.image, .sandbox.deadline,
		.sandbox.confined, .sandbox.workspace) | .steps[]? |= del(.duration_ms)' "$1"
}

chain() {
	line_of "$1" | "sbx-$1" create --timeout 120 | "sbx-$1" put | sbx-check | "sbx-$1" rm >"$BATS_TEST_TMPDIR/$1.line"
}

same_lines() {
	local provider
	for provider in e2b local; do
		diff <(without_provider "$BATS_TEST_TMPDIR/docker.line") <(without_provider "$BATS_TEST_TMPDIR/$provider.line")
	done
}

@test "one bundle, three providers: the lines differ in the provider's own members alone" {
	each_provider chain
	same_lines
	run jq -r '[.steps[].status, .put.verified, .teardown.confirmed] | join(" ")' "$BATS_TEST_TMPDIR/e2b.line"
	assert_output 'passed passed true true'
}

@test "a check that fails does so in the same words" {
	echo 'if; then' >"$BATS_TEST_TMPDIR/bundle/broken.sh"
	each_provider chain
	same_lines
	run jq -r '[.steps[].status] | join(" ")' "$BATS_TEST_TMPDIR/e2b.line"
	assert_output 'failed not_run'
}

# stages BUNDLE PROVIDER - the mozaiks profile's fixed steps with that bundle; what may not be the same is not in the file
stages() {
	"$TOP/tests/lay-bundle" "$1" "$BATS_TEST_TMPDIR/$1"
	start_line "$2" "$run_id" | jq -c '.commands = ["touch /tmp/owned"]' | sbx-stage "$BATS_TEST_TMPDIR/$1" | "sbx-$2" create |
	    "sbx-$2" put | OPENAI_API_KEY=secret sbx-check | "sbx-$2" rm >"$BATS_TEST_TMPDIR/line"
	jq -cS '[.steps[] | {id, command, cwd, status, exit_code}, .teardown, .sandbox.ports]' "$BATS_TEST_TMPDIR/line" \
	    >"$BATS_TEST_TMPDIR/$2.stages"
	sbx-diagnose <"$BATS_TEST_TMPDIR/line" | jq -cS ".diagnostics | map(del(.message))" >"$BATS_TEST_TMPDIR/$2.diagnostics"
}

@test "the mozaiks profile's stages end alike with each: all well, the first fails, the last fails" {
	local bundle results=
	if [ ! -x "$BUILD/shell/bin/node" ]; then
		[ "${SBX_REQUIRE:-}" != all ] || fail 'make shell has not run'
		skip 'make shell has not run'
	fi
	unset DOCKER_SANDBOX_IMAGE
	jq 'del(.smoke)' "$TOP/share/profiles/mozaiks.json" >"$SBX_SHARE/profiles/mozaiks.json"
	for bundle in todo todo.python-syntax todo.unresolved-import; do
		e2b_ask DELETE requests
		each_hosting stages "$bundle"
		diff "$BATS_TEST_TMPDIR/docker.stages" "$BATS_TEST_TMPDIR/e2b.stages"
		diff "$BATS_TEST_TMPDIR/docker.diagnostics" "$BATS_TEST_TMPDIR/e2b.diagnostics"
		results+="$(jq -r '[.[] | .status? // empty] | join(" ")' "$BATS_TEST_TMPDIR/e2b.stages"), "
		assert_equal "$(e2b_ask GET requests | jq '[.[] | select(.call == "kill")] | length')" 1
		run ! grep -qE 'secret|owned' <<<"$(e2b_ask GET requests)"
	done
	assert_equal "$results" 'passed passed passed, failed not_run not_run, passed passed failed, '
	jq -e 'map(select(.file == "components/TaskList.tsx" and .owned)) | length > 0' "$BATS_TEST_TMPDIR/e2b.diagnostics"
}

smoke() {
	start_line "$1" "$run_id" | sbx-stage "$TOP/share/examples/notes" | sbx-accept | "sbx-$1" create | "sbx-$1" put | sbx-check |
	    "sbx-$1" rm | sbx-verdict >"$BATS_TEST_TMPDIR/$1.line"
	jq -cS '[(.smoke | {status, checks: [.checks[] | {id, status}]}), .verdict.readiness, .verdict.claims]' "$BATS_TEST_TMPDIR/$1.line" \
	    >"$BATS_TEST_TMPDIR/$1.smoke"
}

@test "an app with users passes the runtime smoke with each, and is ready" {
	if [ ! -x "$BUILD/shell/bin/node" ]; then
		[ "${SBX_REQUIRE:-}" != all ] || fail 'make shell has not run'
		skip 'make shell has not run'
	fi
	unset DOCKER_SANDBOX_IMAGE
	SBX_SHARE=$TOP/share
	each_hosting smoke
	diff "$BATS_TEST_TMPDIR/docker.smoke" "$BATS_TEST_TMPDIR/e2b.smoke"
	assert_equal "$(jq -r '"\(.[0].status) \(.[0].checks | length > 5) \(.[1])"' "$BATS_TEST_TMPDIR/e2b.smoke")" 'passed true ready'
}

verbs() {
	local id sbx=sbx-$1
	line_of "$1" | "$sbx" create | "$sbx" put >"$BATS_TEST_TMPDIR/line"
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")

	"$sbx" get "$id" deep/any.bin | cmp - "$BATS_TEST_TMPDIR/bundle/deep/any.bin"
	run --separate-stderr "$sbx" exec "$id" 'echo out; echo err >&2; exit 9'
	assert_equal "$status $output $stderr" '9 out err'
	run "$sbx" exec --timeout 1 "$id" 'sleep 60 & sleep 60'
	assert_equal "$status" 124
	run "$sbx" get "$id" missing
	assert_equal "$status" 1
	run "$sbx" url "$id" 3000
	assert_equal "$status" 1
	run "$sbx" connect --json "$id"
	assert_success
	assert_equal "$(jq -r '"\(.provider) \(.id)"' <<<"$output")" "$1 $id"
	run "$sbx" list
	assert_output --partial "$run_id"
	run "$sbx" connect "$(awk -v run="$run_id" '$NF == run { print $1 }' <<<"$output")"
	assert_success
	run "$sbx" caps --json
	assert_equal "$(jq -r .provider <<<"$output")" "$1"
	"$sbx" rm "$id"
	"$sbx" rm "$id"
	for verb in "exec $id true" "get $id x" "connect $id"; do
		# shellcheck disable=SC2086 # words
		run "$sbx" $verb
		assert_equal "$verb $status" "$verb 1"
	done
}

@test "every verb gives the same status with each" {
	each_provider verbs
}

# given_from_descriptor PROVIDER - values from a descriptor come with the sandbox and with one command, exact, and are told nowhere else
given_from_descriptor() {
	local id sbx=sbx-$1 value=$'se"cret \n\'$HOME'
	line_of "$1" >"$BATS_TEST_TMPDIR/staged"
	jq -cn --arg value "$value" '{GIVEN: $value}' |
	    "$sbx" -v create --env-from /dev/fd/3 3<&0 <"$BATS_TEST_TMPDIR/staged" >"$BATS_TEST_TMPDIR/line" 2>"$BATS_TEST_TMPDIR/told"
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
	run -0 "$sbx" exec "$id" 'printf %s "$GIVEN"'
	assert_output "$value"
	LATER=b run -0 "$sbx" exec -e LATER --env-from <(echo '{"GIVEN":"a","LATER":"c"}') "$id" 'echo $GIVEN$LATER'
	assert_output ab
	run -0 "$sbx" exec -n --env-from <(echo '{"GIVEN":"hidden"}') "$id" true
	assert_output --partial '$GIVEN'
	refute_output --partial hidden
	"$sbx" rm "$id"
	! grep -rqE 'se\?"cret' "$BATS_TEST_TMPDIR/line" "$BATS_TEST_TMPDIR/told" "$SBX_STATE" || return 1
	for bad in '' '[]' '{"A":1}' '{"1A":"x"}' '{"A":"x"'; do
		run -2 --separate-stderr "$sbx" create --env-from <(printf %s "$bad") <"$BATS_TEST_TMPDIR/staged"
		assert_equal "$output" ''
	done
}

@test "values come from a descriptor, too, and stand in no line, log or store" {
	each_provider given_from_descriptor
}

# preview PROVIDER - a preview's sandbox, its line and its id
preview() {
	start_line "$1" "$run_id" | jq -c '.purpose = "artifact_preview"' | "sbx-$1" create >"$BATS_TEST_TMPDIR/line"
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
}

supervised() {
	local sbx=sbx-$1
	preview "$1"
	run -1 --separate-stderr "$sbx" supervise "$id" check
	assert_equal "$stderr" 'not running'
	GREETING=hello run -0 "$sbx" supervise --env GREETING "$id" start -- --preview-url "it's here" '$HOME'
	assert_output ''
	e2b_eventually "$sbx" -q supervise "$id" check >/dev/null
	run -0 "$sbx" supervise "$id" check
	assert_line --index 0 "start --preview-url it's here \$HOME"
	[ "$1" = e2b ] || assert_line --index 1 /workspace
	assert_line --index 2 GREETING=hello
	run -0 "$sbx" supervise "$id" install -- -x
	assert_output 'installed with -x'
	run -0 "$sbx" supervise "$id" stop
	run -1 "$sbx" supervise "$id" check
	run -1 "$sbx" exec "$id" true
	assert_output --partial 'no commands are run in a sandbox of purpose artifact_preview'
	"$sbx" rm "$id"
	run -1 "$sbx" supervise "$id" start
}

@test "the supervisor of a preview is started and goes on, is asked, stopped, and nobody else's command runs there" {
	each_hosting supervised
}

# looked_inside PROVIDER - a port that only the inside can reach is seen there
looked_inside() {
	local sbx=sbx-$1 id
	line_of "$1" | "$sbx" create >"$BATS_TEST_TMPDIR/line"
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
	run -1 sbx-health --timeout 1 --via "$1:$id" --tcp localhost:3000
	assert_output 'sbx-health: localhost:3000: nobody listens there'
	"$sbx" exec "$id" 'exec perl -MIO::Socket::INET -e '\''
	    my $s = IO::Socket::INET->new(Listen => 9, LocalAddr => "127.0.0.1:3000") or die; push @all, $s->accept while 1'\' 2>/dev/null 3>&- &
	run -0 sbx-health --via "$1:$id" --tcp localhost:3000 --good 2
	run -0 --separate-stderr sbx-health --tcp :3000 <"$BATS_TEST_TMPDIR/line"
	assert_equal "$(jq -c '.health | del(.attempts, .duration_ms)' <<<"$output")" '{"healthy":true}'
	"$sbx" rm "$id"
	wait
}

@test "health looks inside a sandbox" {
	each_hosting looked_inside
}

supervised_line() {
	local sbx=sbx-$1 how
	preview "$1"
	for how in 'check failed 1' 'start started null' 'check passed 0' 'stop passed 0'; do
		set -- $how
		run --separate-stderr "$sbx" supervise "$1" <"$BATS_TEST_TMPDIR/line"
		assert_equal "$(jq -r '.supervise | "\(.action) \(.status) \(.exit_code)"' <<<"$output")" "$how"
		assert_equal "$(jq -r '.error.reason' <<<"$output")" "$([ "$2" = failed ] && echo supervise_failed || echo null)"
		[ "$1" != start ] || e2b_eventually "$sbx" -q supervise "$id" check >/dev/null
	done
	"$sbx" rm "$id"
}

@test "supervise on a line adds what came of it, and what failed is an error" {
	each_hosting supervised_line
}

@test "supervise: a local sandbox has none; bad use is one sentence" {
	run -1 sbx-local supervise l-1 start
	assert_output --partial "can't do that"
	for words in 'i0 restart' 'i0'; do
		# shellcheck disable=SC2086 # words
		run -2 sbx-e2b supervise $words
		assert_output --partial 'install, start, stop or check'
	done
}

# Without a deadline for its stream a command goes on when we have left; with one, the service would end it.
@test "e2b: a start sends no deadline, and what came of it is told: refused, or nobody knows" {
	preview e2b
	sbx-e2b supervise "$id" start
	assert_equal "$(e2b_ask GET requests | jq -c '[.[] | select(.call == "start") | .headers | has("connect-timeout-ms")] | unique')" '[false]'
	e2b_switch '{"rules": [{"on": "start", "skip": 1, "reply": {"status": 429, "json": {"code": 429, "message": "Rate limit exceeded"}}}]}'
	run -75 sbx-e2b supervise "$id" start
	e2b_switch '{"rules": [{"on": "start", "skip": 1, "cut": {"how": "clean", "after": 0}}]}'
	run -2 sbx-e2b supervise "$id" start
	assert_output --partial 'the sandbox was removed'
	assert_equal "$(e2b_inside "$id" .state)" dead
}

other_line() {
	local other=docker
	[ "$1" = e2b ] || other=e2b
	run bash -c 'printf "%s\n" "$1" | "$2" create' - "$(start_line "$other")" "sbx-$1"
	assert_equal "$status" 2
	assert_output --partial provider_mismatch
}

@test "a line of another provider's is refused" {
	each_provider other_line
}

@test "a key alone never selects e2b; an explicit word does" {
	run sbx-resolve validation
	assert_equal "$(jq -r .strategy.name <<<"$output")" docker
	run sbx-resolve --strategy e2b validation
	assert_equal "$(jq -r .strategy.name <<<"$output")" e2b
}

@test "sbx-validate gives the same verdict with each, and leaves nothing" {
	local provider
	for provider in docker e2b local; do
		run --separate-stderr sbx-validate --profile shell --strategy "$provider" --timeout 60 "$BATS_TEST_TMPDIR/bundle"
		assert_equal "$provider $(jq -r '[.verdict.readiness, .steps[].status, .teardown.result] | join(" ")' <<<"$output")" \
		    "$provider ready passed passed confirmed"
		jq -cS '.verdict | del(.. | .duration_ms?)' <<<"$output" >"$BATS_TEST_TMPDIR/$provider.verdict"
	done
	diff "$BATS_TEST_TMPDIR/docker.verdict" "$BATS_TEST_TMPDIR/e2b.verdict"
	diff "$BATS_TEST_TMPDIR/docker.verdict" "$BATS_TEST_TMPDIR/local.verdict"
	assert_equal "$(e2b_ask GET sandboxes | jq '[.[] | select(.state != "dead")] | length')" 0
}

validate_e2b() {
	run --separate-stderr sbx-validate --profile shell --strategy e2b --timeout 60 "$@" "$BATS_TEST_TMPDIR/bundle"
}

alive() {
	e2b_ask GET sandboxes | jq '[.[] | select(.state != "dead")] | length'
}

# one_kill STATUSES - a validation that ends with its checks so
one_kill() {
	e2b_ask DELETE requests
	validate_e2b
	assert_equal "$status $(jq -c '[.steps[].status, .result.sandbox_provider, .result.sandbox_terminated, .result.preview_url]' <<<"$output")" \
	    "1 [$1,\"e2b\",true,null]"
	assert_equal "$(e2b_calls | tr ' ' '\n' | grep -c '^kill$') $(alive)" '1 0'
}

@test "sbx-validate on e2b ends its sandbox once, whichever check fails, and never tells a URL" {
	echo 'exit 3' >"$BATS_TEST_TMPDIR/bundle/hello.sh"
	one_kill '"passed","failed"'
	echo 'if; then' >"$BATS_TEST_TMPDIR/bundle/broken.sh"
	one_kill '"failed","not_run"'
}

@test "sbx-validate on e2b: a kill that the service refuses is our trouble, in doubt, and names what is left" {
	local no='{"on": "kill", "times": 1000, "reply": {"status": 500, "json": {"code": 500, "message": "no node"}}}'
	e2b_switch "{\"rules\": [$no]}"
	validate_e2b
	assert_equal "$status $(jq -c '[.steps[].status, .result.sandbox_terminated, .result.infrastructure_failure, .result.success]' <<<"$output")" \
	    '3 ["passed","passed",false,true,false]'
	assert_equal "$(jq -r .result.sandbox_session_id <<<"$output")" "$(e2b_ask GET sandboxes | jq -r '.[0].id')"
	e2b_switch '{}'
	sbx-e2b -q rm "$(jq -r .result.sandbox_session_id <<<"$output")"
}

# The check itself runs, not what put needs.
checks() {
	e2b_ask GET sandboxes | jq -e 'any(.[].processes[].config.args[]; . == "sleep 77")' >/dev/null
}

@test "sbx-validate on e2b: a signal during a check ends the sandbox" {
	local status=0
	jq '.steps[0].command = "sleep 77"' "$SBX_SHARE/profiles/shell.json" >"$BATS_TEST_TMPDIR/slow"
	cp "$BATS_TEST_TMPDIR/slow" "$SBX_SHARE/profiles/shell.json"
	env --default-signal=INT sbx-validate --profile shell --strategy e2b --timeout 60 "$BATS_TEST_TMPDIR/bundle" \
	    >"$BATS_TEST_TMPDIR/line" 2>/dev/null 3>&- &
	e2b_eventually checks
	kill -INT $!
	wait $! || status=$?
	assert_equal "$status" 130
	assert_equal "$(jq -r .teardown.result "$BATS_TEST_TMPDIR/line") $(alive)" 'confirmed 0'
}

@test "E2B_TIMEOUT caps a validation that asks for more" {
	E2B_TIMEOUT=50 run --separate-stderr sbx-validate --profile shell --strategy e2b --timeout 90 "$BATS_TEST_TMPDIR/bundle"
	assert_equal "$(jq -r '.steps[].status' <<<"$output")" $'passed\npassed'
	assert_equal "$(e2b_ask GET requests | jq '[.[] | select(.call == "create")][0].body | (if type == "string" then fromjson else . end).timeout')" 50
}
