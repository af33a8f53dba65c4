#!/usr/bin/env bats
# preview-runtime - previews in the real image: who signs in to them, which database and key they have, when they are healthy, and
# what is left of them

load common
load host

setup() {
	common_setup
	require_docker
	require_host
	unset "${!MOZAIKS_PREVIEW_ENV_@}"
	run_id=$(new_run)
	line=$BATS_TEST_TMPDIR/line
	ISSUER_PID=''
	RUNNING=''
}

teardown() {
	[ -z "$RUNNING" ] || { kill -KILL "$RUNNING" && wait "$RUNNING"; } 2>/dev/null || true
	[ -z "$ISSUER_PID" ] || { kill "$ISSUER_PID" && wait "$ISSUER_PID"; } 2>/dev/null || true
	[ ! -e "$SBX_STATE/sbx.db" ] || sbx-docker rm --run "$run_id"
}

# operator NAME=VALUE ... - what the operator sets for previews
operator() {
	local pair
	for pair; do
		export "MOZAIKS_PREVIEW_ENV_$pair"
	done
}

staged() {
	start_line docker "$run_id" | jq -c '.purpose = "artifact_preview"' | sbx-stage "$1"
}

# created - a sandbox with the bundle in $line, which is not started yet; its id in $id, its address in $url
created() {
	sbx-docker create --timeout 300 --env-from /dev/fd/3 <"$BATS_TEST_TMPDIR/staged" | sbx-docker put >"$line"
	id=$(jq -r .sandbox.id "$line")
	url=$(sbx-docker url "$id" 3000)
}

# preview BUNDLE - a sandbox with it and with what sbx-env gives it
preview() {
	staged "$1" >"$BATS_TEST_TMPDIR/staged"
	sbx-env - <"$BATS_TEST_TMPDIR/staged" >"$BATS_TEST_TMPDIR/env"
	created 3<"$BATS_TEST_TMPDIR/env"
}

start() {
	sbx-docker supervise "$id" start -- --preview-url "$url"
	sbx-health --timeout 120 <"$line" | jq -e .health.healthy
}

stop() {
	sbx-docker supervise "$id" stop
}

# peek COMMAND - runs it in the sandbox behind the programs' back, as no program may in a preview
peek() {
	local exec
	exec=$(jq -n --arg command "$1" '{Cmd: ["sh", "-c", $command], AttachStdout: true, AttachStderr: true, Tty: true}' |
	    docker_api POST "/containers/$id/exec" -H 'Content-Type: application/json' -d @- | jq -r .Id)
	docker_api POST "/exec/$exec/start" -H 'Content-Type: application/json' -d '{"Tty": true}' | tr -d '\r'
	return "$(docker_api GET "/exec/$exec/json" | jq .ExitCode)"
}

# variables - the backend's environment, one variable a line
variables() {
	peek 'for p in /proc/[0-9]*; do
		! tr "\0" " " <$p/cmdline | grep -q "^python3 -m uvicorn " || { tr "\0" "\n" <$p/environ; exit; }
	done; exit 1'
}

