#!/usr/bin/env bats
# image - the preview image holds what sbx-image(7) says, and the profiles' steps run in it with everything locked

bats_require_minimum_version 1.5.0
load common
load container

setup() {
	common_setup
	require_docker
	id=
}

teardown() {
	[ -z "$id" ] || docker_api DELETE "/containers/$id?force=1&v=1"
}

image() {
	docker_api GET "/images/mozaiks-sandbox:local/json"
}

# A container as validations get it: no network, nothing to write to but the workspace and /tmp, no capability.
sandbox() {
	id=$(jq -n '{
		Image: "mozaiks-sandbox:local", Cmd: ["sleep", "300"], Labels: {"sbx.test": "image"},
		HostConfig: {
			Init: true, AutoRemove: true, NetworkMode: "none", ReadonlyRootfs: true, CapDrop: ["ALL"],
			SecurityOpt: ["no-new-privileges"], Memory: 2147483648, MemorySwap: 2147483648, PidsLimit: 512, NanoCpus: 2000000000,
			Tmpfs: {"/tmp": "rw,nosuid,nodev,noexec,size=256m,mode=1777"},
			Mounts: [{Type: "volume", Target: "/workspace", VolumeOptions: {NoCopy: true, DriverConfig: {Name: "local", Options:
				{type: "tmpfs", device: "tmpfs", o: "size=256m,uid=10001,gid=10001,mode=0755,nosuid,nodev"}}}}]
		}
	}' | json /containers/create | jq -r .Id)
	docker_api POST "/containers/$id/start"
}

# in_sandbox DIR COMMAND [ENVIRONMENT]
in_sandbox() {
	in_container "$id" "$@"
}

# put DIR - lays an app out as the mozaiks profile does, anything else as it is
put() {
	local laid=$BATS_TEST_TMPDIR/laid
	rm -rf "$laid" && mkdir -p "$laid"
	if [ -e "$1/app.json" ] || [ "${2:-}" = mozaiks ]; then
		cp -R "$1" "$laid/app"
		mkdir "$laid/workflows"
		[ ! -d "$laid/app/workflows" ] || cp -R "$laid/app/workflows/." "$laid/workflows"
		rm -rf "$laid/app/workflows"
	else
		cp -R "$1/." "$laid"
	fi
	tar -C "$laid" --owner=10001 --group=10001 -cf - $(ls -A "$laid") |
	    docker_api PUT "/containers/$id/archive?path=/workspace" -H 'Content-Type: application/x-tar' -T -
}

# steps PROFILE - the profile's steps in order, until one fails
steps() {
	local profile=$TOP/share/profiles/$1.json env i
	env=$(jq -c '.env | to_entries | map("\(.key)=\(.value)")' "$profile")
	for ((i = 0; i < $(jq '.steps | length' "$profile"); i++)); do
		echo "step $(jq -r ".steps[$i].id" "$profile")"
		in_sandbox "$(jq -r ".steps[$i].cwd" "$profile")" "$(jq -r ".steps[$i].command" "$profile")" "$env" || return
	done
}

# check PROFILE BUNDLE - in a sandbox of its own
check() {
	"$TOP/tests/lay-bundle" "$2" "$BATS_TEST_TMPDIR/$2"
	sandbox
	put "$BATS_TEST_TMPDIR/$2"
	run steps "$1"
	docker_api DELETE "/containers/$id?force=1&v=1"
	id=
}

@test "its settings and labels are those of sbx-image(7)" {
	run eval "image | jq -r '.Config | .User, .WorkingDir, (.Cmd | join(\" \")), .ExposedPorts, .Volumes'"
	assert_output "$(printf 'sandbox\n/workspace\nsleep 1800\nnull\nnull')"
	run eval "image | jq -r '.Config.Env[]'"
	assert_line MOZAIKS_WEB_SHELL_PATH=/opt/mozaiks/web_shell
	assert_line MOZAIKS_CHAT_UI_PATH=/opt/mozaiks/chat-ui
	assert_line MOZAIKS_FACTORY_APP_PATH=/opt/mozaiks/factory_app
	digest=$(cd "$TOP/share/image" && git ls-files | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -d' ' -f1)
	assert_equal "$(image | jq -r '.Config.Labels["sbx.image"]')" "$digest"
	assert_equal "$(image | jq -r '.Config.Labels["sbx.programs"]')" "$(cd "$BUILD/image" && sha256sum sbx-* | sha256sum | cut -d' ' -f1)"
	assert_equal "$(image | jq -r '.Config.Labels["sbx.base"]')" \
	    "$(docker_api GET /images/debian:bookworm-slim/json | jq -r .Id)"
}

