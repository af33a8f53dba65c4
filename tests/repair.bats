#!/usr/bin/env bats
# repair - who is asked to put a failed bundle right, how often, and what is told when nobody can be

load common

setup() {
	common_setup
	INVENTORY=$BATS_TEST_TMPDIR/inventory.json
	inventory .
	mkdir "$BATS_TEST_TMPDIR/bundle"
	echo x >"$BATS_TEST_TMPDIR/bundle/nobodys.css"
}

# inventory FILTER - the approved tasks of a small app, changed by jq's filter and then approved
inventory() {
	jq -n '{sbx_inventory: 1, series: "registry-1", plan: [
		{task_id: "pages", task_type: "frontend", initial_agent: "PageAgent",
		    owned_paths: ["pages/home.jsx", "pages/about.jsx"], depends_on: ["shape"]},
		{task_id: "shape", task_type: "schema", initial_agent: "SchemaAgent", owned_paths: ["app.json"], depends_on: []},
		{task_id: "modules", task_type: "backend", initial_agent: "ModuleAgent", owned_paths: ["modules/notes.py"],
		    depends_on: ["shape"]}],
		evidence: {pages: {status: "accepted"}, shape: {status: "accepted"}, modules: {status: "accepted"}}}' |
	    jq "$1 | .executed //= .plan" >"$INVENTORY"
	[ "$(jq 'has("plan_sha256")' "$INVENTORY")" = true ] || approve
}

# The recipe of sbx-inventory(5).
approve() {
	local sha256
	sha256=$(jq -cjS .plan "$INVENTORY" | sha256sum | cut -d' ' -f1)
	jq --arg sha256 "$sha256" '.plan_sha256 = $sha256' "$INVENTORY" >"$INVENTORY.new" && mv "$INVENTORY.new" "$INVENTORY"
}

# failed [FILTER [BUNDLE]] - the line of a run whose last step failed at an import, changed by jq's filter
failed() {
	start_line docker | jq -c --arg tar "$(printf '%064d' "${2:-1}")" --slurpfile profile "$SBX_SHARE/profiles/mozaiks.json" '
		. + {bundle: {sha256: "ab12", tar_sha256: $tar, files: 3, profile: "mozaiks"}, acceptance: {status: "passed"},
		sandbox: {provider: "docker", id: "beef"}, put: {verified: true},
		steps: ($profile[0].steps | map({id, title, command, status: "passed"}) | .[-1] += {status: "failed", exit_code: 1}),
		diagnostics: [{tool: "vite", severity: "error", file: "pages/home.jsx", line: 3, column: 7,
			message: "\"Gone\" is not exported", owned: true}],
		teardown: {confirmed: true, result: "confirmed"}}' | jq -c "${1:-.}"
}

# diagnosed FILE MESSAGE ... - the same with these errors instead, all of them in files of the bundle
diagnosed() {
	jq -cn '[$ARGS.positional | _nwise(2) | {tool: "t", severity: "error", file: .[0], message: .[1], owned: true}]' --args "$@" |
	    { read -r list && failed ".diagnostics = $list"; }
}

# ready - the line of a run in which all went well
ready() {
	failed '.steps[].status = "passed" | .diagnostics = []'
}

# staged - the line of a run with the bundle of all these tests
staged() {
	start_line docker | sbx-stage -p static "$BATS_TEST_TMPDIR/bundle"
}

# verdict LINE [OPTION ...] - with the inventory unless options are given
verdict() {
	local line=$1
	shift
	[ $# -gt 0 ] || set -- --inventory "$INVENTORY"
	run --separate-stderr sbx-verdict "$@" <<<"$line"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-4000 <<<"$output"; return 1; }
}

