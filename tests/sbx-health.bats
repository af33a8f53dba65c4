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
	[ "$(jq -r .healthy <<<"$output")" = false ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	message=$(jq -r .failure.message <<<"$output")
	[ "$stderr" = "sbx-health: $message" ]
}

passes() {
	run --separate-stderr sbx-health --report --timeout 20 "$@"
	assert_success
	[ "$(jq -c '[.healthy, .failure]' <<<"$output")" = '[true,null]' ]
	[ -z "$stderr" ]
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
	assert_equal "$message" "no-such-host.invalid: no such host: getent ended with 2"
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
	run bwrap --dev-bind / / --unshare-net sh -c 'echo "40000 40001" >/proc/sys/net/ipv4/ip_local_port_range &&
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
	# Little memory, too, of the gigabytes that came by then. (KiB; a sanitizer's build needs most of that.)
	run python3 - "$url/huge-body" <<-'END'
		import resource, subprocess, sys
		status = subprocess.run(["sbx-health", "-q", "-t", "1", "--http", sys.argv[1]]).returncode
		print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 150000)
	END
	assert_output '1 True'
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
		run ! kill -0 "$(cat "$BATS_TEST_TMPDIR/curl")"
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

# ---- sandboxes

# preview - a preview's sandbox, its line and its id
preview() {
	require_docker
	made=$(new_run)
	start_line docker "$made" | jq -c '.purpose = "artifact_preview" | .bundle.app_id = "todo"' |
	    sbx-docker create >"$BATS_TEST_TMPDIR/line"
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
}

# app APP-ID [ADDRESS] - an app inside, on port 3000, behind the Engine's back
app() {
	local exec script
	script='const [id, address] = process.argv.slice(1);
	    require("http").createServer((q, r) => {
	        if (q.headers.host.startsWith("bad")) { r.statusCode = 403; r.end("Blocked request. This host is not allowed."); }
	        else if (q.url.startsWith("/api/shell-config")) r.end(JSON.stringify({appId: id}));
	        else { r.statusCode = 404; r.end(); }
	    }).listen(3000, address, () => console.log("listens"))'
	# What is left in the background goes on when the command ends, as it does once the app listens.
	exec=$(jq -n --args '{AttachStdout: true, Cmd: (["sh", "-c",
	    "node -e \"$0\" \"$@\" >/tmp/app.log 2>&1 & until grep -q listens /tmp/app.log; do sleep 0.05; done"] + $ARGS.positional)}' \
	    -- "$script" "$1" "${2:-0.0.0.0}" |
	    docker_api POST "/containers/$id/exec" -H 'Content-Type: application/json' -d @- | jq -r .Id)
	docker_api POST "/exec/$exec/start" -H 'Content-Type: application/json' -d '{}'
}

# check_line OPTION ... - the health that the line gets
check_line() {
	run --separate-stderr sbx-health "$@" <"$BATS_TEST_TMPDIR/line"
	health=$(jq -c .health <<<"$output")
}

@test "a line's sandbox is asked at its published port for the bundle's app" {
	preview
	check_line -t 1
	assert_failure 1
	[ "$(jq -r '.healthy, .failure.part' <<<"$health" | paste -sd' ')" = 'false cut' ]
	app todo
	check_line
	assert_success
	[ "$(jq -r '.healthy, .url' <<<"$health" | paste -sd' ')" = \
	    "true http://localhost:$(jq -r '.sandbox.ports."3000"' "$BATS_TEST_TMPDIR/line")/api/shell-config" ]
	[ "$(jq -c 'del(.health)' <<<"$output")" = "$(cat "$BATS_TEST_TMPDIR/line")" ]
	check_line -t 1 --host bad.example
	assert_failure 1
	assert_equal "$(jq -r .failure.part <<<"$health")" host_rejected
	check_line -t 1 --http /nowhere
	assert_failure 1
	assert_equal "$(jq -r .failure.part <<<"$health")" status
	check_line --http /nowhere --status 404
	assert_success
}

@test "another app in the line's sandbox is not the bundle's" {
	preview
	app other
	check_line -t 1
	assert_failure 1
	assert_equal "$(jq -r .failure.part <<<"$health")" identity
	assert_output --partial 'shell-config: .appId is \"other\", and should be \"todo\"'
}

