#!/usr/bin/env bats
# image-services - the shipped services in real sandboxes of the shipped image, under sbx-supervise

bats_require_minimum_version 1.5.0
load common
load container

setup() {
	common_setup
	require_docker
	id= made=()
	bundle=$BATS_TEST_TMPDIR/todo
	cp -R "$TOP/share/examples/todo" "$bundle"
}

teardown() {
	for id in "${made[@]}"; do
		docker_api DELETE "/containers/$id?force=1&v=1" || true
	done
}

# sandbox [PURPOSE [OPTION ...]] - one that holds the bundle; $ports has what it publishes
sandbox() {
	local purpose=${1:-artifact_preview}
	shift || true
	(cd "$bundle" && rm -f ../app.zip && zip -q -X -r ../app.zip .)
	start_line | jq -c --arg purpose "$purpose" '.purpose = $purpose' | sbx-stage "$BATS_TEST_TMPDIR/app.zip" |
	    sbx-docker create -t 600 "$@" | sbx-docker put >"$BATS_TEST_TMPDIR/line"
	id=$(jq -er .sandbox.id "$BATS_TEST_TMPDIR/line")
	made+=("$id")
	port=$(jq -r '.sandbox.ports["3000"] // empty' "$BATS_TEST_TMPDIR/line")
}

inside() {
	in_container "$id" /workspace "$@"
}

# noted WORDS - waits until the supervisor noted them
noted() {
	for _ in $(seq 300); do
		inside "cat /tmp/mozaiks-preview/runtime.log 2>/dev/null" | grep -qE "$1" && return
		sleep 0.1
	done
	inside "cat /tmp/mozaiks-preview/runtime.log; tail -n 20 /tmp/mozaiks-preview/logs/*" >&2
	return 1
}

up() {
	inside 'rm -f /tmp/mozaiks-preview/runtime.log'
	sbx-docker supervise "$id" start
	noted 'frontend: ready'
}

# A busy machine may not answer in the two seconds that check gives.
healthy() {
	for _ in $(seq 30); do
		sbx-docker -q supervise "$id" check && return
		sleep 0.5
	done
	sbx-docker supervise "$id" check
}

# The processes of the preview that are left.
left() {
	inside 'for p in /proc/[0-9]*; do tr "\0" " " <$p/cmdline 2>/dev/null; echo; done' | grep -E 'postgres|uvicorn|serve\.mjs|sbx-supervise' || true
}

api() {
	curl -q -sS --noproxy '*' -m 20 -X POST -H 'Content-Type: application/json' -d "$2" "http://127.0.0.1:$port/api/modules/tasks/$1"
}

@test "a preview: in order, healthy as its app alone, its data kept over stop and start and gone with the sandbox" {
	sandbox
	run sbx-docker supervise "$id" install
	assert_success
	up
	run inside 'sed "s/^[^ ]* //; s/after.*//" /tmp/mozaiks-preview/runtime.log'
	assert_output "$(printf 'postgres: ready \nbackend: ready \nfrontend: ready ')"
	run healthy
	assert_success
	run api create '{"title": "kept"}'
	assert_output --partial '"kept"'
	run sbx-docker supervise "$id" start
	noted 'frontend: ready'
	run sbx-docker supervise "$id" stop
	assert_success
	run left
	assert_output ''
	run sbx-docker supervise "$id" check
	assert_failure 1
	assert_output --partial 'check: backend: '
	up
	run api list '{}'
	assert_output --partial '"kept"'

	sandbox
	up
	run api list '{}'
	refute_output --partial '"kept"'
}

@test "each service that is killed ends the preview, which can be started again" {
	sandbox
	for one in 'postgres [^ ]*/bin/postgres -D' 'backend python3 -m uvicorn' 'frontend node [^ ]*/serve.mjs'; do
		set -- "${one%% *}" "${one#* }"
		up
		inside "for p in /proc/[0-9]*; do tr '\0' ' ' <\$p/cmdline | grep -q '^$2 ' && kill -KILL \${p#/proc/}; done; :"
		noted "supervisor: $1: was ended by signal 9"
		for _ in $(seq 100); do [ -n "$(left)" ] || break; sleep 0.1; done
		run left
		assert_output ''
	done
	up
	run healthy
	assert_success
}

@test "a full /tmp: whatever ends, the supervisor says which and why; with room it starts again" {
	sandbox
	up
	inside 'cat /dev/zero >/tmp/zeros 2>/dev/null || true'
	# Writing is what the database can't do now.
	for _ in $(seq 20); do api create '{"title": "more"}' >/dev/null; done
	run sbx-docker supervise "$id" stop
	assert_success
	run left
	assert_output ''
	inside 'rm /tmp/zeros'
	up
	run healthy
	assert_success
}

@test "in a locked sandbox, without a network and with nothing to execute in /tmp" {
	sandbox app_validation
	sbx-docker supervise "$id" start
	noted 'frontend: ready'
	run healthy
	assert_success
	run sbx-docker supervise "$id" stop
	assert_success
}

