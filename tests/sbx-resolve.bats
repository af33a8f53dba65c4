#!/usr/bin/env bats
# sbx-resolve - where a build is validated, which provider hosts a preview, and why

bats_require_minimum_version 1.5.0
load common

WORDS='e2b docker local skip'

# A machine without an Engine whose PATH holds what sbx-resolve itself needs; npm_here puts npm on it.
setup() {
	common_setup
	engine=${SBX_DOCKER_SOCKET:-}
	bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	ln -s "$BUILD/bin/sbx-resolve" "$(command -v curl)" "$bin"
	export SBX_DOCKER_SOCKET=$BATS_TEST_TMPDIR/none.sock
	unset XDG_RUNTIME_DIR
}

npm_here() {
	printf '#!/bin/sh\n' >"$bin/npm"
	chmod 755 "$bin/npm"
}

engine_here() {
	[ -z "$engine" ] && unset SBX_DOCKER_SOCKET || SBX_DOCKER_SOCKET=$engine
	require_docker
}

# resolve [NAME=VALUE ...] [ARGUMENT ...]
resolve() {
	local set=()
	while [[ ${1:-} =~ ^[A-Z0-9_]+= ]]; do
		set+=("$1")
		shift
	done
	run --separate-stderr env PATH="$bin" "${set[@]}" sbx-resolve "$@"
}

# chosen NAME SOURCE - the line is whole, has no error, and says so
chosen() {
	assert_success
	[ "$(jq -r '[.strategy.name, .strategy.source, (.strategy.reason | length > 0), has("error")] | @tsv' <<<"$output")" = \
	    "$1"$'\t'"$2"$'\ttrue\tfalse' ] || { echo "$output" >&2; return 1; }
}

# failed STRATEGY SOURCE REASON - there is a line, with that error, and the status is 2
failed() {
	assert_equal "$status" 2
	[ "$(jq -r '[.strategy.name, .strategy.source, .error.by, .error.reason, .error.status] | @tsv' <<<"$output")" = \
	    "$1"$'\t'"$2"$'\tsbx-resolve\t'"$3"$'\t2' ] || { echo "$output" >&2; return 1; }
	[ "$stderr" = "sbx-resolve: $(jq -r .error.message <<<"$output")" ]
}

@test "starts a line with a run of its own and the purpose" {
	resolve validation
	assert_success
	assert_regex "$output" '^\{"sbx":1,"run":"[0-9a-f]{32}","purpose":"app_validation","strategy":\{[^}]*\}\}$'
	first=$(jq -r .run <<<"$output")
	resolve validation
	assert_not_equal "$(jq -r .run <<<"$output")" "$first"
}

@test "automatic: docker where an Engine answers, even with npm and a key" {
	engine_here
	npm_here
	resolve E2B_API_KEY=key validation
	chosen docker automatic
	[[ $(jq -r .strategy.reason <<<"$output") = *"$SBX_DOCKER_SOCKET"* ]]
}

@test "automatic: local where only npm is on PATH, skip where nothing is, e2b never" {
	resolve E2B_API_KEY=key validation
	chosen skip automatic
	npm_here
	resolve E2B_API_KEY=key validation
	chosen local automatic
}

@test "automatic: what only looks like npm is not on PATH" {
	mkdir "$bin/npm"
	resolve validation
	chosen skip automatic
	rmdir "$bin/npm"
	touch "$bin/npm"
	chmod 644 "$bin/npm"
	resolve validation
	chosen skip automatic
}

@test "automatic: an Engine that does not answer within 5 seconds is not there" {
	python3 - "$BATS_TEST_TMPDIR/hung.sock" <<-'END' &
		import os, socket, sys, time
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + ".new")
		s.listen(8)
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		time.sleep(60)
	END
	hung=$!
	while [ ! -S "$BATS_TEST_TMPDIR/hung.sock" ]; do sleep 0.05; done
	resolve SBX_DOCKER_SOCKET="$BATS_TEST_TMPDIR/hung.sock" validation
	kill "$hung"
	chosen skip automatic
}

@test "automatic: an Engine that answers with an error is not there" {
	python3 - "$BATS_TEST_TMPDIR/sick.sock" <<-'END' &
		import os, socket, sys
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + ".new")
		s.listen(8)
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		c, _ = s.accept()
		c.recv(65536)
		c.sendall(b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n")
	END
	sick=$!
	while [ ! -S "$BATS_TEST_TMPDIR/sick.sock" ]; do sleep 0.05; done
	resolve SBX_DOCKER_SOCKET="$BATS_TEST_TMPDIR/sick.sock" -v validation
	wait "$sick"
	chosen skip automatic
	[[ $stderr = *500* ]]
}

