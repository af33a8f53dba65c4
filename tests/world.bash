# world - a sandbox's inside for tests of what runs there: processes, ports, /tmp and /etc/sbx of its own, gone with its command

# world_setup - $WORLD/workspace/app holds the todo example; what the test puts into $WORLD is at /w inside
world_setup() {
	[ "$(id -u)" -eq 0 ] && command -v bwrap >/dev/null || {
		[ "${SBX_REQUIRE:-}" != all ] || { echo "root and bubblewrap are needed" >&2; return 1; }
		skip "root and bubblewrap are needed"
	}
	WORLD=$BATS_TEST_TMPDIR/world
	WORLD_OPTIONS=()
	mkdir -p "$WORLD/workspace" "$WORLD/opt/mozaiks/web_shell/node_modules/vite/bin" "$WORLD/opt/mozaiks/chat-ui/src" \
	    "$WORLD/opt/mozaiks/factory_app" "$WORLD/bin"
	: >"$WORLD/opt/mozaiks/web_shell/node_modules/vite/bin/vite.js"
	cp -R "$TOP/share/examples/todo" "$WORLD/workspace/app"
	cp "$TOP/tests/world.sh" "$TOP/tests/world_service.py" "$TOP/tests/world_left.py" "$WORLD"
	services postgres backend frontend
}

# services NAME ... - the services' file: each NAME a service of world_service.py at a port of its own, those of a preview at theirs
services() {
	local name port=7000
	for name; do
		case $name in backend) port=8000 ;; frontend) port=3000 ;; *) port=$((port + 1)) ;; esac
		jq -n --arg name "$name" --arg port "$port" '{name: $name, argv: ["/usr/bin/python3", "/w/world_service.py", $name, $port],
			cwd: "/workspace", ready: {tcp: "127.0.0.1:\($port)"}, ready_s: 20}'
	done | jq -s '{services: .}' >"$WORLD/services.json"
}

# service NAME FILTER - change what the services' file says of it
service() {
	jq --arg name "$1" "(.services[] | select(.name == \$name)) |= ($2)" "$WORLD/services.json" >"$WORLD/new"
	mv "$WORLD/new" "$WORLD/services.json"
}

# world COMMAND - a line for sh, with what world.sh has
world() {
	timeout 120 bwrap --unshare-pid --unshare-net --unshare-ipc --die-with-parent --ro-bind /usr /usr --symlink usr/bin /bin \
	    --symlink usr/lib /lib --symlink usr/lib64 /lib64 --symlink usr/sbin /sbin --ro-bind /etc/passwd /etc/passwd \
	    --proc /proc --dev /dev --size 33554432 --tmpfs /tmp --bind "$WORLD" /w --bind "$WORLD/workspace" /workspace \
	    --ro-bind "$WORLD/opt" /opt --ro-bind "$WORLD/services.json" /etc/sbx/services.json --ro-bind "$BUILD/bin" /sbx \
	    --clearenv --setenv PATH /w/bin:/sbx:/usr/bin:/bin --setenv HOME /tmp \
	    --setenv MOZAIKS_WEB_SHELL_PATH /opt/mozaiks/web_shell --setenv MOZAIKS_CHAT_UI_PATH /opt/mozaiks/chat-ui \
	    --setenv MOZAIKS_FACTORY_APP_PATH /opt/mozaiks/factory_app "${WORLD_OPTIONS[@]}" -- sh -euc ". /w/world.sh; $1" 3>&-
}
