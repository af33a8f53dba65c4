#!/usr/bin/env bats
# sbx-diagnose - what real tools print is read as their own APIs tell it, and a file is the bundle's only when it is

load common

setup() {
	common_setup
	run_id=$(new_run)
	dir=$SBX_STATE/runs/$run_id
	logs=$TOP/tests/data/logs
	mkdir -p -m 700 "$dir"
}

# staged PATH=BUNDLE-PATH ... - the manifest of a run whose bundle has these files
staged() {
	jq -nc '{sbx_manifest: 1, files: ($ARGS.positional | map(split("=") | {path: .[0], bundle_path: .[1], size: 1}))}' \
	    --args -- "$@" >"$dir/manifest.json"
}

# stepped STATUS CWD [FILTER] - the line of that run after one step, which printed what standard input holds
stepped() {
	cat >"$dir/step-1.log"
	[ -e "$dir/manifest.json" ] || staged app/src/main.js=src/main.js app/pages/a.tsx=pages/a.tsx workflows/w.py=workflows/w.py
	start_line docker "$run_id" | jq -c --arg dir "$dir" --arg status "$1" --arg cwd "$2" '. + {
	    bundle: {manifest: "\($dir)/manifest.json"},
	    steps: [{id: "build", status: $status, cwd: $cwd, output: "\($dir)/step-1.log", cut: false}]} | '"${3:-.}" \
	    >"$BATS_TEST_TMPDIR/line"
}

diagnose() {
	run --separate-stderr sbx-diagnose "$@" <"$BATS_TEST_TMPDIR/line"
}

# holds FILTER - the jq filter is true of the line written
holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-3000 <<<"$output"; return 1; }
}

# found LOG-TEXT - the diagnostics of a step in the shell's directory, as FILE:LINE:COLUMN OWNED, one a line
found() {
	printf '%b' "$1" | stepped failed "${2:-/opt/shell}"
	diagnose
	assert_success
	output=$(jq -r '.diagnostics[] | "\(.file // "-"):\(.line // "-"):\(.column // "-") \(.owned)"' <<<"$output")
}

# log LOG-TEXT [OPTION ...] - what a log says
log() {
	local text=$1
	shift
	run --separate-stderr sbx-diagnose "$@" - < <(printf '%b' "$text")
}