# blocked REASON - nothing is asked, for that reason, and the run ends with a message
blocked() {
	assert_failure 1
	holds ".verdict.repair.status == \"blocked\" and (.verdict.repair.blocks | any(.reason == \"$1\"))"
	holds '.verdict.ends and (.verdict.message | type == "string") and (.verdict.repair | has("request_id") | not)'
	holds '.result | (has("bundle_repair") | not) or (.bundle_repair.status == "blocked" and .bundle_repair.repairable == false)'
}

# asked LINE - its verdict, as of a run of the bundle
asked() {
	local bundle
	bundle=$(staged)
	verdict "$(jq -c --argjson b "$bundle" '.run = $b.run | .bundle.profile = "mozaiks"' <<<"$1")"
}

# settle WORD - the request of the line in $output gets that answer: the bundle as it was, or with a file that is not allowed
settle() {
	local request kept=$output
	request=$(jq -r .verdict.repair.request_id <<<"$output")
	[ "$1" = responded ] || echo x >"$BATS_TEST_TMPDIR/bundle/other.css"
	staged | sbx-verdict --answer "$request" >"$BATS_TEST_TMPDIR/answer" || [ "$1" = rejected ]
	rm -f "$BATS_TEST_TMPDIR/bundle/other.css"
	jq -e ".answer.admitted == (\"$1\" == \"responded\")" "$BATS_TEST_TMPDIR/answer" >/dev/null
	output=$kept
}

# ---- the inventory

@test "a build failure in an owned file: its task is asked, and the run goes on" {
	verdict "$(failed)"
	assert_failure 1
	assert_equal "$stderr" ''
	holds '.result.bundle_repair | .status == "needs_revision" and .repairable and .active and .target_agent == "PageAgent"'
	holds '.result.bundle_repair.repair_request | .task_id == "pages" and .task_type == "frontend" and
	    .allowed_paths == ["pages/home.jsx", "pages/about.jsx"] and (.text | contains("\"Gone\" is not exported"))'
	holds '.result.bundle_repair | .attempt == 1 and .max_attempts == 2 and .error_count == 1 and .no_progress == false'
	holds '.result.bundle_repair | .errors == ["pages/home.jsx: \"Gone\" is not exported"] and .target_errors == .errors
	    and .deferred_errors == []'
	holds '.result.bundle_repair.diagnostics == [{error: "pages/home.jsx: \"Gone\" is not exported",
	    path: "pages/home.jsx", task_id: "pages"}]'
	holds '.verdict | .ends == false and (has("message") | not) and .gates == {acceptance: "passed", build: "failed"}'
	holds '.verdict.repair | .status == "needs_revision" and .series == "registry-1" and .blocks == []'
	holds '.verdict.repair.request_id == .result.bundle_repair.repair_request.request_id'
	holds '.result.parsed_errors == [{message: "\"Gone\" is not exported", file: "pages/home.jsx", line: 3, column: 7}]'
}

@test "the contract's fields of bundle_repair, and no others" {
	verdict "$(failed)"
	holds '.result.bundle_repair | keys_unsorted == ["status", "repairable", "target_agent", "error_count", "attempt",
	    "max_attempts", "repair_request", "errors", "target_errors", "deferred_errors", "diagnostics",
	    "failure_fingerprint", "no_progress", "active", "history"]'
}

@test "fingerprint and request_id can be computed by others" {
	verdict "$(failed)"
	local fingerprint request
	fingerprint=$(jq -cj '["pages", .result.bundle_repair.target_errors[]]' <<<"$output" | sha256sum | cut -d' ' -f1)
	assert_equal "$(jq -r .result.bundle_repair.failure_fingerprint <<<"$output")" "$fingerprint"
	request=$(jq -cjn --arg f "$fingerprint" '["registry-1", "pages", $f, 1]' | sha256sum | cut -d' ' -f1)
	assert_equal "$(jq -r .verdict.repair.request_id <<<"$output")" "$request"
}