@test "an image that is as it should be is not built again" {
	run --separate-stderr "$TOP/contrib/build-image" "$BUILD/image"
	assert_success
	assert_output --regexp "^$(image | jq -r '"\(.Id) sbx.image=\(.Config.Labels["sbx.image"])"') sbx\.content=[0-9a-f]{64}\$"
	assert_equal "$stderr" ''
}

@test "without sbx-within, and without an Engine, build-image says what is missing" {
	run "$TOP/contrib/build-image" "$BATS_TEST_TMPDIR"
	assert_failure 2
	assert_output "build-image: $BATS_TEST_TMPDIR: holds no programs (make image makes them first)"
	SBX_DOCKER_SOCKET=$BATS_TEST_TMPDIR/none run "$TOP/contrib/build-image" "$BUILD/image"
	assert_failure 2
	assert_output --partial "base-image: no Docker Engine answers at $BATS_TEST_TMPDIR/none"
}

@test "inside: the user, the tools, no way to more rights, and two places to write to" {
	sandbox
	run in_sandbox / 'id -u; id -un; pwd; python --version; python3 -c "import sqlite3, ssl, asyncio"; node --version'
	assert_success
	assert_output --regexp $'^10001\nsandbox\n/\nPython 3\\.[0-9.]+\nv22\\.[0-9.]+$'
	run in_sandbox / 'find / -xdev -type f -perm /6000 2>/dev/null'
	assert_output ''
	run in_sandbox / 'for dir in / /opt/mozaiks /var/tmp /home /run /usr/local; do touch $dir/x && echo $dir; done; touch /tmp/x /workspace/x'
	assert_success
	refute_line --regexp '^/'
	run in_sandbox / 'ls /sys/class/net; /usr/local/libexec/sbx/sbx-within -h'
	assert_success
	assert_line --index 0 lo
	assert_line --index 1 --partial 'usage: sbx-within'
}

@test "the examples pass the mozaiks steps" {
	for example in todo notes inventory; do
		check mozaiks "$example"
		assert_success
		assert_line 'step compileall'
		assert_line --partial 'built in'
	done
}

@test "the broken siblings fail at their step, in the tool's own words" {
	check mozaiks todo.python-syntax
	assert_failure 1
	assert_line --partial "app/modules/tasks/handlers.py\", line 40"
	assert_line "SyntaxError: '(' was never closed"
	refute_line 'step vite_build'

	check mozaiks todo.unresolved-import
	assert_failure 1
	assert_line --partial "[UNRESOLVED_IMPORT] Could not resolve './Badge' in ../../../workspace/app/components/TaskList.tsx"

	check mozaiks todo.missing-export
	assert_failure 1
	assert_line --partial '[MISSING_EXPORT] "countLate" is not exported by "../../../workspace/app/components/TaskList.tsx"'
	assert_line --partial '../../../workspace/app/pages/Open.tsx:3:20'
}

@test "a type error builds under the mozaiks profile, which does not look at types" {
	check mozaiks todo.type-error
	assert_success
}