# ask METHOD PATH [BODY [CURL-OPTION ...]] - the status in $code, the answer in $reply
ask() {
	local method=$1 path=$2 body=${3:-}
	shift $(($# < 3 ? $# : 3))
	code=$(curl -q -sS --noproxy '*' --max-time 30 -o "$BATS_TEST_TMPDIR/reply" -w '%{http_code}' -X "$method" \
	    ${body:+-H 'Content-Type: application/json' -d "$body"} "$@" "$url$path")
	reply=$(cat "$BATS_TEST_TMPDIR/reply")
}

# answers CODE [FILTER]
answers() {
	[ "$code" = "$1" ] && { [ -z "${2:-}" ] || jq -e "$2" <<<"$reply" >/dev/null; } ||
	    { echo "not $*: $code $reply"; return 1; }
}

# sign_in_at_issuer - a real issuer, which the sandbox reaches by the Engine's own address, and what the operator sets for it
sign_in_at_issuer() {
	issuer_start notes "$(docker_api GET /networks/bridge | jq -r '.IPAM.Config[0].Gateway')"
	operator AUTH_PROVIDER=jwt VITE_OIDC_AUTHORITY="$ISSUER" AUTH_ISSUER="$ISSUER" \
	    AUTH_JWKS_URL="http://host.docker.internal:${ISSUER##*:}/keys"
}

as() {
	bearer=(-H "Authorization: Bearer $(token "{\"sub\": \"$1\", \"roles\": [\"writer\"]}")")
}

# until_true COMMAND ... - wait for it, as long as a busy machine may need
until_true() {
	local left=1200
	until "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || { echo "never so: $*"; return 1; }
		sleep 0.1
	done
}

@test "a public app is seen as its visitors see it, whatever was sent along; and no host but its own is answered" {
	operator AUTH_ENABLED=true AUTH_PROVIDER=jwt AUTH_ANON_ACCESS=development AUTH_ANON_ROLES=admin AUTH_AUDIENCE=other \
	    AUTH_ANON_SCOPES=tasks.look VITE_MOZAIKS_PREVIEW=false INTERNAL_API_KEY=sentalong DATABASE_URL=postgresql://live/ \
	    MONGO_URI=mongodb://live/ MOZAIKS_APP_DATABASE_NAME=live __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=.example
	preview "$TOP/share/examples/todo"
	start
	variables >"$BATS_TEST_TMPDIR/variables"
	for pair in AUTH_ENABLED=false AUTH_PROVIDER=none AUTH_ANON_ACCESS=public AUTH_ANON_SCOPES=tasks.look AUTH_AUDIENCE=todo \
	    VITE_OIDC_CLIENT_ID=todo VITE_OIDC_REDIRECT_URI= VITE_MOZAIKS_PREVIEW=true "CORS_ORIGINS=$url" \
	    MOZAIKS_APP_DATABASE_NAME=mozaiks_preview MOZAIKS_APP_DATA_DATABASE_NAME=mozaiks_preview \
	    DATABASE_URL=postgresql://sandbox@127.0.0.1:5432/mozaiks_preview __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=localhost; do
		run -0 grep -xF "$pair" "$BATS_TEST_TMPDIR/variables"
	done
	! grep -E 'sentalong|live|MONGO_URI|AUTH_ANON_ROLES|\.example' "$BATS_TEST_TMPDIR/variables" || return 1
	ask GET /api/session
	answers 200 '. == {user: null, roles: [], permissions: ["tasks.look"]}'
	ask POST /api/modules/tasks/create '{"title": "seen"}'
	answers 200 '.title == "seen"'
	ask GET /
	answers 200
	ask GET / '' -H 'Host: other.example'
	answers 403
}

@test "the internal key is another at each start; data outlives a restart, and not the sandbox" {
	local key
	preview "$TOP/share/examples/todo"
	start
	key=$(variables | sed -n 's/^INTERNAL_API_KEY=//p')
	[ "${#key}" -ge 43 ]
	# Nobody who has a browser gets it.
	! variables | grep '^VITE_' | grep -F "$key" || return 1
	ask POST /api/modules/tasks/create '{"title": "kept"}'
	answers 200
	stop
	run -1 sbx-docker supervise "$id" check
	start
	refute [ "$(variables | sed -n 's/^INTERNAL_API_KEY=//p')" = "$key" ]
	ask POST /api/modules/tasks/list '{}'
	answers 200 '[.[].title] == ["kept"]'
	sbx-docker rm "$id"
	run_id=$(new_run)
	preview "$TOP/share/examples/todo"
	start
	ask POST /api/modules/tasks/list '{}'
	answers 200 '. == []'
}

@test "two users of a real issuer have an account each: exported and deleted through the real routes, and nobody else gets in" {
	sign_in_at_issuer
	preview "$TOP/share/examples/notes"
	start
	ask GET /api/shell-config
	answers 200 ".authRequired and .auth.clientId == \"notes\" and .auth.redirectUri == \"$url/auth/callback\" and
	    .auth.authority == \"$ISSUER\""
	ask POST /api/modules/notes/create '{"title": "Nobody"}'
	answers 401
	as anna
	for title in One Two; do
		ask POST /api/modules/notes/create "{\"title\": \"$title\"}" "${bearer[@]}"
		answers 200
	done
	as bert
	ask POST /api/modules/notes/create '{"title": "Three"}' "${bearer[@]}"
	answers 200
	ask GET /api/account/export '' "${bearer[@]}"
	answers 200 '.user == "bert" and [.records.note[].title] == ["Three"]'
	as anna
	ask GET /api/account/export '' "${bearer[@]}"
	answers 200 '.user == "anna" and ([.records.note[].title] | sort) == ["One", "Two"]'
	ask DELETE /api/account '' "${bearer[@]}"
	answers 200 '. == {deleted: 2}'
	ask DELETE /api/account '' "${bearer[@]}"
	answers 200 '. == {deleted: 0}'
	ask GET /api/account/export '' "${bearer[@]}"
	answers 200 '.records == {}'
	as bert
	ask POST /api/modules/notes/list '{}' "${bearer[@]}"
	answers 200 '[.[].title] == ["Three"]'
	bearer=(-H "Authorization: Bearer $(token '{"sub": "anna", "roles": ["writer"], "aud": "other"}')")
	ask GET /api/account/export '' "${bearer[@]}"
	answers 401
}

# What sbx-env refuses outside is refused inside as well, by whatever way it came there.
@test "sign-in is never off in an app that has a contract, and its provider's settings are asked for, inside the sandbox too" {
	staged "$TOP/share/examples/notes" >"$BATS_TEST_TMPDIR/staged"
	created 3<<<'{}'
	supervise=/usr/local/libexec/sbx/sbx-supervise
	run -2 peek "exec $supervise start"
	assert_output --partial 'VITE_OIDC_AUTHORITY must say with whom'
	run -2 peek "VITE_OIDC_AUTHORITY=http://i AUTH_ISSUER=http://i exec $supervise start"
	assert_output --partial 'AUTH_ISSUER and AUTH_JWKS_URL, must say'
	for off in AUTH_ENABLED=false AUTH_PROVIDER=none; do
		run -2 peek "$off VITE_OIDC_AUTHORITY=http://i MOZAIKS_OIDC_AUTHORITY=http://i exec $supervise start"
		assert_output --partial "can't switch its sign-in off"
	done
	run -1 peek "sed -i s,/auth/callback,//other.test/in, app/contracts/auth.json && exec $supervise start"
	assert_output --partial 'callbackPath must be a path'
	for id_value in null 7 '["notes"]' '""' '"a b"'; do
		run -1 peek "sed -i 's/\"appId\": .*/\"appId\": $(sed 's/[&"\\/]/\\&/g' <<<"$id_value"),/' app/app.json && exec $supervise start"
		assert_output --regexp 'app.json: .*appId'
	done
	run -1 sbx-docker supervise "$id" check
}

@test "a preview that is another app's is not healthy, neither from outside nor from inside" {
	preview "$TOP/share/examples/todo"
	start
	run -1 --separate-stderr sbx-health --timeout 2 < <(jq -c '.bundle.app_id = "inventory"' "$line")
	assert_equal "$(jq -r .health.failure.part <<<"$output")" identity
	# Each of its questions has two seconds, and a busy machine may need more.
	until_true sbx-docker supervise "$id" check
	peek "sed -i 's/\"appId\": \"todo\"/\"appId\": \"inventory\"/' app/app.json"
	run -1 sbx-docker supervise "$id" check
	assert_output --partial appId
}

@test "a preview is ready no sooner than its last service, and each service that ends takes all of it along" {
	preview "$TOP/share/examples/todo"
	for service in 'postgres' 'python3 -m uvicorn ' 'node '; do
		run -1 --separate-stderr sbx-health --timeout 1 <"$line"
		start
		peek "for p in /proc/[0-9]*; do ! tr '\\0' ' ' <\$p/cmdline | grep -q '^[^ ]*$service' || { kill -KILL \${p#/proc/}; exit; }; done; exit 1"
		until_true not_running
	done
}

not_running() {
	! sbx-docker -q supervise "$id" check >/dev/null 2>&1 && peek '! ls /tmp/mozaiks-preview/supervisor.pid 2>/dev/null' >/dev/null
}

# ---- contrib/preview-once

# once [ARGUMENT ...] - it runs, its input is a pipe that we hold open, what it says is in files; its process is $RUNNING
once() {
	mkfifo "$BATS_TEST_TMPDIR/keys"
	# A shell has its background commands ignore SIGINT.
	BUILD=$BUILD env --default-signal=INT "$TOP/contrib/preview-once" "$@" <"$BATS_TEST_TMPDIR/keys" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	RUNNING=$!
	exec 9>"$BATS_TEST_TMPDIR/keys"
}

says() {
	grep -q "$1" "$BATS_TEST_TMPDIR/err"
}

# over STATUS - it ends, with that, and nothing is left of it
over() {
	local status=0
	wait "$RUNNING" || status=$?
	RUNNING=''
	exec 9>&-
	rm "$BATS_TEST_TMPDIR/keys"
	cat "$BATS_TEST_TMPDIR/err"
	assert_equal "$status" "$1"
	assert_equal "$(sbx-docker list)" ''
	assert_equal "$(ls "$SBX_STATE/runs")" ''
}

@test "preview-once: the address comes when the app is there, and after Enter nothing is left" {
	once
	until_true test -s "$BATS_TEST_TMPDIR/out"
	url=$(cat "$BATS_TEST_TMPDIR/out")
	ask GET /api/shell-config
	answers 200 '.appId == "todo"'
	assert_equal "$(sbx-docker list | wc -l)" 1
	echo >&9
	over 0
	assert_equal "$(cat "$BATS_TEST_TMPDIR/out")" "$url"
	says 'nothing is left of it'
}

@test "preview-once: a signal at any step, and nothing is left" {
	local signal status step
	while read -r signal status step; do
		once
		until_true says "$step"
		kill "-$signal" "$RUNNING"
		over "$status"
		assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/out")" "$([ "$step" = Enter ] && echo 1 || echo 0)"
	done <<-'END'
		INT 130 Enter
		TERM 143 start.*ok
		HUP 129 stage.*ok
	END
}

@test "preview-once: an app that can't start is told so, and nothing is left" {
	once "$TOP/share/examples/notes"
	over 2
	says 'VITE_OIDC_AUTHORITY must say with whom'
	cp -R "$TOP/share/examples/todo" "$BATS_TEST_TMPDIR/broken"
	echo 'def broken(' >>"$BATS_TEST_TMPDIR/broken/modules/tasks/handlers.py"
	once "$BATS_TEST_TMPDIR/broken"
	over 1
	assert_file_empty "$BATS_TEST_TMPDIR/out"
	says 'check  *no'
}