@test "the order and the number of errors make no other fingerprint, one more error does" {
	local a b
	verdict "$(diagnosed pages/home.jsx x pages/about.jsx y)"
	a=$(jq -r .result.bundle_repair.failure_fingerprint <<<"$output")
	inventory '.series = "b"'
	verdict "$(diagnosed pages/about.jsx y pages/home.jsx x pages/about.jsx y)"
	assert_equal "$(jq -r .result.bundle_repair.failure_fingerprint <<<"$output")" "$a"
	inventory '.series = "c"'
	verdict "$(diagnosed pages/about.jsx y pages/home.jsx x pages/about.jsx z)"
	[ "$(jq -r .result.bundle_repair.failure_fingerprint <<<"$output")" != "$a" ]
}

@test "ownership is by exact path" {
	local path
	for path in pages/home.jsx2 pages/home.js home.jsx ./pages/home.jsx app/pages/home.jsx Pages/home.jsx pages/../pages/home.jsx; do
		verdict "$(diagnosed "$path" x)"
		blocked owner_missing
	done
}

@test "a file that is not in the bundle is nobody's, whatever it is called" {
	verdict "$(failed '.diagnostics[0].owned = false')"
	blocked owner_missing
	verdict "$(failed '.diagnostics[0] |= (.owned = false | .file = "/workspace/app-other/pages/home.jsx")')"
	blocked owner_missing
	verdict "$(failed 'del(.diagnostics[0].owned)')"
	blocked owner_missing
}

@test "warnings and notes ask nobody" {
	verdict "$(failed '.diagnostics[0].severity = "warning"')"
	blocked owner_missing
	holds '.result.parsed_errors == [] and (.verdict.message | contains("Step \"build the shared"))'
}

@test "a message that begins with an owned path names its owner, when no file is told" {
	verdict "$(failed 'del(.diagnostics[0].file) | .diagnostics[0].message = "modules/notes.py: no such thing: x"')"
	holds '.result.bundle_repair.repair_request.task_id == "modules"'
	holds '.result.bundle_repair.diagnostics[0].path == "modules/notes.py"'
	verdict "$(failed 'del(.diagnostics[0].file) | .diagnostics[0].message = "see modules/notes.py: x"')"
	blocked owner_missing
}

@test "nothing parsed: the plain sentences have no owner" {
	verdict "$(failed 'del(.diagnostics)')"
	blocked owner_missing
	holds '.result.bundle_repair.errors == .result.errors'
}

@test "a pattern stands for the owned paths that it matches: one owner or none" {
	verdict "$(jq -c '.acceptance = {status: "failed", failures: [{rule: "r", path: "pages/*.jsx", message: "m"}]}
	    | del(.steps, .sandbox, .put, .teardown, .diagnostics)' <<<"$(failed)")"
	holds '.verdict.bundle_repair.repair_request.task_id == "pages"'
	verdict "$(jq -c '.acceptance = {status: "failed", failures: [{rule: "r", path: "*/*", message: "m"}]}
	    | del(.steps, .sandbox, .put, .teardown, .diagnostics)' <<<"$(failed)")"
	blocked owner_ambiguous
}

@test "some errors have an owner, others have none: who can be asked is asked, the rest is deferred" {
	verdict "$(diagnosed nobodys.css x pages/home.jsx y)"
	holds '.result.bundle_repair | .status == "needs_revision" and .target_errors == ["pages/home.jsx: y"]
	    and .deferred_errors == ["nobodys.css: x"] and .error_count == 2'
	holds '.verdict.repair.blocks | length == 1 and .[0].reason == "owner_missing" and .[0].path == "nobodys.css"'
}

@test "tasks are asked one at a time, in the order of their ids" {
	verdict "$(diagnosed pages/home.jsx x modules/notes.py y app.json z)"
	holds '.result.bundle_repair | .repair_request.task_id == "modules" and (.deferred_errors | length == 2)'
}

