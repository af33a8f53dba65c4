#!/usr/bin/env bats
# sbx-check - the operator's steps and no others, in the sandbox, each to an end that is known

load common

bats_require_minimum_version 1.5.0

setup() {
	common_setup
	run_id=$(new_run)
	bundle=$BATS_TEST_TMPDIR/bundle
}

teardown() {
	[ ! -e "$SBX_STATE/sbx.db" ] || sbx-docker rm --run "$run_id" >&2
}

# profile NAME FILTER - one of the test's own: that of static with what the jq filter makes of it
profile() {
	if [ "$SBX_SHARE" = "$TOP/share" ]; then
		cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
		SBX_SHARE=$BATS_TEST_TMPDIR/share
	fi
	jq ".name = \"$1\" | $2" "$TOP/share/profiles/static.json" >"$SBX_SHARE/profiles/$1.json"
}

# commands NAME COMMAND ... - a profile with these steps
commands() {
	local name=$1
	shift
	profile "$name" "$(jq -nc '$ARGS.positional | to_entries
	    | map({id: "s\(.key)", title: "t\(.key)", command: .value, cwd: "/workspace", limit_s: 60})' --args -- "$@" |
	    sed 's/^/.steps = /')"
}

lay() {
	"$TOP/tests/lay-bundle" "$1" "$bundle"
}

# sandboxed PROFILE [CREATE-OPTION ...] - the line of the bundle that was laid, in a sandbox
sandboxed() {
	local profile=$1
	shift
	require_docker
	[ -e "$bundle" ] || lay static
	start_line docker "$run_id" | sbx-stage --profile "$profile" "$bundle" | sbx-docker create "$@" | sbx-docker put \
	    >"$BATS_TEST_TMPDIR/line"
}

check() {
	run --separate-stderr sbx-check "$@" <"$BATS_TEST_TMPDIR/line"
}

# altered FILTER - the line as the jq filter makes it
altered() {
	jq -c "$1" "$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/new"
	mv "$BATS_TEST_TMPDIR/new" "$BATS_TEST_TMPDIR/line"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-3000 <<<"$output" && echo "$stderr"; return 1; }
}

statuses() {
	assert_equal "$(jq -r '[.steps[].status] | join(" ")' <<<"$output")" "$1"
}

# ---- acceptance comes first

@test "what acceptance failed is not built: no step, and a build that is pending" {
	commands one 'touch /workspace/begun'
	sandboxed one
	altered '.acceptance = {status: "pending"}'
	check
	assert_success
	statuses passed
	altered '.acceptance = {status: "failed", failures: [{rule: "r", path: "index.html", message: "m"}]}'
	check
	assert_failure 1
	assert_equal "$output" "$(cat "$BATS_TEST_TMPDIR/line")"
	assert_equal "$stderr" 'sbx-check: no check is run: acceptance must pass first'
	sbx-diagnose <<<"$output" | sbx-docker rm | sbx-verdict >"$BATS_TEST_TMPDIR/judged" || true
	jq -e '.result.validation_status == "pending" and .result.strategy_reason == "acceptance must pass first" and
	    .verdict.gates == {acceptance: "failed", build: "pending"} and (has("error") | not)' "$BATS_TEST_TMPDIR/judged"
}

# ---- the smoke