@test "the operator beats the request and the workflow, for each combination" {
	local operator request
	for operator in local skip; do
		for request in $WORDS; do
			resolve MOZAIKS_APP_VALIDATION_STRATEGY=$operator validation --strategy $request
			chosen $operator environment
			resolve MOZAIKS_APP_VALIDATION_STRATEGY=$operator validation --context $request
			chosen $operator environment
			resolve MOZAIKS_APP_VALIDATION_STRATEGY=$operator validation --strategy skip --context $request
			chosen $operator environment
		done
	done
	resolve MOZAIKS_APP_VALIDATION_STRATEGY=e2b E2B_API_KEY=key validation --strategy local
	chosen e2b environment
}

@test "the request beats the workflow, and the workflow what is automatic" {
	npm_here
	resolve validation --strategy skip --context local
	chosen skip argument
	resolve validation --context skip
	chosen skip context
}

@test "the operator's docker beats all others" {
	engine_here
	resolve MOZAIKS_APP_VALIDATION_STRATEGY=docker validation --strategy skip
	chosen docker environment
	resolve validation --strategy docker
	chosen docker argument
}

@test "each word is accepted, whatever its case and the space around it" {
	resolve validation --strategy ' LoCaL	'
	chosen local argument
	resolve MOZAIKS_APP_VALIDATION_STRATEGY='  Skip ' validation
	chosen skip environment
	resolve E2B_API_KEY=key validation -s E2B
	chosen e2b argument
	engine_here
	resolve validation -s DOCKER
	chosen docker argument
}

@test "a blank operator value is none" {
	for blank in '' ' ' $'\t \n'; do
		resolve MOZAIKS_APP_VALIDATION_STRATEGY="$blank" validation --strategy local
		chosen local argument
	done
}

@test "an invalid operator value fails even with a valid request, names itself and the four words" {
	for bad in auto dockerx 'docker skip' none; do
		resolve MOZAIKS_APP_VALIDATION_STRATEGY="$bad" validation --strategy skip --context skip
		failed skip environment strategy_invalid
		[[ $stderr = *"'$bad'"*'e2b, docker, local, skip'* ]]
	done
}

@test "a blank or unknown request fails; it does not fall through" {
	for bad in '' ' ' auto; do
		resolve validation --strategy "$bad" --context skip
		failed skip argument strategy_invalid
		resolve validation --context "$bad"
		failed skip context strategy_invalid
	done
}

@test "a value cannot break out of its message" {
	resolve validation --strategy $'x\n\e[31m"\xff'
	failed skip argument strategy_invalid
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ $stderr != *$'\e'* ]]
}

@test "a provider that was asked for and cannot work is not replaced" {
	npm_here
	resolve validation --strategy docker
	failed docker argument engine_unreachable
	[[ $stderr = *"$SBX_DOCKER_SOCKET"* ]]
	resolve MOZAIKS_APP_VALIDATION_STRATEGY=docker validation
	failed docker environment engine_unreachable
	for blank in '' ' '; do
		resolve E2B_API_KEY="$blank" validation --strategy e2b
		failed e2b argument e2b_key_missing
		[[ $stderr = *E2B_API_KEY* ]]
	done
}

@test "the Engine is spoken to through a local socket or not at all" {
	resolve SBX_DOCKER_SOCKET=tcp://127.0.0.1:2375 validation
	failed skip automatic socket_invalid
	resolve DOCKER_HOST=tcp://127.0.0.1:1 validation
	chosen skip automatic
}

@test "--socket wins over SBX_DOCKER_SOCKET" {
	engine_here
	resolve SBX_DOCKER_SOCKET="$BATS_TEST_TMPDIR/none.sock" validation --socket "$SBX_DOCKER_SOCKET"
	chosen docker automatic
}

@test "preview: docker unless the operator says e2b; a key alone changes nothing" {
	engine_here
	resolve E2B_API_KEY=key preview
	chosen docker automatic
	assert_equal "$(jq -r .purpose <<<"$output")" artifact_preview
	resolve MOZAIKS_PREVIEW_PROVIDER=' Docker ' preview
	chosen docker environment
	resolve MOZAIKS_PREVIEW_PROVIDER=E2B E2B_API_KEY=key preview
	chosen e2b environment
}

@test "preview: the validation's variable has no say" {
	engine_here
	resolve MOZAIKS_APP_VALIDATION_STRATEGY=nonsense preview
	chosen docker automatic
}

@test "preview: what is missing is said, and nothing else is tried" {
	npm_here
	resolve E2B_API_KEY=key preview
	failed docker automatic engine_unreachable
	resolve MOZAIKS_PREVIEW_PROVIDER=e2b E2B_API_KEY=' ' preview
	failed e2b environment e2b_key_missing
	for bad in local skip auto; do
		resolve MOZAIKS_PREVIEW_PROVIDER=$bad preview
		assert_equal "$status" 2
		assert_equal "$(jq -r '[has("strategy"), .error.reason] | @tsv' <<<"$output")" $'false\tprovider_invalid'
		[[ $stderr = *"'$bad'"*'docker, e2b'* ]]
	done
}