@test "acceptance that failed goes to repair too; the build waits, and result has no bundle_repair" {
	verdict "$(failed '.acceptance = {status: "failed", failures: [{rule: "page_references", path: "pages/about.jsx",
	    message: "is not there"}]} | del(.steps, .sandbox, .put, .teardown, .diagnostics)')"
	assert_failure 1
	holds '.result | .validation_status == "pending" and .validation_strategy == "skip" and .success == false
	    and .strategy_reason == "acceptance must pass first" and (has("bundle_repair") | not)'
	holds '.verdict | .readiness == "failed" and .gates == {acceptance: "failed", build: "pending"} and .ends == false'
	holds '.verdict.bundle_repair | .repair_request.task_id == "pages" and .errors == ["pages/about.jsx: is not there"]'
}

@test "without an inventory nobody is asked" {
	run --separate-stderr sbx-verdict <<<"$(failed)"
	blocked inventory_absent
	holds '.result | has("bundle_repair") | not'
}

@test "no evidence for the task, its own failure, a prerequisite that was not accepted" {
	inventory 'del(.evidence.pages)'
	verdict "$(failed)"
	blocked evidence_missing
	inventory '.evidence.pages.status = "failed"'
	verdict "$(failed)"
	blocked task_failed
	inventory '.evidence.pages.status = "rejected"'
	verdict "$(failed)"
	blocked evidence_missing
	inventory 'del(.evidence.shape)'
	verdict "$(failed)"
	blocked prerequisite_not_accepted
	inventory '.evidence.shape.status = "failed"'
	verdict "$(failed)"
	blocked prerequisite_not_accepted
}

@test "a task that may not be asked does not keep the next one from it" {
	inventory 'del(.evidence.modules)'
	verdict "$(diagnosed modules/notes.py x pages/home.jsx y)"
	holds '.result.bundle_repair.repair_request.task_id == "pages" and .verdict.repair.blocks[0].reason == "evidence_missing"'
}

@test "rejected output that can be recovered comes first, and the run does not end" {
	inventory '.evidence.modules = {status: "rejected", recovery: "possible"}'
	verdict "$(failed)"
	assert_failure 1
	holds '.verdict.ends == false and .verdict.repair.recoveries == ["modules"] and .result.bundle_repair.status == "blocked"'
	inventory '.evidence.modules.recovery = "attempted" | .evidence.modules.status = "rejected"'
	verdict "$(failed)"
	holds '.result.bundle_repair.repair_request.task_id == "pages"'
}

@test "an infrastructure failure asks nobody and is told as that" {
	verdict "$(failed '.error = {by: "sbx-docker", reason: "x", message: "/run/x.sock: gone", status: 2} | del(.steps)')"
	assert_failure 2
	holds '.verdict | (has("repair") | not) and .ends and (has("fingerprint") or has("no_progress") | not)'
	holds '.verdict.message | startswith("The environment that validates apps was not available") and contains("gone")'
	verdict "$(failed '.teardown.confirmed = false')"
	assert_failure 3
	holds '.verdict | (has("repair") | not) and (.message | startswith("The environment"))'
	verdict "$(failed)"
	holds '.result.bundle_repair.attempt == 1'
}

