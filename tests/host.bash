# host - the reference host in a test: a database, an issuer, the host itself, and requests to it

# The interpreter that Debian's FastAPI and psycopg2 belong to; another one in PATH would not have them.
PYTHON=/usr/bin/python3
export PYTHON TOP

require_host() {
	"$PYTHON" -c 'import fastapi, uvicorn, psycopg2, jwt, cryptography' 2>/dev/null && [ -x /usr/lib/postgresql/15/bin/postgres ] && return 0
	[ "${SBX_REQUIRE:-}" != all ] || { echo "python3-fastapi, -uvicorn, -psycopg2, -jwt and postgresql are needed" >&2; return 1; }
	skip "python3-fastapi, -uvicorn, -psycopg2, -jwt and postgresql are needed"
}

# first_line FILE PID - wait for what a server says first; it must not end before
first_line() {
	until [ -s "$1" ]; do
		kill -0 "$2" 2>/dev/null || return 1
		sleep 0.02
	done
	head -n 1 "$1"
}

# postgres_start NAME ... - a server with these databases; its directory and process are in $POSTGRES and $POSTGRES_PID
postgres_start() {
	POSTGRES=$(mktemp -u "/tmp/sbx-test-pg.XXXXXXXX")
	"$TOP/tests/postgres" "$POSTGRES" "$@" >"$BATS_FILE_TMPDIR/postgres" 2>&1 3>&- &
	POSTGRES_PID=$!
	export POSTGRES POSTGRES_PID
	first_line "$BATS_FILE_TMPDIR/postgres" "$POSTGRES_PID"
}

postgres_stop() {
	kill "$POSTGRES_PID"
	wait "$POSTGRES_PID" || true
	rm -rf "$POSTGRES"
}

# database - a database of the test's own, by name
database() {
	local name
	name=t$(od -An -N8 -tx1 /dev/urandom | tr -d ' \n')
	/usr/lib/postgresql/15/bin/createdb -h "$POSTGRES" -U sandbox "$name"
	echo "$name"
}

# issuer_start AUDIENCE [ADDRESS] - in $ISSUER its URL
issuer_start() {
	"$TOP/tests/issuer" "$@" >"$BATS_TEST_TMPDIR/issuer" 2>"$BATS_TEST_TMPDIR/issuer.err" 3>&- &
	ISSUER_PID=$!
	ISSUER=$(first_line "$BATS_TEST_TMPDIR/issuer" "$ISSUER_PID")
}

# token JSON - one that the issuer signs, as tests/issuer says
token() {
	curl -q -sS --fail --noproxy '*' --max-time 10 -d "$1" "$ISSUER/token" | jq -r .access_token
}

# host_run APP DATABASE [NAME=VALUE ...] - in place of this shell the host of APP, which refuses to start or serves until it is ended
host_run() {
	local app=$1 name=$2
	shift 2
	exec env -i PATH=/usr/bin:/bin HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PLATFORM_PATH="$app" MOZAIKS_WORKFLOWS_PATH="$app/workflows" \
	    DATABASE_URL="postgresql://sandbox@/$name?host=$POSTGRES" MOZAIKS_APP_DATABASE_NAME="$name" \
	    MOZAIKS_APP_DATA_DATABASE_NAME="$name" "$@" \
	    "$PYTHON" -m uvicorn --app-dir "$TOP/share/image/factory_app" host.app:app --port 0
}

# What a public app's host is told.
# shellcheck disable=SC2034 # for the tests
PUBLIC=(AUTH_ENABLED=false AUTH_PROVIDER=none AUTH_ANON_ACCESS=public)

# host_start APP DATABASE [NAME=VALUE ...] - its URL is in $HOST, its process in $HOST_PID, what it logs in $HOST_LOG
host_start() {
	HOST_LOG=$BATS_TEST_TMPDIR/host.log
	: >"$HOST_LOG"
	host_run "$@" >"$HOST_LOG" 2>&1 3>&- &
	HOST_PID=$!
	until HOST=$(sed -n 's/.*Uvicorn running on \(http:[^ ]*\).*/\1/p' "$HOST_LOG") && [ -n "$HOST" ]; do
		kill -0 "$HOST_PID" 2>/dev/null || { cat "$HOST_LOG" >&2; return 1; }
		sleep 0.02
	done
}

host_stop() {
	kill "$HOST_PID"
	wait "$HOST_PID" || true
	if curl -q -s -o /dev/null --noproxy '*' --max-time 10 "$HOST/api/health"; then
		echo "the host outlived its end" >&2
		return 1
	fi
}

# ask METHOD PATH [CURL-OPTION ...] - status in $status, body in $output; $TOKEN, when it is set, says who asks
ask() {
	local method=$1 path=$2
	shift 2
	output=$(curl -q -sS --noproxy '*' --max-time 30 -o - -w '\n%{http_code}' -X "$method" \
	    ${TOKEN:+-H "Authorization: Bearer $TOKEN"} "$@" "$HOST$path")
	status=${output##*$'\n'}
	output=${output%$'\n'*}
}

# act MODULE/ACTION JSON - what the handler answers
act() {
	ask POST "/api/modules/$1" -H 'Content-Type: application/json' -d "$2"
}

# answers STATUS [FILTER] - that was the status, and jq's filter holds of the body
answers() {
	if [ "$status" != "$1" ] || { [ $# -gt 1 ] && ! jq -e "$2" <<<"$output" >/dev/null; }; then
		echo "not $*: $status $output"
		return 1
	fi
}

# smoke APP [NAME=VALUE ...] - the runtime smoke of the app in that directory, as somebody whom PostgreSQL serves
smoke() {
	local app=$1 user=()
	shift
	[ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	env -i PATH=/usr/sbin:/usr/bin:/bin HOME=/tmp LC_ALL=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 PYTHONSAFEPATH=1 \
	    PLATFORM_PATH="$app" MOZAIKS_APP_WORKSPACE_PATH="$(dirname "$app")" MOZAIKS_WORKFLOWS_PATH="$app/workflows" "$@" \
	    ${AROUND:+"${AROUND[@]}"} "${user[@]}" "$PYTHON" "$TOP/share/image/factory_app/smoke.py"
}