@test "preview: neither request nor workflow chooses the provider" {
	resolve preview --strategy docker
	assert_equal "$status" 2
	assert_equal "$output" ''
}

@test "-: reads lines instead of starting one, keeps their bytes, gives a run to those without" {
	export PATH=$bin:$PATH
	run bash -c "printf '%s\n' '{\"sbx\":1,  \"owner\":{\"user\":\"u\"}}' | sbx-resolve validation -s skip -"
	assert_success
	assert_regex "$output" '^\{"sbx":1,  "owner":\{"user":"u"\},"run":"[0-9a-f]{32}","purpose":"app_validation","strategy":'
	run bash -c "start() { printf '{\"sbx\":1,\"run\":\"%032d\"}\n' \$1; }; { start 1; start 2; } | sbx-resolve validation -s skip - | jq -r .run"
	assert_output "$(printf '%032d\n%032d' 1 2)"
}

@test "-: a line that is resolved already is refused, one with an error passes" {
	export PATH=$bin:$PATH
	run bash -c "sbx-resolve validation -s skip | sbx-resolve validation -s local - 2>/dev/null"
	assert_equal "$status" 2
	assert_equal "$(jq -r '[.strategy.name, .error.reason] | @tsv' <<<"$output")" $'skip\tmember_exists'
	run bash -c "printf '%s\n' '{\"sbx\":1,\"error\":{\"by\":\"x\",\"reason\":\"y\",\"message\":\"z\",\"status\":75}}' | sbx-resolve validation -"
	assert_equal "$status" 75
	assert_equal "$(jq -c 'has("strategy")' <<<"$output")" false
	run bash -c "printf '%s\n' '{\"sbx\":1,\"run\":\"../x\"}' | sbx-resolve validation -s skip - 2>/dev/null"
	assert_equal "$status" 2
	assert_equal "$(jq -r .error.reason <<<"$output")" run_missing
}

@test "--list: the four values in order, which of them can work, the default and its reason" {
	npm_here
	resolve --list --json
	assert_success
	assert_equal "$(jq -r '.allowed_values | join(" ")' <<<"$output")" "$WORDS"
	assert_equal "$(jq -r '[.options[].value] | join(" ")' <<<"$output")" "$WORDS"
	assert_equal "$(jq -c '[.options[].available]' <<<"$output")" '[false,false,true,true]'
	assert_equal "$(jq -r .default_value <<<"$output")" local
	jq -e '(.default_reason | length > 0) and all(.options[]; (.label | length > 0) and (.description | length > 0))' <<<"$output"
	resolve -l
	assert_success
	assert_equal "$(awk '{ printf "%s ", $1 }' <<<"$output")" "$WORDS default: "
	resolve E2B_API_KEY=key MOZAIKS_APP_VALIDATION_STRATEGY=e2b -l --json
	assert_equal "$(jq -r '[.default_value, .options[0].available] | @tsv' <<<"$output")" $'e2b\ttrue'
}

@test "--list: shows an Engine that answers; an invalid operator value is no answer" {
	resolve MOZAIKS_APP_VALIDATION_STRATEGY=auto -l
	assert_equal "$status" 2
	assert_equal "$output" ''
	engine_here
	resolve -l --json
	assert_equal "$(jq -r '[.default_value, .options[1].available] | @tsv' <<<"$output")" $'docker\ttrue'
}

@test "operands are checked" {
	for wrong in '' nothing 'validation x' '-l validation' '-l -s skip' 'validation --json' 'validation - -'; do
		# shellcheck disable=SC2086
		resolve $wrong
		assert_equal "$status" 2
		assert_equal "$output" ''
	done
}

@test "a signal while the Engine is asked ends it with no choice made" {
	python3 - "$BATS_TEST_TMPDIR/slow.sock" "$BATS_TEST_TMPDIR/asked" <<-'END' &
		import os, socket, sys, time
		s = socket.socket(socket.AF_UNIX)
		s.bind(sys.argv[1] + ".new")
		s.listen(8)
		os.rename(sys.argv[1] + ".new", sys.argv[1])
		c, _ = s.accept()
		open(sys.argv[2], "w").close()
		time.sleep(60)
	END
	slow=$!
	while [ ! -S "$BATS_TEST_TMPDIR/slow.sock" ]; do sleep 0.05; done
	SBX_DOCKER_SOCKET=$BATS_TEST_TMPDIR/slow.sock sbx-resolve validation >"$BATS_TEST_TMPDIR/line" 2>/dev/null &
	resolver=$!
	while [ ! -e "$BATS_TEST_TMPDIR/asked" ]; do sleep 0.05; done
	kill -TERM "$resolver"
	status=0
	wait "$resolver" || status=$?
	kill "$slow"
	assert_equal "$status" 143
	assert_equal "$(jq -r '[.strategy.name, .error.reason, .error.status] | @tsv' "$BATS_TEST_TMPDIR/line")" $'skip\tstopped\t143'
}