@test "each rule of the inventory is held, and a broken one asks nobody" {
	local rule filter
	while IFS='|' read -r rule filter; do
		inventory "${filter//OR/|}"
		verdict "$(failed)"
		blocked inventory_invalid
		[[ $stderr == *"$rule"* ]] || { echo "$filter: $stderr"; return 1; }
		assert_equal "${#stderr_lines[@]}" 1
	done <<-'END'
		sbx_inventory: must be 1|.sbx_inventory = 2
		'more' is not one of its members|.more = 1
		'series' is missing|del(.series)
		series: must be a text|.series = ""
		series: must hold no control|.series = "a\nb"
		plan: must be an array|.plan = []
		a task: 'x' is not one|.plan[0].x = 1
		a task: must be an object|.plan[0] = 1
		'depends_on' is missing|del(.plan[1].depends_on)
		task_id: must be a text|.plan[0].task_id = 7
		ids are unique|.plan[1].task_id = "pages"
		is owned twice|.plan[1].owned_paths = ["pages/home.jsx"]
		is owned twice|.plan[1].owned_paths = ["a", "a"]
		owned_paths must be an array|.plan[1].owned_paths = "a"
		has an empty part|.plan[0].owned_paths = ["/etc/passwd"]
		has an empty part|.plan[0].owned_paths = ["a/../b"]
		has an empty part|.plan[0].owned_paths = ["./a"]
		has an empty part|.plan[0].owned_paths = ["a//b"]
		no file of a bundle|.plan[0].owned_paths = ["pages/*"]
		no file of a bundle|.plan[0].owned_paths = ["C:/x"]
		more than 200|.plan[0].owned_paths = [range(201) OR "p\(.)"]
		there is no such task|.plan[0].depends_on = ["none"]
		depends on itself|.plan[0].depends_on = ["pages"]
		64 hexadecimal digits|.plan_sha256 = "x"
		was approved|.plan_sha256 = ("0" * 64)
		not the plan that was approved|.executed = (.plan OR .[0].owned_paths += ["extra.js"])
		evidence: must be an object|.evidence = []
		there is no task 'none'|.evidence.none = {status: "accepted"}
		status must be|.evidence.pages.status = "fine"
		recovery must be|.evidence.pages.recovery = "perhaps"
		no other member|.evidence.pages.x = 1
	END
	verdict "$(failed)" --inventory "$BATS_TEST_TMPDIR/none"
	blocked inventory_invalid
	echo '{' >"$INVENTORY"
	verdict "$(failed)"
	blocked inventory_invalid
}

# ---- the history of a series

@test "after an answer, other errors are asked about; after two attempts nothing is" {
	asked "$(diagnosed pages/home.jsx x)"
	settle responded
	asked "$(diagnosed pages/home.jsx y)"
	holds '.result.bundle_repair | .attempt == 2 and (.history | map(.status)) == ["responded", "selected"]'
	settle responded
	verdict "$(diagnosed pages/home.jsx z)"
	blocked attempts_exhausted
	holds '.result.bundle_repair | .attempt == 2 and .no_progress == false and .active == false'
}

@test "the same errors after an answer are no progress; another task may still be asked" {
	asked "$(diagnosed modules/notes.py x)"
	settle responded
	verdict "$(diagnosed modules/notes.py x)"
	blocked no_progress
	holds '.result.bundle_repair.no_progress'
	verdict "$(diagnosed modules/notes.py x pages/home.jsx y)"
	holds '.result.bundle_repair | .repair_request.task_id == "pages" and .attempt == 2 and .no_progress'
}

@test "a request without an answer is interrupted by the next run, and its task not asked again" {
	verdict "$(diagnosed pages/home.jsx x)"
	verdict "$(diagnosed pages/home.jsx y)"
	blocked interrupted
	holds '.result.bundle_repair | .no_progress and (.history | map(.status)) == ["interrupted"]'
}

@test "after an answer that was rejected the task is not asked again" {
	asked "$(diagnosed pages/home.jsx x)"
	settle rejected
	verdict "$(diagnosed pages/home.jsx y)"
	blocked rejected
}

@test "a verdict that is made anew asks the same, and counts once" {
	local line first
	line=$(failed)
	verdict "$line"
	first=$(jq -c .result.bundle_repair <<<"$output")
	verdict "$line"
	assert_equal "$(jq -c .result.bundle_repair <<<"$output")" "$first"
	holds '.verdict.no_progress == false'
}

@test "a build that is ready ends its history" {
	asked "$(diagnosed pages/home.jsx x)"
	settle responded
	verdict "$(ready)"
	assert_success
	holds '.verdict | .ends == false and (has("repair") or has("message") or has("fingerprint") | not)'
	verdict "$(diagnosed pages/home.jsx x)"
	holds '.result.bundle_repair | .attempt == 1 and (.history | length == 1)'
	holds '.verdict.no_progress == false'
}