@test "an app that only listens to its own localhost is seen from inside, and not from outside" {
	preview
	app todo 127.0.0.1
	check_line -t 1
	assert_failure 1
	check_line --tcp :3000
	assert_success
	assert_equal "$(jq -c 'del(.duration_ms)' <<<"$health")" '{"healthy":true,"attempts":1}'
	passes --via "docker:$id" --http http://127.0.0.1:3000/api/shell-config --json .appId=todo
	passes --via "docker:$id" --http http://127.0.0.1:3000/x --status 404 --good 2 --each 1
	# Every option arrives as it was given, whatever a shell would make of it.
	fails identity --via "docker:$id" --http 'http://127.0.0.1:3000/api/shell-config?a=$(id)&b' --json ".appId=it's \"\$HOME\""
	assert_regex "$message" 'should be "it.s \\"\$HOME\\""$'
	fails host_rejected --via "docker:$id" --http http://127.0.0.1:3000/ --host bad.example
	fails refused --via "docker:$id" --tcp localhost:3001
}

@test "a sandbox that is not there, or ends, is no unhealthy app" {
	preview
	docker_api DELETE "/containers/$id?force=1&v=1"
	check_line -t 2
	assert_failure 1
	assert_equal "$(jq -r '.error.reason, .health' <<<"$output" | paste -sd' ')" 'sandbox_missing null'
	run sbx-health --via "docker:$id" --tcp localhost:1
	assert_failure 1
	assert_output --partial 'the Engine has no such sandbox'
}

@test "a sandbox that ends while it is asked is said to have ended" {
	preview
	(sleep 1; docker_api DELETE "/containers/$id?force=1&v=1") 3>&- &
	check_line -t 3
	wait
	assert_failure 1
	assert_equal "$(jq -r '.error.reason, .health' <<<"$output" | paste -sd' ')" 'sandbox_missing null'
}

# liar - an image whose sbx-health ends with the status and prints the text that --body gives it
liar() {
	local dir=$BATS_TEST_TMPDIR/liar
	mkdir -p "$dir"
	printf 'FROM %s\nCOPY sbx-health /usr/local/libexec/sbx/\nLABEL sbx.test=liar\n' "$("$TOP/tests/fixture-image")" >"$dir/Dockerfile"
	cat >"$dir/sbx-health" <<-'END'
		#!/bin/sh
		while [ "$1" != --body ]; do shift; done
		printf '%s' "${2#* }"
		exit "${2%% *}"
	END
	chmod 755 "$dir/sbx-health"
	tar -C "$dir" -cf - . | docker_api POST '/build?t=sbx-liar:local&networkmode=none&rm=1&forcerm=1' \
	    -H 'Content-Type: application/x-tar' -T - >&2
}

@test "a program inside that lies is believed no more than its answer can say" {
	require_docker
	liar
	made=$(new_run)
	start_line docker "$made" | sbx-docker create --image sbx-liar:local >"$BATS_TEST_TMPDIR/line"
	docker_api DELETE '/images/sbx-liar:local?force=1' >&2
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
	while read -r status expected body; do
		run --separate-stderr sbx-health --report --via "docker:$id" --http http://localhost/ --body "$body"
		assert_equal "$status $expected" "$status $(jq -r '.failure.part // "none"' <<<"$output")"
		refute_regex "$stderr" $'[\001-\011\013-\037]'
	done <<-'END'
		0 none 0 {"healthy":true,"attempts":1}
		2 probe_failed 0 {"healthy":false,"failure":{"part":"refused","message":"x"}}
		2 probe_failed 1 {"healthy":true}
		2 probe_failed 0
		2 probe_failed 0 {"healthy":true
		2 probe_failed 0 {"healthy":"true"}
		2 probe_failed 1 {"healthy":false,"failure":{"part":"stopped","message":"x"}}
		2 probe_failed 1 {"healthy":false,"failure":{"part":"refused"}}
		1 refused 1 {"healthy":false,"attempts":-5,"failure":{"part":"refused","message":"\u001b[31mred\r\n"}}
		2 probe_failed 139 {"healthy":true}
		2 image_unfit 127 {"healthy":true}
	END
}

@test "lines that can't be asked about" {
	while read -r reason filter; do
		run -2 --separate-stderr sbx-health < <(start_line | jq -c "$filter")
		assert_equal "$(jq -r .error.reason <<<"$output")" "$reason"
	done <<-'END'
		sandbox_missing .
		sandbox_missing .sandbox={"provider":"docker"}
		sandbox_missing .sandbox={"provider":"docker","id":"../x"}
		provider_unknown .sandbox={"provider":"nobody","id":"x"}
	END
}
