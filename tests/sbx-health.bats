#!/usr/bin/env bats
# sbx-health - an app that is there is seen at once, one that is not is said not to be, in words that name the part

bats_require_minimum_version 1.5.0
load common

setup() {
	common_setup
	servers=()
	made=
}

teardown() {
	local pid
	for pid in "${servers[@]}"; do
		kill "$pid" 2>/dev/null || true
	done
	[ -z "$made" ] || sbx-docker rm --run "$made" >&2
}

# serve [ADDRESS [DELAY]] - an app on a port of its own
serve() {
	local file=$BATS_TEST_TMPDIR/port.${#servers[@]}
	"$TOP/tests/app-stand-in" "$file" "$@" 3>&- &
	servers+=($!)
	until [ -e "$file" ]; do sleep 0.02; done
	port=$(cat "$file")
	url=http://127.0.0.1:$port
	[ -n "${2:-}" ] || sbx-health --tcp "${1:-127.0.0.1}:$port" 2>/dev/null || sbx-health --tcp "[$1]:$port"
}

# A port on which nobody listens: it is bound, so that nobody else gets it.
bind_only() {
	serve 127.0.0.1 3600
}

# fails PART OPTION ... - is not healthy in a second, and the report names the part
fails() {
	local part=$1
	shift
	run --separate-stderr sbx-health --report --timeout 1 "$@"
	assert_failure 1
	[ "$(jq -r .failure.part <<<"$output")" = "$part" ] || { echo "not $part: $output" >&2; return 1; }
	[ "$(jq -r .healthy <<<"$output")" = false ] && [ "$(wc -l <<<"$stderr")" -eq 1 ]
	message=$(jq -r .failure.message <<<"$output")
	[ "$stderr" = "sbx-health: $message" ]
}

passes() {
	run --separate-stderr sbx-health --report --timeout 20 "$@"
	assert_success
	[ "$(jq -c '[.healthy, .failure]' <<<"$output")" = '[true,null]' ] && [ -z "$stderr" ]
}

# ---- connections

@test "--tcp: a connection that is taken is enough, on either localhost" {
	serve
	passes --tcp "127.0.0.1:$port"
	passes --tcp "localhost:$port"
	serve ::1
	passes --tcp "[::1]:$port"
	passes --tcp "localhost:$port"
	passes --http "http://localhost:$port/api" --json .appId=todo
}

@test "--tcp: nobody listens" {
	bind_only
	fails refused --tcp "127.0.0.1:$port"
	assert_equal "$message" "127.0.0.1:$port: nobody listens there"
	fails refused --http "$url/"
	fails refused --http "http://localhost:$port/"
}

@test "without --report it prints nothing, and -v says how long it took" {
	serve
	run sbx-health --tcp "127.0.0.1:$port"
	assert_success
	assert_output ''
	run sbx-health -v --tcp "127.0.0.1:$port"
	assert_output --regexp '^sbx-health: healthy after [0-9]+ ms, asked 1 times$'
	bind_only
	run sbx-health -q -t 1 --tcp "127.0.0.1:$port"
	assert_failure 1
	assert_output ''
}

@test "an app that starts to listen later is waited for" {
	serve 127.0.0.1 1
	passes --tcp "127.0.0.1:$port"
	[ "$(jq .attempts <<<"$output")" -gt 3 ]
	serve 127.0.0.1 1
	passes --http "$url/"
}

@test "a host that does not exist" {
	fails refused --tcp "no-such-host.invalid:80"
	assert_equal "$message" "no-such-host.invalid: no such host"
	fails refused --http "http://no-such-host.invalid/"
}

@test "a name that only the machine knows is found" {
	serve
	getent ahosts "$(hostname)" >/dev/null || skip "the machine does not know its own name"
	run -1 --separate-stderr sbx-health -t 1 --report --tcp "$(hostname):1"
	[ "$(jq -r .failure.part <<<"$output")" = refused ]
	assert_regex "$stderr" 'nobody listens there|no route'
}

@test "a port that connects to itself is not an app" {
	[ "$(id -u)" -eq 0 ] || skip 'needs a network of its own'
	# With two ports to choose from, a connection to one of them soon comes from it.
	run unshare --net sh -c 'ip link set lo up && echo "40000 40001" >/proc/sys/net/ipv4/ip_local_port_range &&
	    sbx-health -t 2 --tcp 127.0.0.1:40000'
	assert_failure 1
	assert_output 'sbx-health: 127.0.0.1:40000: nobody listens there'
}

# A proxy as the Engine's is: it takes connections, and drops each when it finds nobody behind it.
@test "a proxy with nobody behind it is not an app" {
	local file=$BATS_TEST_TMPDIR/proxy
	python3 - "$file" 3>&- <<-'END' &
		import socket, sys
		s = socket.create_server(("127.0.0.1", 0))
		open(sys.argv[1], "w").write(str(s.getsockname()[1]))
		while True:
		    s.accept()[0].close()
	END
	servers+=($!)
	until [ -s "$file" ]; do sleep 0.02; done
	fails cut --tcp "127.0.0.1:$(cat "$file")"
	fails cut --http "http://127.0.0.1:$(cat "$file")/"
}

# ---- HTTP: the part that failed

@test "--http: any status from 200 to 299 is good, others when they are asked for" {
	serve
	passes --http "$url/"
	passes --http "$url/status/204"
	fails status --http "$url/status/503"
	assert_equal "$message" "$url/status/503: answers with 503"
	fails status --http "$url/status/404"
	passes --http "$url/status/404" --status 404
	passes --http "$url/status/404" --status 100-499
	fails status --http "$url/" --status 300-599
	passes --http "$url/interim" --body hello
}

@test "--header and --body" {
	serve
	passes --http "$url/" --header content-type=text/html --header Connection=close --body hello
	fails header --http "$url/" --header content-type=json
	assert_equal "$message" "$url/: its content-type is 'text/html; charset=utf-8', without 'json'"
	fails header --http "$url/" --header x-none=
	assert_equal "$message" "$url/: it has no header x-none"
	fails body --http "$url/" --body goodbye
	passes --http "$url/nul" --body hello
}

@test "--json: a member must be there with this value and type" {
	serve
	passes --http "$url/api" --json .appId=todo --json .count=3 --json .ready=true --json .deep.er=x --json .no=null
	passes --http "$url/api" --json '.appId="todo"' --json '.deep={"er":"x"}'
	fails identity --http "$url/api" --json .appId=other
	assert_equal "$message" "$url/api: .appId is \"todo\", and should be \"other\""
	fails identity --http "$url/api" --json '.count="3"'
	fails identity --http "$url/api" --json .none=1
	assert_equal "$message" "$url/api: .none is not there, and should be 1"
	fails identity --http "$url/page" --json .appId=todo
	assert_regex "$message" 'the body is no JSON'
}

@test "--host is the Host header, and a server that wants another one is told apart" {
	serve
	passes --http "$url/hosted/preview.example" --host preview.example
	passes --http "$url/hosted/preview.example" --host preview.example:8080
	fails host_rejected --http "$url/hosted/preview.example" --host other.example
	assert_regex "$message" 'refuses to be asked by other.example \(403\)'
	fails host_rejected --http "$url/hosted/preview.example"
	fails status --http "$url/status/403"
}

@test "redirects are followed when that is asked for, to HTTP alone, and not for ever" {
	serve
	fails status --http "$url/moved"
	assert_regex "$message" 'leads elsewhere, and is not followed'
	passes --http "$url/moved" --location --json .appId=todo
	passes --http "$url/moved" --status 302
	fails cut --http "$url/loop" --location
	assert_regex "$message" 'redirect'
	fails cut --http "$url/to-file" --location
}

@test "an answer that ends too early, or is none" {
	serve
	fails cut --http "$url/cut-body"
	fails cut --http "$url/cut-head"
	fails cut --http "$url/nothing"
	fails cut --http "$url/no-http"
}

@test "an answer that takes for ever is no answer, whatever comes in the meantime" {
	serve
	fails timed_out --http "$url/hang"
	fails timed_out --http "$url/slow-head"
	fails timed_out --http "$url/slow-body"
}

@test "an answer without end is read up to a bound" {
	serve
	fails body --http "$url/huge-head"
	assert_regex "$message" 'head of an answer is larger than'
	fails body --http "$url/huge-body"
	fails body --http "$url/huge-line"
	assert_regex "$message" 'no room for the answer'
	# As much memory as the bound allows and no more.
	run sh -c "ulimit -v 400000; exec sbx-health -t 1 --http $url/huge-body"
	assert_failure 1
}

@test "what an app says can't reach the terminal" {
	serve
	fails identity --http "$url/escape" --json .appId=todo
	refute_regex "$stderr" $'\033'
}

@test "one bad ask does not hide behind the deadline that cut the last one short" {
	serve
	run --separate-stderr sbx-health -r -t 3 --each 2 --http "$url/hang"
	[ "$(jq -r .failure.part <<<"$output")" = timed_out ]
	[ "$(jq .attempts <<<"$output")" -ge 2 ]
}

# ---- waiting

@test "a bad start is forgiven" {
	serve
	passes --http "$url/starting"
	assert_equal "$(jq .attempts <<<"$output")" 4
}

@test "--good: so many good answers in a row" {
	serve
	passes --http "$url/flaky" --good 2
	assert_equal "$(jq .attempts <<<"$output")" 2
	serve
	passes --http "$url/flaky" --good 3
	assert_equal "$(jq .attempts <<<"$output")" 6
	fails timed_out --http "$url/" --good 1000
	assert_regex "$message" '^[0-9]+ of 1000 good answers in a row came in time$'
}

@test "a signal ends it and its curl at once" {
	serve
	for signal in TERM INT HUP; do
		# A word of our own in the URL, which only our curl's configuration has, would not show: the child is known by its parent.
		env --default-signal=INT sbx-health -t 60 --each 60 --http "$url/hang" 3>&- &
		waiting=$!
		until pgrep -P "$waiting" -x curl >"$BATS_TEST_TMPDIR/curl"; do sleep 0.02; done
		kill -s "$signal" "$waiting"
		status=0
		wait "$waiting" || status=$?
		assert_equal "$status" "$((128 + $(kill -l "$signal")))"
		! kill -0 "$(cat "$BATS_TEST_TMPDIR/curl")" 2>/dev/null
	done
}

# ---- use

@test "questions that make no sense are refused" {
	while read -r options; do
		# shellcheck disable=SC2086
		run sbx-health $options </dev/null
		assert_failure 2
		assert_line --partial "(see sbx-health -h)"
	done <<-'END'
		--tcp 127.0.0.1
		--tcp 127.0.0.1:0
		--tcp 127.0.0.1:65536
		--tcp ::1:80
		--tcp [::1:80
		--tcp [nonsense]:80
		--tcp a/b:80
		--tcp -x:80
		--http ftp://localhost/
		--http http://
		--http http://user:secret@localhost/
		--http http://localhost:99999/
		--http http://localhost/a b
		--tcp 127.0.0.1:1 --http http://localhost/
		--tcp 127.0.0.1:1 --body x
		--http http://localhost/ --status 99
		--http http://localhost/ --status 300-200
		--http http://localhost/ --json appId=todo
		--http http://localhost/ --json .appId
		--http http://localhost/ --header x
		--http http://localhost/ --host a/b
		--http http://localhost/ --good 0
		--via docker:x
		--via docker:x --http /path
		--report
	END
}

@test "a secret in a query is in no message" {
	bind_only
	run sbx-health -v -t 1 -r --http "$url/x?token=s3cr3t"
	refute_output --partial s3cr3t
	serve
	run sbx-health -v -t 1 -r --http "$url/status/500?token=s3cr3t"
	refute_output --partial s3cr3t
}