# smokes NAME COMMAND - a profile whose smoke is that, before one step
smokes() {
	profile "$1" "$(jq -nc --arg command "$2" '{title: "try it", command: $command, limit_s: 20, needs: [], claims: ["It ran."]}' |
	    sed 's/^/.rules = [] | .smoke = /') | .steps = [{id: \"s0\", title: \"t0\", command: \"true\", cwd: \"/workspace\", limit_s: 60}]"
}

passed='echo "{\"event\": \"check\", \"id\": \"a\", \"status\": \"passed\"}"'
failed='echo "{\"event\": \"check\", \"id\": \"b\", \"status\": \"failed\", \"message\": \"it broke\", \"path\": \"index.html\"}"'

@test "mozaiks: the app is run and tried before anything is built" {
	lay notes
	sandboxed mozaiks
	check
	assert_success
	holds '(.smoke | .status == "passed" and .exit_code == 0 and (has("reason") | not)) and (keys_unsorted | index("smoke") < index("steps"))'
	holds '.smoke.checks | length > 20 and all(.[]; .status == "passed") and any(.[]; .path == "modules/notes/handlers.py")'
	run grep -c '"event": "check"' "$(jq -r .smoke.output <<<"$output")"
	[ "$output" -gt 20 ]
}

@test "mozaiks: an app that fails when it runs is not built, and the verdict names the file and what to mend" {
	"$TOP/tests/lay-rule" runtime_smoke "$bundle"
	sandboxed mozaiks
	run --separate-stderr sh -c 'sbx-accept | sbx-check | sbx-docker rm | sbx-verdict' <"$BATS_TEST_TMPDIR/line"
	assert_failure 1
	statuses 'not_run not_run not_run'
	holds '.smoke.status == "failed" and .smoke.reason == "check_failed"'
	holds '.verdict | .readiness == "failed" and .gates == {acceptance: "failed", build: "pending"}'
	holds '.result | .validation_status == "pending" and .success == false and .strategy_reason == "acceptance must pass first"'
	holds '.verdict.message | contains("modules/tasks/handlers.py: tasks.create answered 200, and ctx.persistence was given no record")'
	holds '.verdict.not_claimed | any(startswith("Whether the app does what it should when it runs"))'
	[[ $stderr == *'sbx-check: smoke: '* ]]
}

@test "a smoke that passed, failed, could not try, was killed, said nothing, or said more than it ended with" {
	local command word reason
	sandboxed static
	while IFS='|' read -r word reason command; do
		smokes smoky "$command"
		altered '.bundle.profile = "smoky" | del(.smoke, .steps)'
		check
		holds ".smoke | .status == \"$word\" and .reason == ${reason:-null}"
		case $word in
		failed) assert_failure 1 && statuses not_run ;;
		*) assert_success && statuses passed ;;
		esac
	done <<-TABLE
		passed||$passed; echo '{"event": "end", "status": "passed"}'
		failed|"check_failed"|$passed; $failed; echo '{"event": "end", "status": "failed", "reason": "check_failed", "message": "b"}'; exit 1
		skipped|"database_missing"|echo '{"event": "end", "status": "skipped", "reason": "database_missing", "message": "none"}'; exit 2
		failed|"smoke_unfinished"|$passed; kill -9 \$\$
		failed|"smoke_unfinished"|true
		failed|"smoke_unfinished"|echo '{"event": "end", "status": "passed"}'
		failed|"smoke_unfinished"|$passed; $failed; echo '{"event": "end", "status": "passed"}'
		failed|"smoke_unfinished"|$passed; echo '{"event": "end", "status": "passed"}'; exit 3
		failed|"smoke_unfinished"|echo no event; echo '{"event"'; echo '[]'; exit 1
	TABLE
}

@test "what a smoke told before its limit is kept, and how it ended is said" {
	sandboxed static
	smokes smoky "$passed; $failed; sleep 100"
	altered '.bundle.profile = "smoky"'
	check --timeout 2
	assert_failure 1
	holds '.smoke | .status == "failed" and .reason == "smoke_timed_out" and (.checks == [{id: "a", status: "passed"},
	    {id: "b", status: "failed", path: "index.html", message: "it broke"}])'
}

@test "what a smoke writes can't fill the line, leave it, or name a file that is not the bundle's" {
	sandboxed static
	smokes smoky 'for i in $(seq 400); do echo "{\"event\": \"check\", \"id\": \"$i\u0007\", \"status\": \"failed\",
	    \"path\": \"../x\", \"message\": \"$(head -c 3000 /dev/zero | tr "\0" x)\\u001b[2J\"}" | tr -d "\n\t"; echo; done; exit 1'
	altered '.bundle.profile = "smoky"'
	check
	assert_failure 1
	[ "${#output}" -lt 200000 ]
	holds '.smoke.checks | length > 10 and length <= 200 and all(.[]; has("path") | not)'
	refute_output --partial '\u001b'
	refute_output --partial '\u0007'
}

