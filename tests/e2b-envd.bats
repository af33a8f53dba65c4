#!/usr/bin/env bats
# e2b-envd - the stand-in's sandboxes from within, judged by curl and by the official Connect server

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
}

# A stream with what differs from run to run left out: pids, and in how many pieces an output came.
essence() {
	sed 's/"pid":[0-9]*/"pid":N/' <<<"$output" | grep -v '"data"'
	printf 'stdout %s\nstderr %s\n' "$(e2b_said stdout | sha256sum)" "$(e2b_said stderr | sha256sum)"
}

@test "its streams are those of the official Connect server" {
	e2b_box
	for line in 'echo hi; echo trouble >&2; exit 3' 'exit 0' 'seq 20000' 'printf "\303"; sleep 0.1; printf "\244\0\377"' 'kill -KILL $$'; do
		e2b_command "$(e2b_line "$line")"
		essence >"$BATS_TEST_TMPDIR/ours"
		url=$(e2b_told reference url) e2b_command "$(e2b_line "$line")"
		run -0 essence
		assert_output "$(cat "$BATS_TEST_TMPDIR/ours")"
		assert_line --regexp '^2 \{\}$'
	done
	for process in '{"cmd": "true", "cwd": "/none"}'; do
		e2b_command "{\"process\": $process, \"stdin\": false}"
		cp "$BATS_TEST_TMPDIR/stream" "$BATS_TEST_TMPDIR/ours"
		url=$(e2b_told reference url) e2b_command "{\"process\": $process, \"stdin\": false}"
		cmp "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/stream"
		assert_output --regexp '^2 \{"error":\{"code":"invalid_argument"'
	done
}

@test "the official SDK takes the official Connect server for a sandbox's service" {
	cat >"$BATS_TEST_TMPDIR/run.mjs" <<-'END'
		import assert from 'node:assert/strict'
		import { createRequire } from 'node:module'
		const { Sandbox, CommandExitError, TimeoutError } = createRequire(`${process.cwd()}/package.json`)('e2b')
		const box = await Sandbox.create('base')
		const { stdout, stderr } = await box.commands.run('echo hi; echo trouble >&2')
		assert.deepEqual([stdout, stderr], ['hi\n', 'trouble\n'])
		await assert.rejects(box.commands.run('exit 4'), (error) => error instanceof CommandExitError && error.exitCode === 4)
		await assert.rejects(box.commands.run('true', { cwd: '/none' }), /cwd/)
		await assert.rejects(box.commands.run('sleep 20', { timeoutMs: 300 }), TimeoutError)
		const cat = await box.commands.run('cat', { background: true, stdin: true })
		await box.commands.sendStdin(cat.pid, 'typed\n')
		await box.commands.closeStdin(cat.pid)
		assert.equal((await cat.wait()).stdout, 'typed\n')
		const slow = await box.commands.run('sleep 20', { background: true })
		assert.equal(await slow.kill(), true)
		await assert.rejects(slow.wait(), CommandExitError)
		assert.equal(await slow.kill(), false)
		await box.kill()
		console.log('all seven')
	END
	cd "$BUILD/e2b"
	E2B_SANDBOX_URL=$(e2b_told reference url) HOME=$BATS_TEST_TMPDIR run -0 "$E2B_NODE" "$BATS_TEST_TMPDIR/run.mjs"
	assert_output 'all seven'
	run e2b_calls
	assert_output 'create kill'
}

# The wire format is whatever the reference accepts, and not what our own two ends agree on.
@test "the official Connect server refuses a request that is framed badly" {
	local reference
	reference=$(e2b_told reference url)/process.Process/Start
	send() {
		curl -q -sS --noproxy '*' --max-time 20 -H "Content-Type: ${2:-application/connect+json}" --data-binary @- "$reference" \
		    -w '%{http_code}' <<<"$1" | tr -d '\0'
	}
	run send '{"process": {"cmd": "true"}}'
	assert_output --partial '"code":"invalid_argument"'
	run send '{"process": {"cmd": "true"}}' application/json
	assert_output 415
}