@test "no fault of a page can hide" {
	app=$BATS_TEST_TMPDIR/app
	faulty() {
		rm -rf "$app" && cp -R "$TOP/share/examples/todo" "$app"
		"$@"
		[ -n "$id" ] || sandbox
		in_sandbox /workspace 'rm -rf app workflows'
		put "$app" mozaiks
		run steps mozaiks
		assert_failure 1
	}

	faulty sed -i 's/export default function Done/export function Done/' "$app/pages/Done.tsx"
	assert_line --regexp '/workspace/app/pages/Done.tsx'
	assert_line --partial 'a page must have a default export'

	# Not listed in app.json, so nothing leads there.
	faulty eval 'echo "import { pad } from \"left-pad\"; export default pad;" >"$app/pages/Stray.tsx"'
	assert_line --partial 'failed to resolve import "left-pad" from "/workspace/app/pages/Stray.tsx"'

	faulty sed -i 's/pages.Open.tsx/pages\/Opened.tsx/' "$app/app.json"
	assert_line --partial 'app.json: pages[0].component: no file "pages/Opened.tsx" in the app'

	faulty sed -i 's/pages.Open.tsx/..\/..\/etc\/passwd/' "$app/app.json"
	assert_line --partial 'app.json: pages[0].component: "../../etc/passwd" leaves the app'

	faulty sed -i '1s/{//' "$app/brand/theme_config.json"
	assert_line --partial 'brand/theme_config.json: '

	faulty rm "$app/app.json"
	assert_line --partial 'app.json: no such file in the app'
}

@test "the node profile checks types and builds with the image's dependencies" {
	check node node
	assert_success
	assert_line 'step tsc'
	assert_line --partial 'built in'
	check node node.type-error
	assert_failure
	assert_line --partial "src/main.tsx(11,18): error TS2345: Argument of type 'string' is not assignable to parameter of type 'number'."
	refute_line 'step vite_build'
}

@test "the python and static profiles know right from wrong" {
	check python python
	assert_success
	check python python.syntax-error
	assert_failure 1
	assert_output --partial 'tally.py'
	check static static
	assert_success
}

@test "the shell serves a preview from the cache in the image, and writes to /tmp alone" {
	sandbox
	put "$TOP/share/examples/todo"
	in_sandbox / '
		export VITE_MOZAIKS_PREVIEW=true __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=preview.example.org
		node /opt/mozaiks/web_shell/serve.mjs 3000 >/tmp/log 2>&1 &
		until curl -s -o /dev/null http://127.0.0.1:3000/ || ! kill -0 $!; do sleep 0.1; done
		cat /tmp/log'
	# Its parent is gone, and it goes on.
	run in_sandbox / 'cat /tmp/log; cd /opt/mozaiks/web_shell/node_modules/.vite && diff -r . /tmp/mozaiks-preview/vite && echo same'
	assert_output "$(printf 'serve: listening on port 3000\nsame')"
	ask() {
		in_sandbox / "curl -s -o /tmp/answer -w '%{http_code} ' $* && head -c 65536 /tmp/answer"
	}
	run ask http://127.0.0.1:3000/
	assert_output --regexp '^200 .*<div id="root">'
	run ask http://127.0.0.1:3000/@fs/workspace/app/pages/Open.tsx
	assert_output --regexp '^200 .*/deps/react.js'
	run ask 'http://127.0.0.1:3000/@id/__x00__virtual:app'
	assert_output --regexp '^200 .*"appId":"todo"'
	run ask http://127.0.0.1:3000/src/draft.ts
	assert_output --regexp '"VITE_MOZAIKS_PREVIEW": ?"true"'
	# The client that never reloads a page.
	run ask http://127.0.0.1:3000/@vite/client
	refute_output --partial WebSocket
	# Nobody answers for the app yet.
	run ask http://127.0.0.1:3000/api/health
	assert_output --regexp '^50[02] '
	for path in etc/passwd workspace/app/modules/tasks/handlers.py tmp/log; do
		run ask "http://127.0.0.1:3000/@fs/$path"
		assert_output --regexp '^403 '
	done
	for host in preview.example.org localhost; do
		run ask -H "'Host: $host'" http://127.0.0.1:3000/
		assert_output --regexp '^200 '
	done
	for host in example.org a.preview.example.org; do
		run ask -H "'Host: $host'" http://127.0.0.1:3000/
		assert_output --regexp '^403 '
	done
	run in_sandbox / 'node /opt/mozaiks/web_shell/serve.mjs 3000'
	assert_failure 1
	assert_output 'serve: Port 3000 is already in use'
	run in_sandbox / '__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=.example.org node /opt/mozaiks/web_shell/serve.mjs 3001'
	assert_failure 1
	assert_output 'serve: __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: ".example.org" is not the exact name of a host'
}