@test "series do not know of each other" {
	verdict "$(failed)"
	inventory '.series = "registry-2"'
	verdict "$(failed)"
	holds '.result.bundle_repair.attempt == 1'
}

@test "runs at the same moment: never more than two requests, and one at a time" {
	local i
	for i in 1 2 3 4 5 6; do
		diagnosed modules/notes.py "x$i" pages/home.jsx "y$i" | sbx-verdict --inventory "$INVENTORY" >"$BATS_TEST_TMPDIR/$i" 3>&- &
	done
	wait
	[ "$(cat "$BATS_TEST_TMPDIR"/[1-6] | jq -r 'select(.verdict.repair.status == "needs_revision") | .run' | wc -l)" -le 2 ]
	run python3 -c "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute('SELECT count(*), sum(status = \"selected\") FROM repairs').fetchone())" \
	    "$SBX_STATE/sbx.db"
	assert_output '(2, 0)'
}

@test "without its history nobody is asked, and the verdict is given all the same" {
	mkdir -p "$SBX_STATE" && chmod 700 "$SBX_STATE"
	echo 'this is no database at all, and long enough' >"$SBX_STATE/sbx.db"
	chmod 600 "$SBX_STATE/sbx.db"
	verdict "$(failed)"
	blocked history_unavailable
	holds '.verdict | has("no_progress") | not'
	[[ $stderr == *'not a database'* ]]
	verdict "$(ready)"
	assert_success
}

@test "a store of the first schema gets the tables, and keeps its records" {
	start_line skip | sbx-verdict | sbx-record >/dev/null || true
	python3 -c "import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in ('DROP TABLE repairs', 'DROP TABLE failures', 'UPDATE schema SET version = 1'): db.execute(statement)" "$SBX_STATE/sbx.db"
	verdict "$(failed)"
	holds '.result.bundle_repair.attempt == 1'
	run sbx-record verify
	assert_output --partial 'whole: 1 record,'
}

# ---- the end of the run

@test "four headlines, by what is known" {
	verdict "$(failed '.error = {by: "sbx-docker", reason: "x", message: "x", status: 2} | del(.steps)')"
	holds '.verdict.message | startswith("The environment that validates apps was not available")'
	verdict "$(failed '.acceptance = {status: "pending", skipped: [{rule: "runtime_smoke", reason: "no database"}]} |
	    .steps[].status = "passed" | .diagnostics = []')"
	holds '.verdict.ends and (.verdict.message | startswith("A validation that is required did not complete") and contains("no database"))'
	verdict "$(start_line skip)"
	holds '.verdict.message | startswith("A validation that is required did not complete")'
	verdict "$(diagnosed nobodys.css x)"
	holds '.verdict.message == "What is wrong with the bundle could not be repaired automatically.\n- nobodys.css: x"'
	verdict "$(diagnosed nobodys.css x)"
	holds '.verdict.message | startswith("The bundle is the same as in the run before, and it failed again in the same way.")'
}

@test "no message calls an app that nobody verified good" {
	local line
	for line in "$(start_line skip)" "$(failed '.error = {by: "x", reason: "x", message: "x", status: 2}')" "$(failed 'del(.steps)')"; do
		verdict "$line"
		holds '.verdict.message | test("no (errors|defects)|defect-free|is (fine|correct|valid)|passed"; "i") | not'
		holds '.verdict.message | test("nothing is known|unverified")'
	done
}

@test "the same failure of the same bundle is no progress; another bundle or another failure is" {
	run sbx-verdict <<<"$(failed)"
	holds '.verdict.no_progress == false and .verdict.fingerprint.bundle == ("0" * 63 + "1")'
	run sbx-verdict <<<"$(failed)"
	holds '.verdict.no_progress and (.verdict.message | startswith("The bundle is the same"))'
	run sbx-verdict <<<"$(failed . 2)"
	holds '.verdict.no_progress == false'
	run sbx-verdict <<<"$(diagnosed pages/home.jsx other)"
	holds '.verdict.no_progress == false'
}

