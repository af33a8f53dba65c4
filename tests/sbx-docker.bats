#!/usr/bin/env bats
# sbx-docker - sandboxes on the real Engine: what they are kept from, what goes in and out, and that they go

load common

bats_require_minimum_version 1.5.0

setup() {
	common_setup
	run_id=$(new_run)
	line=$BATS_TEST_TMPDIR/line
	stand_in=
	images=()
}

teardown() {
	[ -z "$stand_in" ] || kill "$stand_in"
	[ ! -e "$SBX_STATE/sbx.db" ] || SBX_DOCKER_SOCKET=${real_socket:-$SBX_DOCKER_SOCKET} sbx-docker rm --run "$run_id" >&2
	for image in "${images[@]}"; do
		docker_api DELETE "/images/$image?force=1" >/dev/null
	done
}

# An Engine, and the least image that a sandbox can be made from.
need_engine() {
	require_docker
	DOCKER_SANDBOX_IMAGE=$("$TOP/tests/fixture-image")
	export DOCKER_SANDBOX_IMAGE
}

# start [PURPOSE] - the line that the tests begin with
start() {
	start_line docker "$run_id" | jq -c --arg purpose "${1:-app_validation}" '.purpose = $purpose'
}

# sandbox [PURPOSE [CREATE-OPTION ...]] - makes one; $line and $id are its
sandbox() {
	local purpose=${1:-app_validation}
	[ $# -eq 0 ] || shift
	start "$purpose" | sbx-docker create "$@" >"$line"
	id=$(jq -r .sandbox.id "$line")
}

inspect() {
	docker_api GET "/containers/${2:-$id}/json" | jq -e "$1" >/dev/null || {
		echo "not so: $1" && docker_api GET "/containers/${2:-$id}/json"
		return 1
	}
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && echo "$output" && echo "${stderr:-}"; return 1; }
}

rows() {
	sqlite3 "$SBX_STATE/sbx.db" "SELECT state FROM sandboxes WHERE run = '$run_id'"
}

nothing_left() {
	assert_equal "$(containers_of "$run_id")" 0
	assert_equal "$(docker_api GET "/volumes?filters=%7B%22label%22%3A%5B%22sbx.run%3D$run_id%22%5D%7D" | jq '.Volumes | length')" 0
}

# engine MODE ... - from now on the Engine is one that misbehaves so
engine() {
	: "${real_socket:=$SBX_DOCKER_SOCKET}"
	[ -z "$stand_in" ] || kill "$stand_in"
	SBX_DOCKER_SOCKET=$BATS_TEST_TMPDIR/$1.sock
	"$TOP/tests/engine-stand-in" "$SBX_DOCKER_SOCKET" "$real_socket" "$@" 3>&- &
	stand_in=$!
	until [ -S "$SBX_DOCKER_SOCKET" ]; do sleep 0.05; done
}

real_engine() {
	SBX_DOCKER_SOCKET=$real_socket
}

# ---- create: what a sandbox is, and what it is kept from

@test "create adds what the sandbox is, and the Engine has it so" {
	need_engine
	sandbox
	output=$(<"$line")
	holds '.sandbox | .provider == "docker" and (.id | test("^[0-9a-f]{64}$")) and (.name | startswith("sbx-"))
	    and .purpose == "app_validation" and .ports == {} and (.image | startswith("sha256:"))
	    and (.deadline | test("^2[0-9-]+T[0-9:]+\\.[0-9]{3}Z$"))'
	assert_equal "$(jq -r .sandbox.engine "$line")" "$(docker_api GET /info | jq -r .ID)"
	assert_equal "$(jq -r .sandbox.image "$line")" "$(docker_api GET "/images/$DOCKER_SANDBOX_IMAGE/json" | jq -r .Id)"
	inspect '.State.Running and .Name == "/" + (.Name | ltrimstr("/"))'
	assert_equal "$(rows)" live
}