@test "266 logs of 17 tools say what the tools' own APIs say" {
	local log name
	mkdir "$BATS_TEST_TMPDIR/got"
	for log in "$logs"/*.log; do
		name=$(basename "$log" .log)
		sbx-diagnose --cwd /workspace/app --root /workspace/app "$log" >"$BATS_TEST_TMPDIR/got/$name.json"
	done
	(cd "$BATS_TEST_TMPDIR/got" && jq -cS 'del(.owned) + {log: (input_filename | rtrimstr(".json"))}' -- *.json) |
	    sort >"$BATS_TEST_TMPDIR/told"
	for log in "$logs"/*.log; do
		name=$(basename "$log" .log)
		jq -cS --arg log "$name" '. + {log: $log}' "$logs/${name%.colour}.json"
	done | sort >"$BATS_TEST_TMPDIR/expected"
	diff "$BATS_TEST_TMPDIR/expected" "$BATS_TEST_TMPDIR/told"
	[ "$(ls "$logs"/*.log | wc -l)" -eq 266 ]
	run jq -rs 'map(.tool) | unique | join(" ")' "$BATS_TEST_TMPDIR/told"
	assert_output 'esbuild python rolldown rollup typescript vite webpack'
}

@test "no log names this machine" {
	run grep -lE '/(home|root|work)/[a-z]' "$logs"/*
	assert_output ''
}

@test "a file is the bundle's when it resolves into it: absolute, or relative to where the step ran" {
	found '/workspace/app/src/main.js(3,7): error TS1: x\n'
	assert_output 'src/main.js:3:7 true'
	found '../../workspace/app/src/main.js(3,7): error TS1: x\n'
	assert_output 'src/main.js:3:7 true'
	found 'src/main.js(3,7): error TS1: x\n' /workspace/app
	assert_output 'src/main.js:3:7 true'
	found 'app/./src//../src/main.js(3,7): error TS1: x\n' /workspace
	assert_output 'src/main.js:3:7 true'
	found '..\\..\\workspace\\app\\src\\main.js(3,7): error TS1: x\n'
	assert_output 'src/main.js:3:7 true'
	found 'workflows/w.py(3,7): error TS1: x\n' /workspace
	assert_output 'workflows/w.py:3:7 true'
}

@test "a relative name against the shell, a sibling, a drive, an escape: foreign, and no bundle's name" {
	found 'src/main.js(3,7): error TS1: x\n'
	assert_output '/opt/shell/src/main.js:3:7 false'
	found '/workspace/app-other/src/main.js(3,7): error TS1: x\n'
	assert_output '/workspace/app-other/src/main.js:3:7 false'
	found 'C:\\workspace\\app\\src\\main.js(3,7): error TS1: x\n'
	assert_output 'C:/workspace/app/src/main.js:3:7 false'
	found '/workspace/app/src/../../../app/src/main.js(3,7): error TS1: x\n'
	assert_output '/app/src/main.js:3:7 false'
	found '../../../../../../workspace/../workspac/app/src/main.js(3,7): error TS1: x\n'
	assert_output '/workspac/app/src/main.js:3:7 false'
	found '/workspace/app/src/Main.js(3,7): error TS1: x\n'
	assert_output '/workspace/app/src/Main.js:3:7 false'
	found '/workspace/app/src/main.js/x(3,7): error TS1: x\n'
	assert_output '/workspace/app/src/main.js/x:3:7 false'
	found '/workspace(3,7): error TS1: x\n'
	assert_output '/workspace:3:7 false'
}

@test "a file in the app that is not in the manifest is not the bundle's" {
	found '/workspace/app/node_modules/x.js(3,7): error TS1: x\n'
	assert_output '/workspace/app/node_modules/x.js:3:7 false'
	found '/workspace/src/main.js(3,7): error TS1: x\n'
	assert_output '/workspace/src/main.js:3:7 false'
}

@test "colours and cursor movements grant nothing: the same text is the bundle's inside and foreign outside" {
	local esc='\033[31m' reset='\033[0m'
	found "$esc[UNRESOLVED_IMPORT]$reset Could not resolve './x' in $esc../../workspace/\033[1mapp/src/main.js$reset\n"
	assert_output 'src/main.js:-:- true'
	found "$esc[UNRESOLVED_IMPORT]$reset Could not resolve './x' in $esc../../elsewhere/\033[1mapp/src/main.js$reset\n"
	assert_output '/elsewhere/app/src/main.js:-:- false'
	found "/workspace/app/src/\033]8;;http://x/\033\\\\main.js\033]8;;\007($esc${reset}3,7): error TS1: x\n"
	assert_output 'src/main.js:3:7 true'
	found '/workspace/app/src/\bmain.js(3,7): error TS1: x\n'
	assert_output '/workspace/app/src/?main.js:3:7 false'
}

@test "a missing export is the importer's matter, with its place" {
	found "[MISSING_EXPORT] \"a\" is not exported by \"../../workspace/app/pages/a.tsx\".\n   ╭─[ ../../workspace/app/src/main.js:3:7 ]\n   │\n"
	assert_output 'src/main.js:3:7 true'
	found "error during build:\n../../workspace/app/src/main.js (3:6): \"a\" is not exported by \"../../workspace/app/pages/a.tsx\", imported by \"../../workspace/app/src/main.js\".\nfile: /workspace/app/src/main.js:3:6\n"
	assert_output 'src/main.js:3:7 true'
}

@test "what could not be resolved or loaded is the importer's matter, with or without a bundler's frame around it" {
	found '[vite]: Rollup failed to resolve import "x" from "/workspace/app/src/main.js".\n'
	assert_output 'src/main.js:-:- true'
	found 'Rollup failed to resolve import "x" from "/workspace/app/src/main.js".\n'
	assert_output 'src/main.js:-:- true'
	found 'Could not resolve "./x" from "../../workspace/app/src/main.js"\n'
	assert_output 'src/main.js:-:- true'
	found 'Could not load /workspace/app/src/x (imported by ../../workspace/app/src/main.js): ENOENT: no such file\n'
	assert_output 'src/main.js:-:- true'
	found 'Could not resolve "./x" from "evil.js" from "../../workspace/app/src/main.js"\n'
	assert_output 'src/main.js:-:- true'
}

@test "forms that no kept log has: a dash, a place and text under webpack's header" {
	found '/workspace/app/src/main.js:3:7 – error TS1: x\n'
	assert_output 'src/main.js:3:7 true'
	found 'ERROR in ../../workspace/app/src/main.js\n3:7 it is wrong\n'
	assert_output 'src/main.js:3:7 true'
	found 'ERROR in /workspace/app/src/main.js:3:7\nTS1: x\n'
	assert_output 'src/main.js:3:7 true'
}

@test "what ends early keeps nothing of what comes after: a traceback, a quote that is not there" {
	found 'Traceback (most recent call last):\n  File "/workspace/workflows/w.py", line 1, in <module>\n/workspace/app/src/main.js(3,7): error TS1: x\n'
	assert_output 'src/main.js:3:7 true'
	found '/workspace/app/src/main.js:3:7 - error TS1: x\n\n/workspace/app/src/main.js:4:7 - error TS1: x\n'
	assert_output 'src/main.js:3:7 true
src/main.js:4:7 true'
}

@test "of a traceback the innermost frame in the bundle counts, and none but it" {
	local frames='Traceback (most recent call last):\n  File "/workspace/workflows/w.py", line 1, in <module>\n    f()\n'
	found "$frames  File \"/workspace/app/src/main.js\", line 2, in f\n  File \"/usr/lib/x.py\", line 3, in g\nKeyError: 'x'\n"
	assert_output 'src/main.js:2:- true'
	found 'Traceback (most recent call last):\n  File "/usr/x.py", line 1, in f\n  File "/usr/y.py", line 2, in g\nKeyError: 1\n'
	assert_output '/usr/y.py:2:- false'
	found "$frames  File \"/usr/lib/broken.py\", line 3\n    x = (\nSyntaxError: '(' was never closed\n"
	assert_output '/usr/lib/broken.py:3:- false'
}

@test "the same thing is told once, the order stays" {
	found "$(printf '/workspace/app/src/main.js(%s,1): error TS1: x\\n' 2 1 2 1 3)"
	assert_output 'src/main.js:2:1 true
src/main.js:1:1 true
src/main.js:3:1 true'
}

@test "a step that passed has no errors, but its warnings count" {
	printf '/workspace/app/src/main.js(3,7): error TS1: x\n/workspace/app/src/main.js(4,7): warning TS2: y\n' |
	    stepped passed /workspace
	diagnose
	assert_success
	holds '.diagnostics | map([.severity, .line]) == [["warning", 4]]'
}

@test "a step that did not run is not looked at; a line without steps passes as it is" {
	echo '/workspace/app/src/main.js(3,7): error TS1: x' | stepped not_run /workspace
	diagnose
	holds '.diagnostics == []'
	echo | stepped failed /workspace 'del(.steps)'
	diagnose
	assert_success
	assert_output "$(cat "$BATS_TEST_TMPDIR/line")"
	echo | stepped failed /workspace '.steps = []'
	diagnose
	assert_success
	assert_output "$(cat "$BATS_TEST_TMPDIR/line")"
}

@test "each step's paths are relative to where it ran; an unconfined one has the workspace elsewhere" {
	echo 'src/main.js(3,7): error TS1: x' | stepped failed /workspace/app \
	    '.steps = [.steps[0] + {cwd: "/opt/shell"}, .steps[0]]'
	diagnose
	holds '.diagnostics | map(.file) == ["/opt/shell/src/main.js", "src/main.js"]'
	printf 'src/main.js(3,7): error TS1: x\n/tmp/w/app/src/main.js(4,7): error TS1: x\n' | stepped failed /workspace/app \
	    '.sandbox.workspace = "/tmp/w"'
	diagnose
	holds '.diagnostics | map([.file, .line, .owned]) == [["src/main.js", 3, true], ["src/main.js", 4, true]]'
}

@test "the tails stand in for what was cut or is gone, without the line that they cut" {
	local tails='.steps[0].stdout_tail = "src/main.js(1,1): error TS1: cut\nsrc/main.js(2,1): error TS1: whole\n"'
	echo 'src/main.js(3,1): error TS1: x' | stepped failed /workspace/app "$tails | .steps[0].cut = true"
	diagnose
	holds '.diagnostics | map(.line) == [3, 2]'
	echo 'src/main.js(3,1): error TS1: x' | stepped failed /workspace/app "$tails"
	diagnose
	holds '.diagnostics | map(.line) == [3]'
	rm "$dir/step-1.log"
	diagnose
	holds '.diagnostics | map(.line) == [1, 2]'
}

@test "no file outside the run is read: by name, by link, by a fifo" {
	echo '/workspace/app/src/main.js(3,7): error TS1: secret' >"$BATS_TEST_TMPDIR/secret"
	echo | stepped failed /workspace ".steps[0].output = \"$BATS_TEST_TMPDIR/secret\""
	diagnose
	holds '.diagnostics == []'
	echo | stepped failed /workspace ".steps[0].output = \"$dir/../../../secret\""
	diagnose
	holds '.diagnostics == []'
	ln -sf "$BATS_TEST_TMPDIR/secret" "$dir/step-2.log"
	stepped failed /workspace ".steps[0].output = \"$dir/step-2.log\"" </dev/null
	diagnose
	holds '.diagnostics == []'
	mkfifo "$dir/step-3.log"
	stepped failed /workspace ".steps[0].output = \"$dir/step-3.log\"" </dev/null
	diagnose
	holds '.diagnostics == []'
}

@test "a manifest that is missing or none is trouble, with its name" {
	echo | stepped failed /workspace 'del(.bundle)'
	diagnose
	assert_failure 2
	holds '.error | .reason == "bundle_missing" and .by == "sbx-diagnose"'
	echo | stepped failed /workspace '.bundle.manifest = "/nonexistent"'
	diagnose
	assert_failure 2
	holds '.error | .reason == "bundle_missing" and (.message | contains("/nonexistent"))'
	echo '{"files":[{"path":1}]}' >"$dir/manifest.json"
	echo | stepped failed /workspace
	diagnose
	assert_failure 2
	holds '.error.reason == "manifest_invalid"'
}

@test "diagnostics that are there already are refused" {
	echo | stepped failed /workspace '.diagnostics = []'
	diagnose
	assert_failure 2
	holds '.error.reason == "member_exists"'
}

@test "a flood fits into a line, says what it left out, and keeps no error out" {
	{
		seq -f '/workspace/app/src/main.js(%g,1): warning TS1: x' 20000
		seq -f '/workspace/app/src/main.js(%g,1): error TS1: x' 20000
	} | stepped failed /workspace
	diagnose
	assert_success
	[ "${#output}" -lt 100000 ]
	holds '.diagnostics | map(select(.severity == "error")) | length > 300 and .[0].line == 1'
	holds '.diagnostics | map(select(.severity == "warning")) | length > 50'
	holds '.diagnostics | length as $n | .[-1] | .tool == "sbx-diagnose" and .code == "left_out" and .severity == "note" and
	    (.message | startswith("\(40000 - $n + 1) more"))'
}

@test "memory does not grow with a log, nor with a line of it" {
	local pid before after
	mkfifo "$BATS_TEST_TMPDIR/log"
	ASAN_OPTIONS=quarantine_size_mb=1 sbx-diagnose - <"$BATS_TEST_TMPDIR/log" >"$BATS_TEST_TMPDIR/out" 3>&- &
	pid=$!
	exec 9>"$BATS_TEST_TMPDIR/log"
	{ seq -f 'a.ts(%g,1): error TS1: x' 100000 && head -c 5000000 /dev/zero; } >&9
	before=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status")
	{ seq -f 'a.ts(%g,1): error TS1: x' 1000000 && head -c 30000000 /dev/zero; } >&9
	after=$(awk '/VmHWM/ { print $2 }' "/proc/$pid/status")
	exec 9>&-
	wait "$pid"
	echo "$before kB, then $after kB"
	[ "$((after - before))" -lt 1500 ]
}

@test "lines that end in a carriage return, none at the end, and bytes that are no text" {
	log 'a.ts(1,1): error TS1: x\r\n\rb.ts(2,1): error TS1: y\rc\xff.ts(3,1): error TS1: z\xfe'
	assert_success
	[ "$(jq -c '[.file, .message]' <<<"$output")" = '["a.ts","x"]
["b.ts","y"]
["c�.ts","z�"]' ]
}

@test "a log without its directories known: paths as they were printed, nothing owned" {
	log '/workspace/app/src/main.js(1,1): error TS1: x\n./b.ts(1,1): error TS1: x\n'
	[ "$(jq -rc '[.file, .owned]' <<<"$output")" = '["/workspace/app/src/main.js",false]
["./b.ts",false]' ]
	log 'src/main.js(1,1): error TS1: x\n' --cwd /workspace/app --root /workspace
	[ "$(jq -rc '[.file, .owned]' <<<"$output")" = '["app/src/main.js",false]' ]
	staged app/src/main.js=src/main.js
	log 'src/main.js(1,1): error TS1: x\n' --cwd /workspace/app --root /workspace --manifest "$dir/manifest.json"
	[ "$(jq -rc '[.file, .owned]' <<<"$output")" = '["src/main.js",true]' ]
}

@test "annotations: whatever a log holds, each is one command, and escaped" {
	log 'src/a,b:c%.ts(1,2): error TS1: 100% wrong: a, b\n  ::error::forged\n    ::set-output name=x::y\n' -f github
	assert_success
	assert_output '::error file=src/a%2Cb%3Ac%25.ts,line=1,col=2,title=typescript TS1::100%25 wrong: a, b%0A  ::error::forged%0A    ::set-output name=x::y'
	log 'a.ts(1,2): warning TS1: x\na.ts(1,2): message TS1: x\nerror TS5: y\n' -f github
	assert_output '::warning file=a.ts,line=1,col=2,title=typescript TS1::x
::notice file=a.ts,line=1,col=2,title=typescript TS1::x
::error title=typescript TS5::y'
}

# Diagnostics whose every text holds all bytes but NUL and newline.
hostile() {
	python3 - <<-'END'
		import sys
		every = bytes(b for b in range(1, 256) if b not in (10, 13))
		text = every + "<![CDATA[ ]]> &amp; \ufffe \uffff 数😀 \u0085 \u2028".encode()
		sys.stdout.buffer.write(b"a" + text + b".ts(1,2): error TS1: " + text + b"\n  " + text + b"\n")
		sys.stdout.buffer.write(b"*** Error compiling '" + text + b"'...\nSorry: ValueError: " + text + b"\n")
		sys.stdout.buffer.write(b"ERROR in ./" + text + b" 1:2\n" + text + b"\n")
	END
}

valid_sarif() {
	/usr/bin/python3 - "$1" "$TOP/tests/data/sarif-2.1.0.schema.json" <<-'END'
		import json, sys, urllib.parse
		import jsonschema
		document, schema = (json.load(open(name)) for name in sys.argv[1:])
		jsonschema.Draft4Validator(schema).validate(document)
		for run in document["runs"]:
		    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
		    assert len(set(ids)) == len(ids)
		    prints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
		    assert len(set(prints)) == len(prints)
		    for result in run["results"]:
		        assert ids[result["ruleIndex"]] == result["ruleId"]
		        for location in result.get("locations", []):
		            uri = location["physicalLocation"]["artifactLocation"]["uri"]
		            assert uri.isascii() and urllib.parse.urlsplit(uri).scheme in ("", "file"), uri
	END
}

@test "SARIF is valid by its schema, for every kept log and for hostile bytes; and the judge does judge" {
	local log
	for log in "$logs"/*syntax*.log "$logs"/*odd-path*.log "$logs"/*loaders*.log "$logs"/*types*.log; do cat "$log"; done |
	    sbx-diagnose -f sarif --cwd /workspace/app --root /workspace/app - >"$BATS_TEST_TMPDIR/sarif"
	valid_sarif "$BATS_TEST_TMPDIR/sarif"
	[ "$(jq '.runs[0].results | length' "$BATS_TEST_TMPDIR/sarif")" -gt 30 ]
	hostile | sbx-diagnose -f sarif - >"$BATS_TEST_TMPDIR/sarif"
	valid_sarif "$BATS_TEST_TMPDIR/sarif"
	[ "$(jq '.runs[0].results | length' "$BATS_TEST_TMPDIR/sarif")" -ge 3 ]
	jq '.runs[0].results[0].level = "fatal"' "$BATS_TEST_TMPDIR/sarif" >"$BATS_TEST_TMPDIR/broken"
	run ! valid_sarif "$BATS_TEST_TMPDIR/broken"
}

@test "SARIF: an owned file is relative to the bundle, a foreign one has its own address, lines may move" {
	printf 'app/src/main.js(3,7): error TS1: x\n/opt/a b.js(3,7): error TS1: x\n' | stepped failed /workspace
	diagnose -f sarif
	holds '.runs[0].results[0].locations[0].physicalLocation | .region == {startLine: 3, startColumn: 7} and
	    .artifactLocation == {uri: "src/main.js", uriBaseId: "%SRCROOT%"}'
	holds '.runs[0].results[1].locations[0].physicalLocation.artifactLocation == {uri: "file:///opt/a%20b.js"}'
	holds '.runs[0].automationDetails.id == "'"$run_id"'" and .runs[0].invocations[0].executionSuccessful'
	first=$(jq -r '.runs[0].results[0].partialFingerprints[]' <<<"$output")
	printf 'app/src/main.js(9,9): error TS1: x\napp/src/main.js(10,9): error TS1: x\n' | stepped failed /workspace
	diagnose -f sarif
	[ "$(jq -r '.runs[0].results[0].partialFingerprints[]' <<<"$output")" = "$first" ]
	[ "$(jq -r '.runs[0].results[1].partialFingerprints[]' <<<"$output")" = "${first%:1}:2" ]
}

# The texts of a JUnit document, as a reader of XML gets them: attribute or element content, one repr a line.
read_junit() {
	python3 - "$1" <<-'END'
		import sys, xml.etree.ElementTree as tree
		root = tree.parse(sys.argv[1]).getroot()
		for suite in root:
		    for case in suite:
		        kinds = [(k.tag, k.get("message")) for k in case]
		        print(case.get("classname"), case.get("name"), *(f"{tag}({message})" for tag, message in kinds))
		    cases = [list(case) for case in suite]
		    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
		        assert int(suite.get(name)) == sum(k.tag == tag for c in cases for k in c)
		    assert int(suite.get("tests")) == len(cases)
	END
}

@test "JUnit is well-formed whatever bytes a log holds, and says what was in them" {
	hostile | sbx-diagnose -f junit - >"$BATS_TEST_TMPDIR/junit"
	run read_junit "$BATS_TEST_TMPDIR/junit"
	assert_success
	assert_output 'log - failure(3 errors)'
	run python3 -c 'import sys, xml.etree.ElementTree as t; print(t.parse(sys.argv[1]).getroot()[0][0][0].text)' \
	    "$BATS_TEST_TMPDIR/junit"
	assert_output --partial '<![CDATA[ ]]> &amp;'
	assert_output --partial '数😀'
}

@test "JUnit: a case for acceptance and for each step; what did not run is skipped, not passed" {
	printf 'app/src/main.js(3,7): error TS1: x\n' | stepped failed /workspace '.acceptance = {status: "pending"} |
	    .steps = [.steps[0] + {id: "first", status: "passed"}, .steps[0], .steps[0] + {id: "late", status: "timed_out"},
	    .steps[0] + {id: "lost", status: "error"}, .steps[0] + {id: "last", status: "not_run"}]'
	diagnose -f junit
	assert_success
	echo "$output" >"$BATS_TEST_TMPDIR/junit"
	run read_junit "$BATS_TEST_TMPDIR/junit"
	assert_output 'acceptance acceptance skipped(pending)
steps first
steps build failure(failed)
steps late failure(timed_out)
steps lost error(error)
steps last skipped(not_run)'
	grep -q 'src/main.js:3:7: error: x \[typescript TS1\]' "$BATS_TEST_TMPDIR/junit"
}

@test "formats tell the diagnostics that a line has, what acceptance found, and the line's error" {
	echo | stepped failed /workspace '.diagnostics = [{tool: "vite", severity: "error", file: "pages/a.tsx", line: 2,
	    message: "kept", owned: true}] | .error = {by: "sbx-docker", reason: "gone", message: "it\nis gone", status: 2} |
	    .acceptance = {status: "failed", failures: [{rule: "theme", path: "brand/t.json", message: "no theme"}],
	    warnings: [{rule: "odd", path: "app.json", message: "odd"}]}'
	rm -r "$dir"
	diagnose -f github
	assert_failure 2
	assert_output '::error file=brand/t.json,title=sbx-accept theme::no theme
::warning file=app.json,title=sbx-accept odd::odd
::error file=pages/a.tsx,line=2,title=vite::kept
::error title=sbx-docker gone::it%0Ais gone'
	diagnose -f sarif
	assert_failure 2
	holds '.runs[0].invocations[0] | (.executionSuccessful | not) and .toolExecutionNotifications[0].descriptor.id == "gone"'
	echo "$output" >"$BATS_TEST_TMPDIR/sarif"
	valid_sarif "$BATS_TEST_TMPDIR/sarif"
	diagnose -f junit
	echo "$output" >"$BATS_TEST_TMPDIR/junit"
	run read_junit "$BATS_TEST_TMPDIR/junit"
	assert_output 'acceptance acceptance failure(failed)
steps build failure(failed)
sbx sbx-docker error(gone)'
	diagnose -f jsonl
	assert_line --index 2 '{"tool":"vite","severity":"error","file":"pages/a.tsx","line":2,"message":"kept","owned":true}'
}

@test "formats hold for a line whose members are of other shapes" {
	echo | stepped failed /workspace '.diagnostics = [1, "x", {file: 5, line: "7", message: null, severity: 9},
	    {tool: "<&>", file: "", line: -1, column: 99, message: ""}, []] | .acceptance = 7 | .steps = [3]'
	for format in jsonl sarif junit github; do
		diagnose -f "$format"
		assert_success
		echo "$output" >"$BATS_TEST_TMPDIR/$format"
	done
	valid_sarif "$BATS_TEST_TMPDIR/sarif"
	read_junit "$BATS_TEST_TMPDIR/junit"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/github")" -eq 5 ]
}

@test "several lines make one document; a malformed one makes none" {
	echo 'app/src/main.js(3,7): error TS1: x' | stepped failed /workspace
	cat "$BATS_TEST_TMPDIR/line" "$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/two"
	mv "$BATS_TEST_TMPDIR/two" "$BATS_TEST_TMPDIR/line"
	diagnose -f sarif
	echo "$output" >"$BATS_TEST_TMPDIR/sarif"
	valid_sarif "$BATS_TEST_TMPDIR/sarif"
	holds '.runs | length == 2'
	diagnose -f junit
	echo "$output" >"$BATS_TEST_TMPDIR/junit"
	read_junit "$BATS_TEST_TMPDIR/junit"
	echo '{"sbx":2}' >>"$BATS_TEST_TMPDIR/line"
	for format in jsonl sarif junit github; do
		diagnose -f "$format"
		assert_failure 2
		assert_output ''
		assert_equal "$(wc -l <<<"$stderr")" 1
	done
}

@test "a line whose files can't be read is told in the document too" {
	echo | stepped failed /workspace '.bundle.manifest = "/nonexistent"'
	diagnose -f sarif
	assert_failure 2
	holds '.runs[0].invocations[0].toolExecutionNotifications[0].descriptor.id == "bundle_missing"'
	assert_equal "$(wc -l <<<"$stderr")" 1
}

@test "wrong use: 2, with what is wrong" {
	run sbx-diagnose --format yaml
	assert_failure 2
	assert_output --partial "not 'yaml'"
	run sbx-diagnose --root /workspace
	assert_failure 2
	assert_output --partial 'go with a log'
	run sbx-diagnose --root workspace -
	assert_failure 2
	assert_output --partial 'not absolute'
	run sbx-diagnose a b
	assert_failure 2
	assert_output --partial 'one log'
	run sbx-diagnose /nonexistent
	assert_failure 2
	assert_output 'sbx-diagnose: /nonexistent: No such file or directory'
	run sbx-diagnose "$BATS_TEST_TMPDIR"
	assert_failure 2
	assert_output --partial 'Is a directory'
	run sbx-diagnose --manifest /nonexistent -
	assert_failure 2
	assert_output --partial '/nonexistent'
}

@test "output that could not be written is never 0" {
	run bash -c 'sbx-diagnose -f sarif "$1" >/dev/full' - "$logs/ts5-types.log"
	assert_failure 2
}

@test "the EXAMPLES of the man page work" {
	printf 'app/src/main.js(3,7): error TS1: x\n/opt/x(1,1): error TS1: x\n' | stepped failed /workspace
	run bash -c "sbx-diagnose <'$BATS_TEST_TMPDIR/line' | jq -r '.diagnostics[] | select(.owned) | [.file, .line, .message] | @tsv'"
	assert_output $'src/main.js\t3\tx'
}

@test "a broken app in a real sandbox: the step's output leads to the file that is at fault" {
	require_docker
	docker_api GET /images/mozaiks-sandbox:local/json >/dev/null || {
		[ "${SBX_REQUIRE:-}" != all ] || return 1
		skip "the preview image is not there: make image"
	}
	local fault
	for fault in missing-export:pages/Open.tsx unresolved-import:components/TaskList.tsx \
	    python-syntax:modules/tasks/handlers.py; do
		"$TOP/tests/lay-bundle" "todo.${fault%%:*}" "$BATS_TEST_TMPDIR/${fault%%:*}"
		start_line | sbx-stage "$BATS_TEST_TMPDIR/${fault%%:*}" | sbx-docker create | sbx-docker put | sbx-check |
		    sbx-docker rm >"$BATS_TEST_TMPDIR/line" || true
		diagnose
		assert_success
		holds ".diagnostics | length == 1 and (.[0] | .owned and .file == \"${fault#*:}\" and .line > 0)"
	done
}