@test "in a series only the failed run right before counts" {
	inventory '.evidence = {}'
	verdict "$(failed . 1)"
	verdict "$(failed . 2)"
	verdict "$(failed . 1)"
	holds '.verdict.no_progress == false'
	verdict "$(failed . 1)"
	holds '.verdict.no_progress'
}

@test "numbers of lines and times of a run make no other failure" {
	run sbx-verdict <<<"$(failed)"
	run sbx-verdict <<<"$(failed '.steps[-1].duration_ms = 9 | .diagnostics[0].line = 99')"
	holds '.verdict.no_progress'
}

@test "at most ten errors, each one line of at most 300 characters, then how many more there are" {
	local line
	line=$(failed '.diagnostics = [range(14) | {tool: "t", severity: "error", file: "f\(.).js", owned: true,
	    message: ("\u001b[31mbad\u001b[0m\n\n  thing ä" + ("ö" * 400))}]')
	run sbx-verdict <<<"$line"
	holds '.verdict.message | split("\n") | length == 12 and .[-1] == "- and 4 more"'
	holds '.verdict.message | split("\n")[1:11] | all(length <= 302 and startswith("- f") and endswith("…") and contains(": bad thing ä"))'
	holds '.verdict.message | test("\u001b") | not'
}

@test "an error that is told twice is listed once" {
	run sbx-verdict <<<"$(diagnosed a.js x a.js x b.js x)"
	holds '.verdict.message | split("\n")[1:] == ["- a.js: x", "- b.js: x"]'
}

@test "places of this host and of one run are left out" {
	export TMPDIR=/elsewhere/tmp
	run sbx-verdict <<<"$(diagnosed a.js "see /tmp/tmp.Xy12/app/b.js and ($SBX_STATE/runs/ab12/step-1.log:3), /var/tmp/q, /elsewhere/tmp/u/v \
/tmpfile /opt/tmp/x file:///tmp/r/s")"
	holds '.verdict.message | endswith("see <temp>/app/b.js and (<temp>/step-1.log:3), <temp>, <temp>/v /tmpfile /opt/tmp/x file://<temp>/s")'
}

@test "a place that changes makes no other failure" {
	run sbx-verdict <<<"$(diagnosed a.js '/tmp/one/b.js is broken')"
	run sbx-verdict <<<"$(diagnosed a.js '/tmp/two/b.js is broken')"
	holds '.verdict.no_progress'
}

@test "whatever the build printed, the line can be read by the next program" {
	local files
	export run_id
	run_id=$(new_run)
	files=$SBX_STATE/runs/$run_id
	mkdir -p "$files"
	head -c 300000 /dev/zero | tr '\0' '\007' >"$files/step-1.log"
	inventory '.plan[0].owned_paths = [range(199) | "\("\"" * 240)\(.)"] + ["pages/home.jsx"]'
	failed '.run = env.run_id | .steps[0] += {output: "\($ENV.SBX_STATE)/runs/\(env.run_id)/step-1.log", stdout_tail: ("\u0007" * 65536)}
	    | .diagnostics = [range(200) | {tool: "t", severity: "error", file: "pages/home.jsx", owned: true, message: "\("\"" * 280)\(.)"}]' |
	    sbx-verdict --inventory "$INVENTORY" >"$BATS_TEST_TMPDIR/line" || true
	[ "$(wc -c <"$BATS_TEST_TMPDIR/line")" -lt 1048576 ]
	jq -e '.result.bundle_repair.status == "needs_revision" and (.result.build_output | length > 1000)' "$BATS_TEST_TMPDIR/line"
	run sbx-record <"$BATS_TEST_TMPDIR/line"
	assert_failure 1
	holds '.record.id'
}