@test "an offline sandbox: capabilities, limits and walls, as inspected" {
	need_engine
	sandbox
	inspect '.HostConfig | .CapDrop == ["ALL"] and .CapAdd == null and (.Privileged | not) and .Init and .AutoRemove
	    and .SecurityOpt == ["no-new-privileges"] and .PidsLimit == 512 and .Memory == 2147483648
	    and .MemorySwap == 2147483648 and .NanoCpus >= 1000000000 and .NanoCpus <= 2000000000
	    and .ReadonlyRootfs and .Binds == null and .LogConfig.Type == "none" and .NetworkMode == "none"
	    and (.PortBindings // {}) == {}'
	inspect '.Config.NetworkDisabled and .Config.WorkingDir == "/workspace" and .Config.User != "" and .NetworkSettings.Ports == {}
	    and (.NetworkSettings.Networks | keys - ["none"] == [])'
	inspect '[.Mounts[] | .Type + ":" + .Destination] == ["volume:/workspace"]'
	inspect '.Config.Cmd == ["sleep", "300"]'
}

@test "labels tell the owner, the run, the purpose, the deadline, the bundle and the preview" {
	need_engine
	start | jq -c '.bundle = {sha256: "abc"}' | sbx-docker create -m manager_sandbox_id=p1 -m other=x >"$line"
	id=$(jq -r .sandbox.id "$line")
	inspect ".Config.Labels | .[\"mozaiks.sandbox\"] == \"true\" and .[\"sbx.run\"] == \"$run_id\"
	    and .[\"sbx.purpose\"] == \"app_validation\" and .[\"sbx.deadline\"] == \"$(jq -r .sandbox.deadline "$line")\"
	    and .[\"sbx.bundle\"] == \"abc\" and .[\"mozaiks.preview\"] == \"p1\" and (.[\"sbx.owner\"] | length) == 32"
	assert_equal "$(jq -c .sandbox.metadata "$line")" '{"manager_sandbox_id":"p1","other":"x"}'
}

@test "offline means offline, from inside, and whatever the line or the options say" {
	need_engine
	start | jq -c '.ports = [3000] | .network = "bridge" | .sandbox_request = {purpose: "artifact_preview"}' |
	    SANDBOX_PREVIEW_PORT=4000 sbx-docker create -m purpose=artifact_preview -m network=bridge >"$line"
	id=$(jq -r .sandbox.id "$line")
	assert_equal "$(jq -c .sandbox.ports "$line")" '{}'
	inspect '.HostConfig.NetworkMode == "none" and .Config.NetworkDisabled and .NetworkSettings.Ports == {}'
	run sbx-docker exec "$id" 'ls /sys/class/net; sed 1d /proc/net/route | wc -l; grep -vc " lo$" /proc/net/ipv6_route'
	assert_output "$(printf 'lo\n0\n0')"
	run sbx-docker exec "$id" 'timeout 2 bash -c "exec 3<>/dev/tcp/10.0.0.1/80"'
	assert_failure
	assert_output --partial 'Network is unreachable'
	run sbx-docker exec "$id" 'getent hosts deb.debian.org'
	assert_failure 2
	for port in 3000 4000 8000; do
		run -1 sbx-docker url "$id" "$port"
	done
}

@test "localhost has its address in an offline sandbox of the shipped image, though no hosts file tells it" {
	need_engine
	sandbox app_validation -i mozaiks-sandbox:local
	run sbx-docker exec "$id" 'cat /etc/hosts; getent ahosts localhost | cut -d " " -f 1'
	assert_line 127.0.0.1
}

@test "a preview has random ports of the loopback interface, and no others" {
	need_engine
	SANDBOX_PREVIEW_PORT=4000 sandbox artifact_preview
	assert_equal "$(jq -c '.sandbox.ports | keys' "$line")" '["3000","4000","8000"]'
	inspect '[.NetworkSettings.Ports[][] | .HostIp] | unique == ["127.0.0.1"]'
	inspect '.HostConfig.NetworkMode != "none" and .HostConfig.CapDrop == ["ALL"] and .HostConfig.PidsLimit == 512'
	run sbx-docker url "$id" 4000
	assert_output "http://localhost:$(jq '.sandbox.ports["4000"]' "$line")"
	run sbx-docker url --json "$id" 4001
	assert_failure 1
	assert_output '{"url":null}'
}

# peek COMMAND - runs it in a sandbox behind the programs' back, as no program may in a preview
peek() {
	local exec
	exec=$(jq -n --arg command "$1" '{Cmd: ["sh", "-c", $command], AttachStdout: true, AttachStderr: true, Tty: true}' |
	    docker_api POST "/containers/$id/exec" -H 'Content-Type: application/json' -d @- | jq -r .Id)
	docker_api POST "/exec/$exec/start" -H 'Content-Type: application/json' -d '{"Tty": true}' | tr -d '\r'
	return "$(docker_api GET "/exec/$exec/json" | jq .ExitCode)"
}

@test "a preview writes to memory alone, and executes what its app asked for in the workspace" {
	need_engine
	sandbox artifact_preview
	inspect '.HostConfig.ReadonlyRootfs and .HostConfig.Memory == 2147483648 and .HostConfig.Binds == null'
	run peek 'for d in / /etc /usr/local /var/tmp /root /opt /run; do touch "$d/x" 2>/dev/null && echo "$d"; done; echo fine'
	assert_output fine
	run peek 'for d in /tmp /workspace; do printf "#!/bin/sh\necho ran in $d\n" >$d/x && chmod 755 $d/x && $d/x; done'
	assert_line 'ran in /workspace'
	refute_line 'ran in /tmp'
	run peek 'head -c 500m /dev/zero >/tmp/big && rm /tmp/big && echo fits'
	assert_output fits
	run peek 'head -c 1100m /dev/zero >/tmp/big'
	assert_output --partial 'No space left'
}

@test "a preview finds the operator's own machine by name; a validation has no such name" {
	need_engine
	sandbox artifact_preview
	run -0 peek 'getent hosts host.docker.internal'
	assert_output --regexp '^[0-9.]+ +host.docker.internal$'
	sandbox
	run peek 'getent hosts host.docker.internal'
	assert_output ''
}

# labelled DIGEST - an image like the fixture that says it was built from that version of share/image
labelled() {
	DOCKER_SANDBOX_IMAGE=sbx-labelled-$run_id:${1:0:8}
	images+=("$DOCKER_SANDBOX_IMAGE")
	printf 'FROM sbx-fixture:local\nLABEL sbx.image=%s\n' "$1" >"$BATS_TEST_TMPDIR/Dockerfile"
	tar -C "$BATS_TEST_TMPDIR" -cf - Dockerfile |
	    docker_api POST "/build?t=$DOCKER_SANDBOX_IMAGE&networkmode=none&rm=1&forcerm=1" -H 'Content-Type: application/x-tar' -T - >/dev/null
}

@test "an image of another version: a validation says so, a preview is refused; ours and an operator's own pass" {
	need_engine
	labelled "$(printf '%064d' 0)"
	run -0 --separate-stderr sandbox
	assert_regex "$stderr" "$DOCKER_SANDBOX_IMAGE: .*another version.*make image"
	assert_equal "$(jq -c .sandbox.image_differs "$line")" true
	run -2 --separate-stderr sbx-docker create < <(start artifact_preview)
	assert_equal "$(jq -r '.error.reason, .sandbox' <<<"$output")" $'image_outdated\nnull'
	assert_regex "$stderr" 'make image'
	labelled "$("$TOP/contrib/image-digest")"
	for purpose in app_validation artifact_preview; do
		run -0 --separate-stderr sandbox "$purpose"
		assert_equal "$stderr $(jq -c .sandbox.image_differs "$line")" ' null'
	done
	DOCKER_SANDBOX_IMAGE=sbx-fixture:local
	run -0 --separate-stderr sandbox artifact_preview
	assert_equal "$stderr $(jq -c .sandbox.image_differs "$line")" ' null'
}

@test "from inside: no capability, no new privileges, nothing to write but the workspace and /tmp" {
	need_engine
	sandbox
	run sbx-docker exec "$id" 'grep -E "^(Cap|NoNewPrivs|Seccomp:)" /proc/self/status | tr -s "\t" " " | sort -u; id -u'
	assert_output "$(printf '%s\n' 'CapAmb: 0000000000000000' 'CapBnd: 0000000000000000' 'CapEff: 0000000000000000' \
	    'CapInh: 0000000000000000' 'CapPrm: 0000000000000000' 'NoNewPrivs: 1' 'Seccomp: 2' 10001)"
	run sbx-docker exec "$id" 'for d in / /etc /usr/local /var/tmp /root /opt /run; do touch "$d/x" 2>/dev/null && echo "$d"; done;
	    touch /workspace/x /tmp/x && echo fine'
	assert_output fine
	run sbx-docker exec "$id" 'ls /var/run/docker.sock'
	assert_output --partial 'cannot access'
}

@test "the fork bomb, the memory hog and the disk filler meet their limits, and the machine does not notice" {
	need_engine
	sandbox
	run sbx-docker exec -t 20 "$id" 'for i in $(seq 600); do sleep 30 & done; echo all'
	assert_output --partial 'Cannot fork'
	refute_output --partial all
	run sbx-docker exec -t 60 "$id" 'head -c 1100m /dev/zero >big'
	assert_failure
	assert_output --partial 'No space left'
	run sbx-docker exec -t 60 "$id" 'rm big; head -c 300m /dev/zero >/tmp/big'
	assert_output --partial 'No space left'
	run sbx-docker exec -t 60 "$id" 'rm /tmp/big; perl -e '\''$x = "a" x 3e9'\'
	assert_failure 137
	run sbx-docker exec "$id" 'echo alive'
	assert_output alive
}

@test "nothing of our environment is inside, but what --env names" {
	need_engine
	export E2B_API_KEY=secret1 TOKEN=secret2 MOZAIKS_PREVIEW_ENV_X=secret3
	sandbox app_validation -e TOKEN
	run sbx-docker exec "$id" env
	assert_line TOKEN=secret2
	refute_output --regexp 'secret[13]|SBX_|DOCKER|BATS'
	TOKEN=secret4 run sbx-docker exec -e TOKEN "$id" 'echo $TOKEN'
	assert_output secret4
}

@test "a secret is in no argument and no environment of curl" {
	need_engine
	sandbox
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/curl" <<-END
		#!/bin/sh
		tr '\\0' ' ' </proc/\$\$/cmdline >>"$BATS_TEST_TMPDIR/seen"
		env >>"$BATS_TEST_TMPDIR/seen"
		exec $(command -v curl) "\$@"
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/curl"
	TOKEN=secret2 PATH="$BATS_TEST_TMPDIR/bin:$PATH" run sbx-docker exec -e TOKEN "$id" 'echo $TOKEN'
	assert_output secret2
	run cat "$BATS_TEST_TMPDIR/seen"
	assert_output --partial 'curl -q --config -'
	refute_output --partial secret
	refute_output --partial SBX_STATE
}

@test "-n prints the commands with secrets as names, and does nothing" {
	TOKEN=secret2 run --separate-stderr sbx-docker -n create -e TOKEN -s /nonexistent <<<"$(start)"
	assert_success
	assert_output "$(start)"
	[[ $stderr == *"curl -q"*"--unix-socket '/nonexistent'"*'TOKEN=$TOKEN'*/containers/create\?name=sbx-* ]]
	[[ $stderr != *secret2* ]]
	run sbx-docker -n rm -s /nonexistent abc
	assert_success
	assert_output --partial "/containers/abc/stop?t=0"
	run sbx-docker -n exec -s /nonexistent abc 'echo hi'
	assert_success
	assert_output --partial '"sh","-c","echo hi"'
	assert_output --partial /start
	assert_not_exists "$SBX_STATE/sbx.db"
}

@test "the deadline: an orphan ends by itself, with its volume" {
	need_engine
	sandbox app_validation -t 3
	inspect '.Config.Cmd == ["sleep", "3"]' || true
	for _ in $(seq 100); do
		[ "$(containers_of "$run_id")" != 0 ] || break
		sleep 0.1
	done
	nothing_left
	# The store still says live; what the Engine says counts.
	run sbx-docker rm "$id"
	assert_success
	assert_equal "$(rows)" gone
}

@test "the lifetime: option, DOCKER_SANDBOX_TIMEOUT, and what is no number" {
	need_engine
	DOCKER_SANDBOX_TIMEOUT=77 sandbox
	inspect '.Config.Cmd == ["sleep", "77"]'
	sbx-docker rm "$id"
	DOCKER_SANDBOX_TIMEOUT=0 run sbx-docker create <<<"$(start)"
	assert_failure 2
	assert_output --partial 'DOCKER_SANDBOX_TIMEOUT'
	SANDBOX_PREVIEW_PORT=65536 run sbx-docker create <<<"$(start)"
	assert_failure 2
	assert_output --partial 'SANDBOX_PREVIEW_PORT'
}

# ---- create: what can go wrong

@test "no image, no socket, no Engine: sentences that say what to do" {
	need_engine
	run --separate-stderr sbx-docker create -i nosuch:image <<<"$(start)"
	assert_failure 2
	holds '.error | .by == "sbx-docker" and .reason == "image_missing" and .status == 2 and (.message | contains("make image"))'
	holds 'has("sandbox") | not'
	assert_equal "$(rows)" gone
	run --separate-stderr sbx-docker create -s "$BATS_TEST_TMPDIR/none" <<<"$(start)"
	assert_failure 2
	holds '.error.reason == "engine_unreachable" and (.error.message | contains("--socket"))'
	run --separate-stderr sbx-docker create -s relative <<<"$(start)"
	assert_failure 2
	holds '.error.reason == "socket_invalid"'
	nothing_left
}

@test "the local socket alone has a say: no DOCKER_HOST, no context, no proxy" {
	need_engine
	export DOCKER_HOST=tcp://127.0.0.1:1 DOCKER_CONTEXT=nowhere DOCKER_TLS_VERIFY=1 HTTP_PROXY=http://127.0.0.1:1 \
	    http_proxy=http://127.0.0.1:1 ALL_PROXY=http://127.0.0.1:1 DOCKER_CONFIG=/nonexistent
	sandbox
	run sbx-docker rm "$id"
	assert_success
}

@test "lines that it refuses: another provider's, an unknown purpose, sealed, one that has a sandbox" {
	while IFS='|' read -r filter reason status; do
		run --separate-stderr sbx-docker create <<<"$(start | jq -c "$filter")"
		assert_failure "$status"
		holds ".error.reason == \"$reason\""
	done <<-'END'
		.strategy.name = "skip"|provider_mismatch|2
		.strategy.name = "e2b"|provider_mismatch|2
		.purpose = "other"|purpose_unknown|2
		.run = "x"|run_missing|2
		.sandbox = {}|member_exists|2
	END
	need_engine
	run --separate-stderr sbx-docker create <<<"$(start sealed_candidate_preview)"
	assert_failure 1
	holds '.error.reason == "purpose_unsupported"'
	nothing_left
}

@test "bad use is one sentence and 2" {
	while IFS='|' read -r words message; do
		# shellcheck disable=SC2086
		run sbx-docker $words </dev/null
		assert_failure 2
		assert_equal "${#lines[@]}" 1
		assert_output --partial "$message"
	done <<-'END'
		|which verb
		fly|unknown verb 'fly'
		list --image x|--image does not go with list
		get abc|get takes
		url abc 70000|a port is
		exec ../x true|no sandbox id
		rm --run xyz|--run takes
		create -e A=B|--env takes a NAME
		create -e NOT_SET_ANYWHERE|it is not set
		create -m nothing|--metadata takes
		create -t 0|--timeout takes
	END
	env 'A-B=1' sbx-docker create -e A-B </dev/null 2>"$BATS_TEST_TMPDIR/err" || assert_equal $? 2
	assert grep -q "'A-B' is no name" "$BATS_TEST_TMPDIR/err"
}

@test "an Engine that gives less than was asked for gets no sandbox" {
	need_engine
	engine weak
	run --separate-stderr sbx-docker create <<<"$(start)"
	assert_failure 2
	holds '.error.reason == "isolation_missing" and (.error.message | contains("PidsLimit"))'
	real_engine
	nothing_left
	assert_equal "$(rows)" gone
}

@test "API versions: 1.41 and 1.44 are spoken, older Engines refused" {
	need_engine
	engine new
	sandbox
	run sbx-docker rm "$id"
	assert_success
	assert grep -q '/v1.44/containers/create' "$SBX_DOCKER_SOCKET.log"
	engine old
	run sbx-docker list
	assert_failure 2
	assert_output --partial 'too new'
	assert_equal "$(grep -c . "$SBX_DOCKER_SOCKET.log")" 1
}

# ---- put and get

# staged - a line with a staged bundle, in a sandbox
staged() {
	"$TOP/tests/lay-bundle" todo "$BATS_TEST_TMPDIR/bundle"
	start | sbx-stage "$BATS_TEST_TMPDIR/bundle" | sbx-docker create >"$line"
	id=$(jq -r .sandbox.id "$line")
}

@test "put brings the bundle in, and reads back that it did" {
	need_engine
	staged
	run --separate-stderr sbx-docker put <"$line"
	assert_success
	holds '.put == {files: .bundle.files, bytes: .bundle.total_bytes, verified: true}'
	run sbx-docker exec "$id" 'find . -type f -printf "%m %u %P\n" | sort'
	assert_output "$(cd "$BATS_TEST_TMPDIR/bundle" && find . -type f -printf '644 sandbox app/%P\n' | sort)"
	run sbx-docker exec "$id" 'cp -R app copy && rm -r app && echo writable'
	assert_output writable
}

@test "get is byte-exact, for any bytes and any size" {
	need_engine
	staged
	sbx-docker put <"$line" >/dev/null
	sbx-docker get "$id" app/app.json | cmp - "$BATS_TEST_TMPDIR/bundle/app.json"
	sbx-docker exec "$id" 'head -c 3000001 /dev/urandom >"odd name?&%é"; : >empty'
	sbx-docker get "$id" 'odd name?&%é' >"$BATS_TEST_TMPDIR/odd"
	assert_equal "$(sbx-docker exec "$id" 'cat odd* | sha256sum')" "$(sha256sum <"$BATS_TEST_TMPDIR/odd")"
	run sbx-docker get "$id" /workspace/empty
	assert_success
	assert_output ''
}

@test "get refuses what is not there, directories and links" {
	need_engine
	sandbox
	sbx-docker exec "$id" 'mkdir d; ln -s /etc/passwd s; ln -s nowhere t; mkfifo p'
	run sbx-docker get "$id" none
	assert_failure 1
	assert_output 'sbx-docker: none: not in the sandbox'
	for name in d s t p; do
		run sbx-docker get "$id" "$name"
		assert_failure 1
		assert_output "sbx-docker: $name: not a regular file"
	done
}

@test "put refuses a tar that was changed after it was staged" {
	need_engine
	staged
	chmod u+w "$(jq -r .bundle.tar "$line")"
	printf x | dd of="$(jq -r .bundle.tar "$line")" bs=1 seek=600 conv=notrunc status=none
	run --separate-stderr sbx-docker put <"$line"
	assert_failure 2
	holds '.error.reason == "bundle_changed"'
	run sbx-docker exec "$id" 'find . -type f'
	assert_output ''
}

@test "put finds what did not arrive as it was sent" {
	need_engine
	staged
	manifest=$(jq -r .bundle.manifest "$line")
	cp "$manifest" "$BATS_TEST_TMPDIR/manifest"
	while IFS='|' read -r filter message; do
		jq -c "$filter" "$BATS_TEST_TMPDIR/manifest" >"$BATS_TEST_TMPDIR/new"
		cat "$BATS_TEST_TMPDIR/new" >"$manifest"
		run --separate-stderr sbx-docker put <"$line"
		assert_failure 2
		holds '.error.reason == "put_unverified"'
		assert_equal "$(jq -r .error.message <<<"$output" | grep -c "$message")" 1
	done <<-'END'
		.files[0].sha256 = "0" * 64|content
		.files[0].size += 1|size or mode
		.files[0].mode = 493|size or mode
		.owner.uid = 0|somebody else
		.files += [.files[0] + {path: "app/more"}]|missing
		del(.files[0])|should not be
	END
	cat "$BATS_TEST_TMPDIR/manifest" >"$manifest"
	sbx-docker exec "$id" 'ln -s /etc/passwd app/link'
	run --separate-stderr sbx-docker put <"$line"
	holds '.error.reason == "put_unverified" and (.error.message | contains("app/link"))'
}

@test "put finds what the Engine itself changes on the way back" {
	need_engine
	staged
	engine tampers
	run --separate-stderr sbx-docker put <"$line"
	assert_failure 2
	holds '.error.reason == "put_unverified"'
}

# ---- exec

@test "exec gives both streams apart and the exit status" {
	need_engine
	sandbox
	run --separate-stderr -7 sbx-docker exec "$id" 'printf "a\nb"; printf "c\nd" >&2; exit 7'
	assert_output "$(printf 'a\nb')"
	assert_equal "$stderr" "$(printf 'c\nd')"
	run sbx-docker exec "$id" -- printf '<%s>' 'a b' "c'd" '$e' ''
	assert_output "<a b><c'd><\$e><>"
	run sbx-docker exec -C /tmp "$id" pwd
	assert_output /tmp
	run -143 sbx-docker exec "$id" 'kill $$'
	run -127 sbx-docker exec "$id" nosuchcommand
}

@test "a million lines on both streams arrive whole" {
	need_engine
	sandbox
	sbx-docker exec "$id" 'seq 500000; seq 500000 1000000 >&2' >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	cmp "$BATS_TEST_TMPDIR/out" <(seq 500000)
	cmp "$BATS_TEST_TMPDIR/err" <(seq 500000 1000000)
}

# tree - how many processes of the tests' commands live in the sandbox
tree() {
	sbx-docker exec "$id" 'grep -al 12345 /proc/[0-9]*/cmdline 2>/dev/null | while read -r f; do tr "\0" " " <$f; echo; done' |
	    grep -c '^sleep 12345' || true
}

@test "the time limit ends the whole tree, what called setsid and what forked twice included" {
	need_engine
	sandbox
	run sbx-docker exec -t 1 "$id" 'sleep 12345 & setsid sleep 12345 & (setsid sh -c "sleep 12345 &" &) ; nohup sleep 12345 >/dev/null & trap "" TERM; sleep 12345'
	assert_failure 124
	assert_output --partial 'time limit of 1 s reached'
	assert_equal "$(tree)" 0
}

@test "what a command leaves behind ends with it" {
	need_engine
	sandbox
	run sbx-docker exec "$id" 'setsid sleep 12345 >/dev/null 2>&1 & (sh -c "sleep 12345 &" &) ; exit 3'
	assert_failure 3
	assert_equal "$(tree)" 0
}

@test "124 of the command's own is no time limit" {
	need_engine
	sandbox
	run sbx-docker exec "$id" 'exit 124'
	assert_failure 124
	assert_output ''
}

# running COMMAND - starts exec in the background and waits until the command is at work
running() {
	sbx-docker exec "$id" "echo started; $1" >"$BATS_TEST_TMPDIR/exec" 2>&1 3>&- &
	running=$!
	for _ in $(seq 100); do
		! grep -q started "$BATS_TEST_TMPDIR/exec" || return 0
		sleep 0.1
	done
	return 1
}

tree_ends() {
	for _ in $(seq 60); do
		[ "$(tree)" != 0 ] || return 0
		sleep 0.2
	done
	return 1
}

@test "a signal to exec, its death and the death of curl end the command in the sandbox" {
	need_engine
	sandbox
	running 'setsid sleep 12345'
	kill -TERM "$running"
	wait "$running" || assert_equal $? 143
	assert_equal "$(tree)" 0
	running 'setsid sleep 12345'
	kill -KILL "$running"
	tree_ends
	running 'setsid sleep 12345'
	kill -KILL "$(pgrep -P "$running" -x curl)"
	wait "$running" || assert_equal $? 2
	assert_equal "$(tree)" 0
}

@test "a command that kills its keeper to outlive the limit takes the sandbox with it" {
	need_engine
	sandbox
	run sbx-docker exec -t 1 "$id" 'setsid sleep 12345 & kill -KILL $PPID; sleep 12345'
	assert_failure 2
	assert_output --partial 'the command went on, so its sandbox was removed'
	nothing_left
}

@test "exec refuses previews, sandboxes of others, and what is no sandbox: the boundary" {
	need_engine
	sandbox artifact_preview
	run sbx-docker exec "$id" 'echo no'
	assert_failure 1
	assert_output --partial 'no commands are run in a sandbox of purpose artifact_preview'
	# By its label alone, when the store does not know it; and by the store alone, when the label lies.
	sqlite3 "$SBX_STATE/sbx.db" "UPDATE sandboxes SET purpose = 'app_validation'"
	run sbx-docker exec "$id" 'echo no'
	assert_failure 1
	other=$(docker_api POST /containers/create -H 'Content-Type: application/json' \
	    -d "{\"Image\":\"$DOCKER_SANDBOX_IMAGE\",\"Cmd\":[\"sleep\",\"300\"],\"HostConfig\":{\"AutoRemove\":true},\"Labels\":{\"sbx.run\":\"$run_id\",\"mozaiks.sandbox\":\"true\",\"sbx.purpose\":\"app_validation\"}}" | jq -r .Id)
	docker_api POST "/containers/$other/start"
	run sbx-docker exec "$other" 'echo no'
	assert_failure 1
	assert_output --partial 'not a sandbox of this store'
	run sbx-docker get "$other" /etc/passwd
	assert_failure 1
	run sbx-docker rm "$other"
	assert_failure 1
	assert_output --partial 'not a sandbox of this store'
	inspect .State.Running "$other"
	docker_api DELETE "/containers/$other?force=1&v=1"
}

@test "supervise: an image without a supervisor, and an Engine that could not start it, are no success" {
	need_engine
	sandbox artifact_preview -i debian:bookworm-slim
	run -2 sbx-docker supervise "$id" start
	assert_output --partial sbx-within
	sandbox artifact_preview
	engine no-detach
	run -2 sbx-docker supervise "$id" start
	assert_output --partial 'OCI runtime exec failed'
	run --separate-stderr sbx-docker supervise start <"$line"
	assert_equal "$(jq -r '.error.reason, .supervise' <<<"$output")" $'exec_refused\nnull'
	real_engine
	inspect .State.Running
}

@test "exec in a sandbox that is gone, and one that ends under the command" {
	need_engine
	sandbox app_validation -t 4
	run sbx-docker exec -t 20 "$id" 'sleep 12345'
	assert_failure
	for _ in $(seq 50); do
		[ "$(containers_of "$run_id")" != 0 ] || break
		sleep 0.1
	done
	run sbx-docker exec "$id" true
	assert_failure 1
	assert_output --partial 'the Engine has no such sandbox'
}

@test "an image without sbx-within is named as what is wrong" {
	need_engine
	sandbox app_validation -i debian:bookworm-slim
	run sbx-docker exec "$id" true
	assert_failure 2
	assert_output --partial 'its image has no /usr/local/libexec/sbx/sbx-within'
}

@test "a stream that is malformed or cut is a fault, never an exit status" {
	need_engine
	sandbox
	engine malformed
	run sbx-docker exec "$id" 'sleep 1'
	assert_failure 2
	assert_output --partial 'a frame begins with 07'
	engine cut-stream
	run sbx-docker exec "$id" 'sleep 1'
	assert_failure 2
	assert_output --partial 'in the middle of a frame'
}

# ---- rm, list, connect

@test "rm: confirmed, again and again, by operand and by line" {
	need_engine
	sandbox
	run --separate-stderr sbx-docker rm <"$line"
	assert_success
	holds '.teardown == {confirmed: true, result: "confirmed"}'
	nothing_left
	assert_equal "$(rows)" gone
	run sbx-docker rm "$id" "$id"
	assert_success
	assert_output ''
	run sbx-docker rm "$(jq -r .sandbox.name "$line")"
	assert_success
}

@test "an absent container is a confirmed success; on another Engine it is in doubt" {
	need_engine
	sandbox
	docker_api DELETE "/containers/$id?force=1&v=1"
	engine other
	run --separate-stderr sbx-docker rm <"$line"
	assert_failure 3
	holds '.teardown == {confirmed: false, result: "unconfirmed"} and .error.reason == "engine_other" and .error.status == 3'
	assert_equal "$(rows)" unconfirmed
	run sbx-docker exec "$id" true
	assert_failure 3
	real_engine
	run sbx-docker rm "$id"
	assert_success
	assert_equal "$(rows)" gone
}

@test "no list, no id, a container that is still being removed: unconfirmed" {
	need_engine
	sandbox
	for mode in list-fails info-fails removing; do
		engine "$mode"
		run --separate-stderr sbx-docker rm <"$line"
		assert_failure 3
		holds '.teardown.confirmed == false and .error.status == 3'
		assert_equal "$(rows)" unconfirmed
	done
	run sbx-docker rm -s "$BATS_TEST_TMPDIR/none" "$id"
	assert_failure 3
	real_engine
	run sbx-docker rm "$id"
	assert_success
	nothing_left
}

@test "the sequence: stop, looks, removal by force, a last look" {
	need_engine
	sandbox
	engine removing
	run sbx-docker rm "$id"
	assert_failure 3

	sed -E 's,/v1.41/,,; s,[0-9a-f]{64}/?,,; s,\?.*,,; s,//,/,' "$SBX_DOCKER_SOCKET.log" >"$BATS_TEST_TMPDIR/sequence"
	assert_equal "$(grep -c 'GET containers/json' "$BATS_TEST_TMPDIR/sequence")" 4
	assert_equal "$(grep -n 'POST containers/stop' "$BATS_TEST_TMPDIR/sequence" | wc -l)" 1
	assert_equal "$(grep -A 1 DELETE "$BATS_TEST_TMPDIR/sequence")" "$(printf 'DELETE containers/\nGET containers/json')"
	assert_equal "$(tail -n 1 "$BATS_TEST_TMPDIR/sequence")" 'GET containers/json'
}

@test "rm acts on lines with an error, and passes lines that have nothing to remove" {
	need_engine
	sandbox
	jq -c '.error = {by: "x", reason: "y", message: "z", status: 1}' "$line" >"$BATS_TEST_TMPDIR/failed"
	run --separate-stderr sbx-docker rm <"$BATS_TEST_TMPDIR/failed"
	assert_failure 1
	holds '.teardown.confirmed and .error.reason == "y"'
	nothing_left
	run --separate-stderr sbx-docker rm <<<"$(start_line skip)"
	assert_success
	holds 'has("teardown") | not'
}

@test "one that can't be confirmed does not keep the others of its run from being removed and confirmed" {
	need_engine
	sandbox
	start | sbx-docker create >"$BATS_TEST_TMPDIR/second"
	sqlite3 "$SBX_STATE/sbx.db" "UPDATE sandboxes SET engine = 'OTHER' WHERE provider_id = '$id'"
	run --separate-stderr sbx-docker rm <"$BATS_TEST_TMPDIR/second"
	assert_failure 3
	holds '.teardown.confirmed == false and .error.reason == "engine_other"'
	nothing_left
	assert_equal "$(rows | sort | paste -sd ' ')" 'gone unconfirmed'
	sqlite3 "$SBX_STATE/sbx.db" "UPDATE sandboxes SET engine = '$(jq -r .sandbox.engine "$line")'"
}

@test "a line whose sandbox can't be told, or is another provider's, is in doubt" {
	for filter in '.sandbox = {}' '.sandbox = {provider: "e2b", id: "x"}' '.sandbox = {provider: "docker", id: "../x"}'; do
		run --separate-stderr sbx-docker rm <<<"$(start | jq -c "$filter")"
		assert_failure 3
		holds '.teardown.result == "unconfirmed"'
	done
}

@test "rm --run removes all of a run, however little the store knows of it" {
	need_engine
	sandbox
	start | sbx-docker create >/dev/null
	sqlite3 "$SBX_STATE/sbx.db" "DELETE FROM sandboxes WHERE provider_id = '$id'"
	assert_equal "$(containers_of "$run_id")" 2
	run sbx-docker rm --run "$run_id"
	assert_success
	assert_output ''
	nothing_left
	run sbx-docker rm --run "$run_id"
	assert_success
}

@test "a volume that the Engine lost goes with its run" {
	need_engine
	sandbox
	docker_api POST /volumes/create -H 'Content-Type: application/json' -d "{\"Labels\":$(docker_api GET "/containers/$id/json" | jq -c .Config.Labels)}" >/dev/null
	run sbx-docker rm --run "$run_id"
	assert_success
	nothing_left
}

@test "a store of its own sees and touches its own sandboxes alone" {
	need_engine
	sandbox
	SBX_STATE=$BATS_TEST_TMPDIR/other run sbx-docker list
	assert_output ''
	SBX_STATE=$BATS_TEST_TMPDIR/other run sbx-docker rm --run "$run_id"
	assert_success
	SBX_STATE=$BATS_TEST_TMPDIR/other run sbx-docker rm "$id"
	assert_failure 1
	inspect .State.Running
}

@test "list and connect show what there is, for people and for programs" {
	need_engine
	sandbox
	run sbx-docker list --label "sbx.run=$run_id"
	assert_output --regexp "^${id:0:12} +running +app_validation +$(jq -r .sandbox.deadline "$line") +$run_id$"
	run sbx-docker list --json -l "sbx.run=$run_id" -l sbx.purpose=app_validation
	holds ".id == \"$id\" and .state == \"running\" and .run == \"$run_id\" and .engine != null"
	run sbx-docker list -l sbx.purpose=artifact_preview
	assert_output ''
	run sbx-docker connect --json "$id"
	assert_equal "$(jq -cS . <<<"$output")" "$(jq -cS .sandbox "$line")"
	run --separate-stderr sbx-docker connect <<<"$(start)"
	assert_success
	assert_equal "$(jq -cS .sandbox <<<"$output")" "$(jq -cS .sandbox "$line")"
	sbx-docker rm "$id"
	run --separate-stderr sbx-docker connect <<<"$(start)"
	assert_failure 1
	holds '.error.reason == "sandbox_missing"'
}

@test "caps tells what it can do, and extend that it can't" {
	run sbx-docker caps --json
	assert_output '{"provider":"docker","supports_preview":true,"supports_file_io":true,"supports_command_execution":true,"supports_timeout_extension":false}'
	run sbx-docker caps
	assert_line 'supports_timeout_extension: no'
	run sbx-docker extend abc 10
	assert_failure 1
	assert_output "sbx-docker: docker sandboxes can't do that: see caps"
}

# ---- what dies on the way

@test "curl dies in the middle of create: what the Engine made meanwhile is found and removed" {
	need_engine
	local call
	for call in create start; do
		engine "silent-$call"
		start | sbx-docker create >"$line" 2>/dev/null 3>&- &
		local creating=$!
		until grep -q "/$call" "$SBX_DOCKER_SOCKET.log"; do sleep 0.05; done
		until [ "$(SBX_DOCKER_SOCKET=$real_socket containers_of "$run_id")" = 1 ]; do sleep 0.05; done
		kill -KILL "$(pgrep -P "$creating" -x curl)"
		wait "$creating" && return 1
		assert_equal "$(jq -r '.error | "\(.reason) \(.status)"' "$line")" 'service_cut 2'
		real_engine
		assert_equal "$(rows | sort -u)" gone
		nothing_left
	done
}

@test "an Engine that makes it after all, when nobody waits any more: in doubt, and found by its run" {
	need_engine
	engine late-create
	run --separate-stderr sbx-docker create <<<"$(start)"
	assert_failure 3
	holds '.error.status == 3'
	assert_equal "$(rows)" unconfirmed
	real_engine
	for _ in $(seq 50); do
		[ "$(containers_of "$run_id")" = 0 ] || break
		sleep 0.1
	done
	assert_equal "$(containers_of "$run_id")" 1
	run sbx-docker rm --run "$run_id"
	assert_success
	nothing_left
	assert_equal "$(rows)" gone
}

@test "a signal during create removes what was made, and the line says why" {
	need_engine
	engine silent-start
	start | sbx-docker create >"$line" 2>/dev/null 3>&- &
	local creating=$! status=0
	until grep -q /start "$SBX_DOCKER_SOCKET.log"; do sleep 0.05; done
	kill -TERM "$creating"
	wait "$creating" || status=$?
	assert_equal "$status" 143
	assert_equal "$(jq -r '.error | "\(.reason) \(.status)"' "$line")" 'stopped 143'
	real_engine
	nothing_left
	assert_equal "$(rows)" gone
}

# started PID [keeping] - it is sbx-docker by now; or it also keeps TERM for later
started() {
	local name kept
	for _ in $(seq 200); do
		name=$(cat "/proc/$1/comm") kept=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status")
		[ "$name" != sbx-docker ] || [ -n "${2:-}" ] && [ $((0x$kept >> 14 & 1)) -eq 0 ] || return 0
		sleep 0.05
	done
	return 1
}

@test "create that waits for its line ends with the first signal; rm waits for the line that is to come" {
	need_engine
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	sbx-docker create <"$BATS_TEST_TMPDIR/fifo" 3>&- &
	local waiting=$! status=0
	exec 4>"$BATS_TEST_TMPDIR/fifo"
	started "$waiting"
	kill -HUP "$waiting"
	wait "$waiting" || status=$?
	exec 4>&-
	assert_equal "$status" 129
	sandbox
	sbx-docker rm <"$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/out" 3>&- &
	waiting=$! status=0
	exec 4>"$BATS_TEST_TMPDIR/fifo"
	started "$waiting" keeping
	kill -TERM "$waiting"
	cat "$line" >&4
	exec 4>&-
	wait "$waiting" || status=$?
	assert_equal "$status" 143
	assert_equal "$(jq -c .teardown "$BATS_TEST_TMPDIR/out")" '{"confirmed":true,"result":"confirmed"}'
	nothing_left
}

@test "killed at any moment of create, a run leaves nothing that rm --run does not find" {
	need_engine
	for delay in 0.01 0.03 0.05 0.07 0.09 0.12 0.15 0.2 0.25 0.3; do
		start >"$BATS_TEST_TMPDIR/start"
		sbx-docker create <"$BATS_TEST_TMPDIR/start" >/dev/null 2>&1 3>&- &
		local creating=$!
		sleep "$delay"
		kill -KILL "$creating" 2>/dev/null || true
		wait "$creating" || true
	done
	# What is under way in the Engine comes to its end, and nobody is told when.
	for _ in $(seq 20); do
		sbx-docker rm --run "$run_id"
		sleep 0.1
	done
	nothing_left
	run rows
	refute_output --regexp 'live|creating|unconfirmed'
}

@test "killed at each step: rm --run leaves nothing" {
	need_engine
	local faults=$BATS_TEST_TMPDIR/faults points point
	make -s -C "$TOP" FAULTS=1 CFLAGS=-O0 BUILD="$faults" "$faults/bin/sbx-docker"
	points=$(grep -oh 'crash_point("docker\.[a-z.]*")' "$TOP"/lib/*.c | cut -d'"' -f2)
	[ "$(wc -w <<<"$points")" -ge 8 ]
	"$TOP/tests/lay-bundle" todo "$BATS_TEST_TMPDIR/bundle"
	start | sbx-stage "$BATS_TEST_TMPDIR/bundle" >"$BATS_TEST_TMPDIR/staged"
	for point in $points store.ran store.entered store.committed; do
		local killed=0
		sbx_killed() {
			SBX_CRASH=$point "$faults/bin/sbx-docker" "$@" || { [ $? -ne 137 ] || killed=1; }
		}
		# The undoing is only reached where something went wrong.
		case $point in *undone) engine weak ;; esac
		sbx_killed create <"$BATS_TEST_TMPDIR/staged" >"$line"
		case $point in *undone) real_engine ;; esac
		if [ "$killed" = 0 ]; then
			id=$(jq -r .sandbox.id "$line")
			sbx_killed put <"$line" >/dev/null
			[ "$killed" != 0 ] || sbx_killed exec "$id" 'sleep 12345' -t 1 >/dev/null
			[ "$killed" != 0 ] || sbx_killed supervise "$id" start
			[ "$killed" != 0 ] || sbx_killed rm "$id"
		fi
		[ "$killed" = 1 ] || { echo "$point: not reached"; return 1; }
		run sbx-docker rm --run "$run_id"
		assert_success
		nothing_left
		run rows
		refute_output --regexp 'live|creating|unconfirmed'
	done
}