@test "a smoke whose file is not in the image is no fault of the bundle" {
	sandboxed static
	smokes smoky 'exit 1'
	jq '.smoke.needs = ["/opt/mozaiks/nothing"]' "$SBX_SHARE/profiles/smoky.json" >"$BATS_TEST_TMPDIR/new"
	mv "$BATS_TEST_TMPDIR/new" "$SBX_SHARE/profiles/smoky.json"
	altered '.bundle.profile = "smoky"'
	check
	assert_failure 2
	holds '.error.reason == "image_unfit" and .smoke.status == "error" and .steps[0].status == "not_run"'
}

# ---- the shipped profiles

@test "mozaiks: its commands, where they belong, and nothing on standard error" {
	lay todo
	sandboxed mozaiks
	check
	assert_success
	assert_equal "$stderr" ''
	statuses 'passed passed passed'
	holds '.steps[0] | .command == "python -m compileall -q ." and .cwd == "/workspace"'
	holds '.steps[1] | .command == "python /opt/mozaiks/factory_app/load.py" and .cwd == "/workspace"'
	holds '.steps[2] | .cwd == "/opt/mozaiks/web_shell" and
	    .command == "node /opt/mozaiks/web_shell/node_modules/vite/bin/vite.js build --outDir /workspace/build"'
	holds '.steps[2].stdout_tail | contains("built in")'
	holds 'all(.steps[]; .exit_code == 0 and .duration_ms > 0 and .cut == false and .limit_ms <= 600000)'
	run sbx-docker get "$(jq -r .sandbox.id <<<"$output")" build/index.html
	assert_output --partial '<script type="module"'
}

@test "mozaiks: a Python syntax error ends the checks at the first step" {
	lay todo.python-syntax
	sandboxed mozaiks
	check
	assert_failure 1
	statuses 'failed not_run not_run'
	assert_equal "$stderr" 'sbx-check: compileall: failed'
	holds '.steps[0].exit_code == 1 and (.steps[0].stdout_tail | contains("SyntaxError"))'
	holds '.steps[1] | [has("exit_code", "duration_ms", "output")] | any | not'
}

@test "mozaiks: an import that leads nowhere, and a name that is not exported" {
	local fault
	for fault in unresolved-import missing-export; do
		rm -rf "$bundle"
		run_id=$(new_run)
		lay "todo.$fault"
		sandboxed mozaiks
		check
		assert_failure 1
		statuses 'passed passed failed'
		sbx-docker rm --run "$run_id"
	done
}

@test "mozaiks: types are not looked at, and the verdict says so" {
	lay todo.type-error
	sandboxed mozaiks
	check
	assert_success
	run sbx-verdict <<<"$output"
	holds '.verdict.not_claimed | any(startswith("Whether types are right"))'
}

@test "node: types, then the project's build" {
	lay node
	sandboxed node
	check
	assert_success
	statuses 'passed passed'
}

@test "node: a type error is one, whatever tsconfig.json says" {
	lay node.type-error
	sed -i 's/"strict": true/"strict": true, "noCheck": true/' "$bundle/tsconfig.json"
	sandboxed node
	check
	assert_failure 1
	statuses 'failed not_run'
	holds '.steps[0].stdout_tail | contains("error TS2345")'
}

@test "node: a build that makes nothing is no build" {
	lay node
	echo 'process.exit(0);' >"$bundle/vite.config.ts"
	mkdir "$bundle/build"
	echo brought >"$bundle/build/index.html"
	sandboxed node
	check
	assert_failure 1
	statuses 'passed failed'
}