@test "as a container's first process, where a signal ends it with 0" {
	id=$(jq -n '{Image: "mozaiks-sandbox:local", Cmd: ["/usr/local/libexec/sbx/sbx-supervise", "start"], Labels: {"sbx.test": "image"}}' |
	    json /containers/create | jq -r .Id)
	made+=("$id")
	tar -C "$BATS_TEST_TMPDIR" --owner=10001 --group=10001 --transform 's,^todo,app,' -cf - todo |
	    docker_api PUT "/containers/$id/archive?path=/workspace" -H 'Content-Type: application/x-tar' -T -
	docker_api POST "/containers/$id/start"
	noted 'frontend: ready'
	docker_api POST "/containers/$id/kill?signal=TERM"
	run eval 'docker_api POST "/containers/$id/wait" | jq .StatusCode'
	assert_output 0
}

# index DIR - a package index with one wheel, which was built here: its module calls a library of its own
index() {
	local wheel=$1/wheel
	mkdir -p "$wheel/sbxtool" "$wheel/sbxtool-1.2.dist-info" "$1/simple/sbxtool"
	echo 'int sbxtool_answer(void) { return 42; }' | gcc -shared -fPIC -x c -o "$wheel/sbxtool/answer.so" -
	printf 'import ctypes, os\nanswer = ctypes.CDLL(os.path.join(os.path.dirname(__file__), "answer.so")).sbxtool_answer\n' >"$wheel/sbxtool/__init__.py"
	printf 'Metadata-Version: 2.1\nName: sbxtool\nVersion: 1.2\nRequires-Dist: %s\n' "$2" >"$wheel/sbxtool-1.2.dist-info/METADATA"
	printf 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n' >"$wheel/sbxtool-1.2.dist-info/WHEEL"
	(cd "$wheel" && find . -type f -printf '%P,,\n' >sbxtool-1.2.dist-info/RECORD && echo 'sbxtool-1.2.dist-info/RECORD,,' >>sbxtool-1.2.dist-info/RECORD &&
	    zip -q -X -r "../simple/sbxtool/sbxtool-1.2-py3-none-any.whl" .)
	echo '<a href="sbxtool-1.2-py3-none-any.whl">sbxtool-1.2-py3-none-any.whl</a>' >"$1/simple/sbxtool/index.html"
}

# serve_index - the index, served inside the sandbox
serve_index() {
	tar -C "$1" --owner=10001 --group=10001 -cf - simple | docker_api PUT "/containers/$id/archive?path=/workspace" -H 'Content-Type: application/x-tar' -T -
	inside 'setsid python3 -m http.server --directory /workspace --bind 127.0.0.1 8088 >/dev/null 2>&1 & until python3 -c "import socket; socket.create_connection((\"127.0.0.1\", 8088))" 2>/dev/null; do sleep 0.1; done'
}

@test "install: a wheel with a library of its own is usable by the backend, within the constraints" {
	export PIP_INDEX_URL=http://127.0.0.1:8088/simple
	index "$BATS_TEST_TMPDIR/index" 'uvicorn >=0.1'
	echo sbxtool >"$bundle/requirements.txt"
	sed -i '1s/^/import sbxtool\nassert sbxtool.answer() == 42\n/' "$bundle/modules/tasks/handlers.py"
	sandbox
	run sbx-docker supervise "$id" start
	noted 'supervisor: backend: |frontend: ready'
	run sbx-docker supervise "$id" stop
	serve_index "$BATS_TEST_TMPDIR/index"
	run sbx-docker supervise -e PIP_INDEX_URL "$id" install
	assert_success
	up
	run api list '{}'
	assert_output '[]'

	index "$BATS_TEST_TMPDIR/other" 'fastapi ==0.1'
	sandbox
	serve_index "$BATS_TEST_TMPDIR/other"
	run sbx-docker supervise -e PIP_INDEX_URL "$id" install
	assert_failure 1
	assert_output --partial 'install: pip ended with status 1: ERROR: '
	run inside 'cat /tmp/mozaiks-preview/logs/install.log'
	assert_output --partial 'fastapi'
}

@test "the template is the same each time, and what tells times is not in the image" {
	id=$(jq -n '{Image: "mozaiks-sandbox:local", Cmd: ["sleep", "300"], Labels: {"sbx.test": "image"}, HostConfig: {AutoRemove: true}}' |
	    json /containers/create | jq -r .Id)
	made+=("$id")
	docker_api POST "/containers/$id/start"
	run inside 'python3 /opt/mozaiks/postgres/template /tmp/again.tar 2>&1 && cmp /tmp/again.tar /opt/mozaiks/postgres.tar && echo same'
	assert_success
	assert_line same
	"$TOP/contrib/list-image" mozaiks-sandbox:local >"$BATS_TEST_TMPDIR/contents"
	run grep -E '^\./(var/log/.*\.log|var/cache/ldconfig/aux-cache|etc/ssl/private/.*\.key|etc/(passwd|shadow|group|gshadow)-) ' "$BATS_TEST_TMPDIR/contents"
	assert_output ''
	run "$TOP/contrib/build-image" "$BUILD/image"
	assert_output --partial "sbx.content=$(sha256sum <"$BATS_TEST_TMPDIR/contents" | cut -d' ' -f1)"
	[ "$(docker_api GET /images/mozaiks-sandbox:local/json | jq .Size)" -lt 700000000 ]
}