@test "a stream is cut in each of five ways, and curl alone does not tell them all from an end" {
	e2b_box
	while read -r how after curls flags last; do
		e2b_switch "{\"rules\": [{\"on\": \"start\", \"cut\": {\"how\": \"$how\", \"after\": $after}}]}"
		e2b_command "$(e2b_line 'echo one; sleep 0.2; echo two; exit 3')" --max-time 3
		assert_equal "$how $status $curl_status" "$how 200 $curls"
		assert_equal "$how $(grep -c "^$flags" <<<"$output") $(tail -n 1 <<<"$output" | cut -c1-3)" "$how 2 $last"
		refute_line --regexp '^2 '
	done <<-'END'
		fin 2 18 0 cut
		rst 2 56 0 0 {
		hang 2 28 0 0 {
		clean 2 0 0 0 {
		short 2 0 0 cut
	END
	e2b_switch '{"rules": [{"on": "start", "cut": {"how": "clean", "after": 3}}]}'
	e2b_command "$(e2b_line 'echo one')"
	assert_line --partial '"exited":true'
	refute_line --regexp '^2 '
}

@test "spaces and pieces change no message" {
	e2b_box
	e2b_command "$(e2b_line 'echo hi; exit 3')"
	essence >"$BATS_TEST_TMPDIR/plain"
	e2b_switch '{"spaces": true, "split": 1}'
	e2b_command "$(e2b_line 'echo hi; exit 3')"
	run essence
	assert_output "$(cat "$BATS_TEST_TMPDIR/plain")"
	grep -q '"event": {' "$BATS_TEST_TMPDIR/stream"
}

@test "a deadline kills the command, even one that nobody listens to any more" {
	local mark
	mark=$(e2b_mark)
	e2b_box
	e2b_command "$(e2b_line 'echo begun; sleep 2345')" -H 'Connect-Timeout-Ms: 1500'
	assert_line --index 2 --regexp '^2 \{"error":\{"code":"deadline_exceeded"'
	e2b_command "$(e2b_line "exec sleep $mark")" -H 'Connect-Timeout-Ms: 5000' --max-time 2
	assert_equal "$curl_status" 28
	e2b_runs "$mark"
	e2b_eventually eval '! e2b_runs "$mark"'
	e2b_switch '{"deadline_end": true}'
	e2b_command "$(e2b_line 'exec sleep 2345')" -H 'Connect-Timeout-Ms: 1500'
	assert_line --index 1 --partial '"status":"signal: killed"'
	assert_line --index 2 --partial deadline_exceeded
}

# go N, gone N - what the command of the next test waits for, and whether it saw it
go() {
	: >"$(e2b_inside "$id" .directory)/workspace/go$1"
}

gone() {
	[ ! -e "$(e2b_inside "$id" .directory)/workspace/go$1" ]
}

@test "a command outlives its listener, whose output is lost, and its end is kept for a late one" {
	e2b_box
	e2b_command "$(e2b_line 'echo one; for i in 1 2; do until rm /workspace/go$i; do sleep 0.05; done 2>/dev/null; echo $i; done; exit 7' |
	    jq -c '. + {tag: "mine"}')" --max-time 2
	assert_equal "$(e2b_said stdout)" one
	go 1
	e2b_eventually gone 1
	method=Connect e2b_command '{"process": {"tag": "mine"}}' &
	local listener=$!
	e2b_eventually eval '[[ "$(e2b_calls)" = *attach* ]]'
	go 2
	wait "$listener"
	output=$(e2b_frames <"$BATS_TEST_TMPDIR/stream")
	assert_equal "$(e2b_said stdout)" 2
	method=Connect e2b_command '{"process": {"tag": "mine"}}'
	assert_line --index 0 --partial '"start"'
	assert_line --index 1 --partial '"exitCode":7'
	assert_line --index 2 '2 {}'
	method=Connect e2b_command '{"process": {"pid": 99999}}'
	assert_output --regexp '^2 \{"error":\{"code":"not_found"'
}

@test "a signal reaches the command alone; its group and its children are another command's to end" {
	local pid mark
	mark=$(e2b_mark)
	e2b_box
	e2b_command "$(e2b_line "sh -c 'sleep $mark; :' & wait")" --max-time 2
	pid=$(sed -n '1s/.*"pid":\([0-9]*\).*/\1/p' <<<"$output")
	e2b_rpc process.Process/List '{}'
	assert_equal "$(jq -c '[.processes[] | [.pid, .config.cmd, .config.cwd]]' <<<"$output")" "[[$pid,\"/bin/sh\",\"/home/user\"]]"
	e2b_rpc process.Process/SendSignal "{\"process\": {\"pid\": $pid}, \"signal\": \"SIGNAL_SIGTERM\"}"
	assert_equal "$status $output" '200 {}'
	e2b_command "$(e2b_line "test ! -e /proc/$pid; pgrep -u user sleep >/dev/null")"
	assert_line --partial '"exit status 0"'
	e2b_command "$(e2b_line 'pkill -x sleep')"
	e2b_eventually eval '! e2b_runs "$mark"'
	e2b_rpc process.Process/SendSignal "{\"process\": {\"pid\": $pid}, \"signal\": \"SIGNAL_SIGKILL\"}"
	assert_equal "$status $(jq -r .code <<<"$output")" '404 not_found'
	e2b_rpc process.Process/SendSignal "{\"process\": {\"pid\": $pid}, \"signal\": \"SIGNAL_SIGHUP\"}"
	assert_equal "$status $(jq -r .code <<<"$output")" '400 invalid_argument'
	e2b_command "$(e2b_line 'setsid sh -c "sleep 6789 & sleep 6789" & until [ "$(pgrep -u user -xc sleep)" = 2 ]; do :; done; kill -KILL -$!
		while pgrep -u user -x sleep >&2; do :; done')"
	assert_line --partial '"exit status 0"'
}

@test "it reads what it is sent, and needs no input where none was wanted" {
	e2b_box
	e2b_command '{"process": {"cmd": "cat"}}' --max-time 2
	assert_equal "$curl_status" 28
	local pid
	pid=$(sed -n '1s/.*"pid":\([0-9]*\).*/\1/p' <<<"$output")
	e2b_rpc process.Process/SendInput "{\"process\": {\"pid\": $pid}, \"input\": {\"stdin\": \"$(printf 'sent' | base64)\"}}"
	assert_equal "$status" 200
	e2b_rpc process.Process/CloseStdin "{\"process\": {\"pid\": $pid}}"
	assert_equal "$status" 200
	method=Connect e2b_command "{\"process\": {\"pid\": $pid}}"
	assert_line --partial '"exited":true'
	e2b_command '{"process": {"cmd": "cat"}, "stdin": false}'
	assert_line --partial '"exited":true'
}

@test "a command has its user, directory and environment, and nothing of the machine's" {
	export SBX_SECRET_OF_THE_MACHINE=1
	e2b_box '{"envVars": {"FROM_CREATE": "a"}}'
	e2b_command '{"process": {"cmd": "env", "envs": {"FROM_START": "b"}}, "stdin": false}'
	assert_equal "$(e2b_said stdout | grep -v '^_=' | cut -d= -f1 | sort | xargs)" \
	    'FROM_CREATE FROM_START HOME LOGNAME OLDPWD PATH PWD SHELL USER'
	local basic
	for case in 'user 1000:1000 /home/user' 'root 0:0 /home/user'; do
		read -r user ids cwd <<<"$case"
		basic=$(printf '%s:' "$user" | base64)
		e2b_command "$(e2b_line 'echo "$(id -u):$(id -g) $(pwd)"')" -H "Authorization: Basic $basic"
		assert_equal "$(e2b_said stdout)" "$ids $cwd"
	done
	e2b_command "$(e2b_line true)" -H "Authorization: Basic $(printf nobody: | base64)"
	assert_output --regexp '^2 \{"error":\{"code":"unauthenticated"'
	e2b_command '{"process": {"cmd": "no-such-command"}, "stdin": false}'
	assert_line --partial '"exitCode":127'
	e2b_box '{"templateID": "mozaiks-preview"}'
	e2b_command "$(e2b_line 'echo "$(id -un) $(pwd)"; touch here')"
	assert_equal "$(e2b_said stdout)" 'sandbox /workspace'
}

@test "a sandbox sees neither the machine's files, processes and network nor another sandbox" {
	e2b_box
	echo secret >"$BATS_TEST_TMPDIR/secret"
	e2b_command "$(e2b_line "ls -d $TOP /proc/$$/root; cat /proc/net/dev | tail -n +3 | cut -d: -f1; ps -e -o comm= | sort -u | xargs")"
	assert_equal "$(e2b_said stdout | xargs)" 'lo bwrap ps sh sleep sort xargs'
	e2b_command "$(e2b_line "exec 9<>/dev/tcp/127.0.0.1/$(e2b_told standin port)" | jq -c '.process.cmd = "/bin/bash"')"
	refute_line --partial '"exit status 0"'
	# Even root there can't write to what is the machine's, and no link leads out.
	e2b_command "$(e2b_line 'touch /usr/x || mount -o remount,rw /usr || umount /usr || echo 1 >/proc/sys/kernel/sysrq')" \
	    -H "Authorization: Basic $(printf root: | base64)"
	refute_line --partial '"exit status 0"'
	e2b_command "$(e2b_line "ln -s $BATS_TEST_TMPDIR/secret file; ln -s $BATS_TEST_TMPDIR directory; ln -s /proc/1/root/etc/passwd own")"
	e2b_envd '/files?path=file'
	assert_equal "$status" 404
	e2b_envd '/files?path=directory/new' -X POST -H 'Content-Type: application/octet-stream' -d new
	assert_equal "$status" 200
	assert_not_exists "$BATS_TEST_TMPDIR/new"
	e2b_envd '/files?path=own'
	assert_equal "$(head -n 1 <<<"$output")" 'user:x:1000:1000::/home/user:/bin/bash'
	e2b_envd '/files?path=../../../../../../etc/hostname'
	assert_equal "$status" 404
}

@test "files arrive and leave byte for byte, raw or as a form, whole or in part" {
	e2b_box
	head -c 300000 /dev/urandom >"$BATS_TEST_TMPDIR/sent"
	e2b_envd '/files?path=%2Ftmp%2Fnew%2Fraw' -X POST -T "$BATS_TEST_TMPDIR/sent" -H 'Content-Type: application/octet-stream'
	assert_equal "$output" '[{"path":"/tmp/new/raw","name":"raw","type":"file"}]'
	e2b_envd '/files?path=~/form' -F "file=@$BATS_TEST_TMPDIR/sent;filename=ignored"
	assert_equal "$(jq -r '.[0].path' <<<"$output")" /home/user/form
	gzip -c "$BATS_TEST_TMPDIR/sent" >"$BATS_TEST_TMPDIR/zipped"
	e2b_envd '/files?path=zipped&username=root' --data-binary "@$BATS_TEST_TMPDIR/zipped" -H 'Content-Encoding: gzip' \
	    -H 'Content-Type: application/octet-stream'
	assert_equal "$(jq -r '.[0].path' <<<"$output")" /root/zipped
	for path in /tmp/new/raw form /root/zipped; do
		curl -q -sS --noproxy '*' -H "X-Access-Token: $token" -H "E2b-Sandbox-Id: $id" -H 'E2b-Sandbox-Port: 49983' \
		    "$E2B_SANDBOX_URL/files?path=$path" | cmp - "$BATS_TEST_TMPDIR/sent"
	done
	e2b_rpc filesystem.Filesystem/Stat '{"path": "/tmp/new/raw"}'
	assert_equal "$(jq -c '.entry | [.type, .size, .permissions, .owner, .mode]' <<<"$output")" '["FILE_TYPE_FILE","300000","-rw-r--r--","user",420]'
	e2b_envd '/files?path=note' -d 'some text' -H 'Content-Type: application/octet-stream'
	e2b_envd '/files?path=note' -H 'Range: bytes=5-'
	assert_equal "$status $output $(e2b_header Content-Range)" '206 text bytes 5-8/9'
	for case in '400 /files?path=/tmp' '404 /files?path=none' '401 /files?path=note&username=nobody' '401 /files?path=note&signature=v1_x'; do
		[ "${case% *}" != 401 ] || [ "${case##*signature}" = "$case" ] || token=wrong
		e2b_envd "${case#* }"
		assert_equal "$case $status $(jq .code <<<"$output")" "$case ${case% *} ${case% *}"
	done
}

@test "whoever has no token, or another sandbox's, has no way in" {
	e2b_box
	local first=$token
	e2b_box
	for token in '' wrong "$first"; do
		e2b_envd '/files?path=/etc/passwd'
		assert_equal "$status $(jq .code <<<"$output")" '401 401'
		e2b_rpc process.Process/List '{}'
		assert_equal "$status" 401
		e2b_envd /health
		assert_equal "$status" 204
	done
	e2b_api POST /sandboxes '{"templateID": "base", "timeout": 60}'
	id=$(jq -r .sandboxID <<<"$output")
	assert_equal "$(jq .envdAccessToken <<<"$output")" null
	e2b_rpc process.Process/List '{}'
	assert_equal "$status" 200
}

@test "the proxy finds a port by Host or by headers, and says what is wrong" {
	local port=${E2B_DOMAIN#*:}
	e2b_box '{"network": {"allowPublicTraffic": false, "maskRequestHost": "inner:${PORT}"}}'
	e2b_command "$(e2b_line 'cd /tmp; echo page >index.html; python3 -m http.server 8000 --bind 127.0.0.1 >/dev/null 2>&1 &')"
	e2b_curl -H "e2b-traffic-access-token: $traffic" "http://8000-$id.localhost:$port/"
	assert_equal "$status $output" '200 page'
	e2b_curl -H "e2b-traffic-access-token: $traffic" -H "E2b-Sandbox-Id: $id" -H 'E2b-Sandbox-Port: 8000' "$E2B_SANDBOX_URL/"
	assert_equal "$status $output" '200 page'
	e2b_curl "http://8000-$id.localhost:$port/"
	assert_equal "$status $(jq -r '.message | .[-10:]' <<<"$output")" '403 is missing'
	e2b_curl -H 'e2b-traffic-access-token: wrong' "http://8000-$id.localhost:$port/"
	assert_equal "$status $(jq -r '.message | .[-10:]' <<<"$output")" '403 is invalid'
	e2b_curl -H "e2b-traffic-access-token: $traffic" "http://8001-$id.localhost:$port/"
	assert_equal "$status $(jq -c '[.message, .port]' <<<"$output")" '502 ["The sandbox is running but port is not open",8001]'
	e2b_curl "http://8000-inone.localhost:$port/"
	assert_equal "$status $(jq -r .message <<<"$output")" '502 The sandbox was not found'
	e2b_curl -A 'Mozilla/5.0' "http://8000-inone.localhost:$port/"
	assert_equal "$status $(e2b_header Content-Type)" '502 text/html'
	e2b_curl -H "E2b-Sandbox-Id: $id" "$E2B_SANDBOX_URL/health"
	assert_equal "$status" 400
	e2b_curl -H "E2b-Sandbox-Id: $id" -H 'E2b-Sandbox-Port: 49983' -H 'Host: api.example' "$E2B_SANDBOX_URL/health"
	assert_equal "$status" 400
	e2b_curl -H "X-Access-Token: $token" "http://49983-$id.localhost:$port/files?path=/tmp/index.html"
	assert_equal "$status $output" '200 page'
}

@test "what is no call of the sandbox's service is told as Connect does" {
	e2b_box
	while read -r want path more; do
		e2b_envd "$path" $more
		assert_equal "$path $status" "$path $want"
	done <<-'END'
		404 /init -d {}
		404 /freeze -d {}
		404 /process.Process/Nonsense -HContent-Type:application/json -d {}
		405 /process.Process/List
		415 /process.Process/List -d {}
		415 /process.Process/Start -HContent-Type:application/json -d {}
	END
	e2b_rpc filesystem.Filesystem/MakeDir '{"path": "/tmp/a/b"}'
	assert_equal "$status" 200
	e2b_rpc filesystem.Filesystem/MakeDir '{"path": "/tmp/a/b"}'
	assert_equal "$status $(jq -r .code <<<"$output")" '409 already_exists'
	e2b_rpc filesystem.Filesystem/Remove '{"path": "/tmp/none"}'
	assert_equal "$status $output" '200 {}'
	e2b_rpc filesystem.Filesystem/ListDir '{"path": "/tmp", "depth": 2}'
	assert_equal "$(jq -c '[.entries[].path]' <<<"$output")" '["/tmp/a","/tmp/a/b"]'
	e2b_envd /process.Process/List -H 'Content-Type: application/json' -H 'Accept-Encoding: gzip' -d '{}'
	assert_equal "$(e2b_header Content-Encoding)" gzip
}

@test "a pause stops what runs and cuts who listens; what is resumed goes on" {
	e2b_box
	e2b_command "$(e2b_line 'while sleep 0.05; do echo x >>/tmp/count; done')" --max-time 2
	local pid before
	pid=$(sed -n '1s/.*"pid":\([0-9]*\).*/\1/p' <<<"$output")
	local count
	count=$(e2b_inside "$id" .directory)/tmp/count
	method=Connect e2b_command "{\"process\": {\"pid\": $pid}}" &
	local listener=$!
	e2b_api POST "/sandboxes/$id/pause"
	wait "$listener"
	before=$(stat -c %s "$count")
	sleep 0.5
	assert_equal "$(stat -c %s "$count")" "$before"
	e2b_api POST "/v2/sandboxes/$id/connect" '{"timeout": 60}'
	assert_equal "$status" 201
	e2b_eventually eval "[ \$(stat -c %s $count) -gt $before ]"
	e2b_rpc process.Process/SendSignal "{\"process\": {\"pid\": $pid}, \"signal\": \"SIGNAL_SIGKILL\"}"
	assert_equal "$status" 200
	method=Connect e2b_command "{\"process\": {\"pid\": $pid}}"
	assert_line --partial 'signal: killed'
}