@test "python: compiles, and its modules find one another" {
	lay python
	sandboxed python
	check
	assert_success
	statuses 'passed passed'
}

@test "python: a syntax error" {
	lay python.syntax-error
	sandboxed python
	check
	assert_failure 1
	statuses 'failed not_run'
}

@test "python: imports that lead nowhere" {
	lay python
	mkdir "$bundle/box"
	printf 'from . import gone, there\nfrom .there import here, other\nimport numpy, box.nowhere\n' >"$bundle/box/user.py"
	touch "$bundle/box/__init__.py"
	printf 'here = 1\n' >"$bundle/box/there.py"
	printf 'try:\n    import box.optional\nexcept ImportError:\n    pass\nfrom tally import tally\n' >"$bundle/fine.py"
	sandboxed python
	check
	assert_failure 1
	statuses 'passed failed'
	holds '.steps[1].stdout_tail == "box/user.py:1: error: \"gone\" is not defined in box/__init__.py\n" +
	    "box/user.py:2: error: \"other\" is not defined in box/there.py\n" +
	    "box/user.py:3: error: no module \"box.nowhere\" in the project\n"'
}

@test "static: references that lead nowhere" {
	lay static
	cat >"$bundle/page.html" <<-'END'
		<base href="css/">
		<link rel="stylesheet" href="site.css?v=1"><link rel="stylesheet" href="none.css">
		<style>body { background: url(bg.png) } /* url(comment.png) */</style>
		<img srcset="/a.png 1x, /b.png 2x"><a href="../page.html#x">here</a><a href="../../out">out</a>
		<a href="https://elsewhere.example/x">there</a><a href="mailto:a@b.example">mail</a><a href="#top">top</a>
	END
	touch "$bundle/b.png"
	echo '@import "more.css"; b { background: url( "data:x" ) }' >"$bundle/css/two.css"
	sandboxed static
	check
	assert_failure 1
	holds '.steps[0].stdout_tail == "page.html:2: error: \"none.css\": no file css/none.css\n" +
	    "page.html:3: error: \"bg.png\": no file css/bg.png\n" +
	    "page.html:4: error: \"/a.png\": no file a.png\n" +
	    "page.html:4: error: \"../../out\" leaves the site\n" +
	    "css/two.css:1: error: \"more.css\": no file css/more.css\n"'
}

@test "static: a site begins at index.html" {
	mkdir "$bundle"
	echo '<p>' >"$bundle/other.html"
	sandboxed static
	check
	assert_failure 1
	holds '.steps[0].stdout_tail | startswith("index.html:1: error: there is no such file")'
}

# ---- nothing but the profile decides what is run

@test "what a bundle brings can't stand in for a check" {
	lay python
	printf 'broken = (\n' >"$bundle/broken.py"
	for name in compileall py_compile sitecustomize usercustomize ast report; do
		printf 'import os\nos._exit(0)\n' >"$bundle/$name.py"
	done
	sandboxed python
	check
	assert_failure 1
	statuses 'failed not_run'
}

@test "a compiled file that a bundle brings does not hide its source" {
	lay todo
	mkdir "$bundle/modules/tasks/__pycache__"
	cat >"$BATS_TEST_TMPDIR/forge.py" <<-'END'
		import importlib.util, marshal, os, sys
		source, when = sys.argv[1], int(sys.argv[2])
		code = marshal.dumps(compile("", "x", "exec"))
		name = os.path.join(os.path.dirname(source), "__pycache__", "handlers.cpython-311.pyc")
		with open(name, "wb") as file:
		    file.write(bytes.fromhex("a70d0d0a") + (0).to_bytes(4, "little") + when.to_bytes(4, "little") +
		        os.stat(source).st_size.to_bytes(4, "little") + code)
	END
	printf 'broken = (\n' >"$bundle/modules/tasks/handlers.py"
	sandboxed mozaiks
	when=$(sbx-docker exec -- "$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")" stat -c %Y app/modules/tasks/handlers.py)
	sbx-docker rm --run "$run_id"
	python3 "$BATS_TEST_TMPDIR/forge.py" "$bundle/modules/tasks/handlers.py" "$when"
	run_id=$(new_run)
	sandboxed mozaiks
	check
	assert_failure 1
	statuses 'failed not_run not_run'
	# The forgery is a good one: without the profile's environment it works.
	run sbx-docker exec -- "$(jq -r .sandbox.id <<<"$output")" python -m compileall -q app/modules/tasks
	assert_success
}

@test "a line that has steps already is refused, and so is a profile by any other name than a name" {
	sandboxed static
	altered '.steps = []'
	check
	assert_failure 2
	holds '.error.reason == "member_exists" and .steps == []'
	altered 'del(.steps)'
	for name in ../static ./static nonesuch '' /etc/passwd; do
		altered ".bundle.profile = \"$name\""
		check
		assert_failure
		holds '.error.by == "sbx-check" and (has("steps") | not)'
	done
}

@test "nothing of the caller's environment reaches a step" {
	commands environment 'env; cat /proc/self/environ | tr "\0" "\n"'
	sandboxed environment
	export SECRET_THING=hunter2 E2B_API_KEY=hunter2 MOZAIKS_PREVIEW_ENV_X=hunter2
	check
	assert_success
	holds '.steps[0].stdout_tail | (contains("hunter2") | not) and contains("CI=1")'
	refute grep -q hunter2 "$(jq -r '.steps[0].output' <<<"$output")"
}

# ---- what must be so before anything is run

@test "a line that is not ready for checks is refused" {
	local filter reason
	sandboxed static
	cp "$BATS_TEST_TMPDIR/line" "$BATS_TEST_TMPDIR/good"
	while IFS='|' read -r filter reason; do
		cp "$BATS_TEST_TMPDIR/good" "$BATS_TEST_TMPDIR/line"
		altered "$filter"
		check
		assert_failure 2
		holds ".error.reason == \"$reason\" and (has(\"steps\") | not)"
	done <<-'END'
		del(.sandbox)|sandbox_missing
		.sandbox.deadline = "tomorrow"|sandbox_missing
		del(.put)|put_unverified
		.put.verified = false|put_unverified
		del(.bundle.profile)|profile_missing
		.sandbox.provider = "other"|provider_unknown
		del(.run)|run_missing
	END
}

@test "a profile without steps proves nothing" {
	profile empty '.steps = []'
	sandboxed empty
	check
	assert_failure 2
	holds '.error.reason | startswith("profile_")'
}

# ---- ends of a step

@test "both streams, the exit status, and steps in order in one workspace" {
	commands three 'echo one >&2; echo two; echo x >kept' 'cat kept; exit 7' 'echo never'
	sandboxed three
	check
	assert_failure 1
	statuses 'passed failed not_run'
	holds '.steps[0] | .stdout_tail == "two\n" and .stderr_tail == "one\n"'
	holds '.steps[1] | .exit_code == 7 and .stdout_tail == "x\n"'
	assert_equal "$(sort "$(jq -r '.steps[0].output' <<<"$output")" | paste -sd' ')" 'one two'
	assert_equal "$(stat -c %a "$(jq -r '.steps[0].output' <<<"$output")")" 600
}

@test "of endless output the file keeps 16 MiB, the line the end, and says so" {
	commands much 'head -c 40000000 /dev/zero | tr "\0" x; printf "\377\000\033[1mend"'
	sandboxed much
	check
	assert_success
	holds '.steps[0] | .cut == true and (.stdout_tail | length <= 8192 and endswith("x\ufffd\ufffd\u001b[1mend"))'
	assert_equal "$(stat -c %s "$(jq -r '.steps[0].output' <<<"$output")")" 16777216
	run sbx-verdict <<<"$output"
	holds '.result.build_output_truncated and (.result.build_output | endswith("\u001b[1mend\n"))'
}

@test "at its limit a step ends with all that came of it" {
	commands slow 'setsid sh -c "sleep 7777 & sleep 7777" & sleep 7777' 'echo never'
	sandboxed slow
	check --timeout 1
	assert_failure 1
	statuses 'timed_out not_run'
	holds '.steps[0] | .limit_ms == 1000 and .duration_ms >= 1000'
	refute_sleepers
}

# Nobody in the sandbox sleeps for 7777 s.
refute_sleepers() {
	local id
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
	run docker_api GET "/containers/$id/top?ps_args=-eo%20pid,args"
	assert_success
	refute_output --partial 'sleep 7777'
}

@test "a step is ended before its sandbox is, so that the step is to blame" {
	commands slow 'sleep 7777'
	sandboxed slow --timeout 5
	check
	assert_failure 1
	statuses timed_out
	holds '.steps[0].limit_ms < 5000 and (has("error") | not)'
}

@test "a profile's own limit counts when it is lower" {
	profile quick '.steps[0] += {command: "sleep 7777", limit_s: 1}'
	sandboxed quick
	check --timeout 60
	assert_failure 1
	holds '.steps[0] | .status == "timed_out" and .limit_ms == 1000'
}

@test "a sandbox that is lost in the middle is trouble, with what was run" {
	commands lost 'echo first' 'touch begun; sleep 7777' 'echo never'
	sandboxed lost
	sbx-check <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out" 2>/dev/null 3>&- &
	until_begun
	docker_api DELETE "/containers/$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")?force=1&v=1"
	status=0
	wait $! || status=$?
	output=$(<"$BATS_TEST_TMPDIR/out")
	statuses 'passed error not_run'
	holds '.error.by == "sbx-check" and .steps[0].stdout_tail == "first\n"'
	assert_failure 2
}

until_begun() {
	local tries id
	id=$(jq -r .sandbox.id "$BATS_TEST_TMPDIR/line")
	for tries in {1..200}; do
		docker_api GET "/containers/$id/archive?path=/workspace/begun" -o /dev/null 2>/dev/null && return
		sleep 0.1
	done
	return 1
}

@test "a step that lacks what it needs of the image is no fault of the bundle" {
	commands needy false
	profile needy "$(jq -c '.steps[0].needs = ["/bin/sh", "/opt/no such file"] | .steps | "(.steps = \(tojson))"' -r \
	    "$SBX_SHARE/profiles/needy.json")"
	sandboxed needy
	check
	assert_failure 2
	holds '.error.reason == "image_unfit" and (.error.message | startswith("/opt/no such file:"))'
	statuses error
	sbx-verdict <<<"$output" >"$BATS_TEST_TMPDIR/judged" || true
	jq -e '.result.infrastructure_failure and .verdict.readiness == "failed"' "$BATS_TEST_TMPDIR/judged"
}

@test "a signal ends the step at once; the line is written, with what was run" {
	commands stopped 'echo first' 'touch begun; sleep 7777'
	sandboxed stopped
	sbx-check <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out" 2>/dev/null 3>&- &
	until_begun
	kill -TERM $!
	status=0
	wait $! || status=$?
	output=$(<"$BATS_TEST_TMPDIR/out")
	assert_failure 143
	statuses 'passed error'
	holds '.error.status == 143 and .error.by == "sbx-check"'
}

@test "-v tells of each step, -q of none" {
	commands two 'true' 'false'
	sandboxed two
	check -v
	[[ $stderr == *'s0: passed after '* && $stderr == *'s1: failed'* ]]
	check -q
	assert_equal "$stderr" ''
}

@test "on a terminal the step that runs is shown, and gone when it ends" {
	commands shown 'true'
	sandboxed shown
	script -qec "sbx-check <'$BATS_TEST_TMPDIR/line' >/dev/null" "$BATS_TEST_TMPDIR/terminal" >/dev/null
	run cat "$BATS_TEST_TMPDIR/terminal"
	assert_output --partial $'sbx-check: t0\r\033[K'
}
