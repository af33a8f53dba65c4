#!/usr/bin/env bats
# answer - what comes back from a repair: admitted whole, or rejected whole, once

load common

setup() {
	common_setup
	BUNDLE=$BATS_TEST_TMPDIR/bundle
	mkdir -p "$BUNDLE/css"
	echo '<a href="gone.html">' >"$BUNDLE/index.html"
	echo '<p>' >"$BUNDLE/about.html"
	echo 'p {}' >"$BUNDLE/css/site.css"
	inventory
	ask
}

# The pages are one task's, one of them not yet there; the style sheet is another's; about.html is nobody's.
inventory() {
	INVENTORY=$BATS_TEST_TMPDIR/inventory
	jq -n '{sbx_inventory: 1, series: "site", plan: [
		{task_id: "pages", task_type: "frontend", initial_agent: "PageAgent", owned_paths: ["index.html", "gone.html"], depends_on: []},
		{task_id: "style", task_type: "frontend", initial_agent: "StyleAgent", owned_paths: ["css/site.css"], depends_on: []}],
		evidence: {pages: {status: "accepted"}, style: {status: "accepted"}}} | .executed = .plan' >"$INVENTORY.plan"
	jq --arg sha256 "$(jq -cjS .plan "$INVENTORY.plan" | sha256sum | cut -d' ' -f1)" '.plan_sha256 = $sha256' \
	    "$INVENTORY.plan" >"$INVENTORY"
}

staged() {
	start_line docker | sbx-stage -p static "$BUNDLE"
}

# judged [FILE MESSAGE] - the bundle's run, in which the one check failed with that error, as its verdict has it
judged() {
	staged | jq -c --slurpfile p "$SBX_SHARE/profiles/static.json" --arg file "${1:-index.html}" --arg message "${2:-gone}" '. + {
	    sandbox: {provider: "docker", id: "beef"}, put: {verified: true},
	    steps: ($p[0].steps | map({id, title, command, status: "failed", exit_code: 1})),
	    diagnostics: [{tool: "site", severity: "error", file: $file, message: $message, owned: true}],
	    teardown: {confirmed: true, result: "confirmed"}}' |
	    { sbx-verdict --inventory "$INVENTORY" || true; } >"$BATS_TEST_TMPDIR/judged"
}

# ask - the bundle fails, and the pages' task is asked: REQUEST
ask() {
	judged
	REQUEST=$(jq -er .verdict.repair.request_id "$BATS_TEST_TMPDIR/judged")
	output=$(cat "$BATS_TEST_TMPDIR/judged")
	holds '.result.bundle_repair.repair_request.allowed_paths == ["index.html", "gone.html"]'
}

# answer [LINE] - the bundle as it is now is the answer
answer() {
	local line=${1:-}
	[ -n "$line" ] || line=$(staged)
	run --separate-stderr sbx-verdict --answer "$REQUEST" <<<"$line"
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-4000 <<<"$output" && echo "$stderr"; return 1; }
}

# request_is STATUS - what the history has of it
request_is() {
	assert_equal "$(sqlite3 "$SBX_STATE/sbx.db" "SELECT status FROM repairs WHERE request = '$REQUEST'")" "$1"
}

admitted() {
	assert_success
	holds '.answer.admitted and .answer.task_id == "pages" and .answer.outside == [] and (has("error") | not)'
	holds ".answer.request_id == \"$REQUEST\""
	request_is responded
}

# rejected FILTER - for what the files outside are
rejected() {
	assert_failure 1
	holds '.answer.admitted == false and .error.by == "sbx-verdict" and .error.reason == "answer_rejected" and .error.status == 1'
	holds ".answer.outside == $1"
	request_is rejected
}

# ---- what an answer may do

@test "files of its task, changed, new and gone, and the others as they were: admitted" {
	echo '<a href="about.html">' >"$BUNDLE/index.html"
	echo new >"$BUNDLE/gone.html"
	answer
	admitted
	holds '.answer | .written == 2 and .deleted == 0'
	assert_equal "$stderr" ''
}

@test "a file of its task may go" {
	rm "$BUNDLE/index.html"
	answer
	admitted
	holds '.answer | .written == 0 and .deleted == 1'
}

@test "foreign files that are unchanged count for nothing, however they were packed" {
	(cd "$BUNDLE" && touch -d 2001-01-01 about.html && chmod 777 css/site.css && python3 -m zipfile -c ../answer.zip ./*)
	answer "$(start_line docker | sbx-stage -p static "$BATS_TEST_TMPDIR/answer.zip")"
	admitted
	holds '.answer | .written == 0 and .deleted == 0'
}

@test "the members of answer, and all other bytes of the line kept" {
	local line
	line=$(staged)
	answer "$line"
	holds '.answer | keys_unsorted == ["request_id", "task_id", "admitted", "written", "deleted", "outside"]'
	[[ $output == "${line%\}},\"answer\":"* ]]
}

@test "a foreign file that is changed: rejected, whatever else is in the answer" {
	echo good >"$BUNDLE/index.html"
	echo 'p { color: red }' >"$BUNDLE/css/site.css"
	answer
	rejected '[{path: "css/site.css", how: "changed"}]'
	[[ $stderr == *'goes beyond the files that it was allowed: css/site.css was changed' ]]
}

@test "a foreign file that is gone: rejected" {
	rm "$BUNDLE/about.html"
	answer
	rejected '[{path: "about.html", how: "deleted"}]'
}

@test "a foreign file that is new: rejected, one whose name only resembles an allowed one too" {
	echo x >"$BUNDLE/gone.html2"
	mkdir "$BUNDLE/sub"
	echo x >"$BUNDLE/sub/index.html"
	answer
	rejected '[{path: "gone.html2", how: "added"}, {path: "sub/index.html", how: "added"}]'
}

@test "a file that is moved out of its place is two: one that went, one that came" {
	mv "$BUNDLE/css/site.css" "$BUNDLE/gone.html"
	answer
	rejected '[{path: "css/site.css", how: "deleted"}]'
	holds '.answer.written == 1'
}

@test "many files outside: twenty are named, all are counted in the message" {
	for i in $(seq 30); do echo x >"$BUNDLE/n$i"; done
	answer
	assert_failure 1
	holds '(.answer.outside | length == 20) and (.error.message | endswith(", and 27 more"))'
}

@test "a bundle that the gate refuses is an answer, and rejected" {
	ln -s index.html "$BUNDLE/link.html"
	answer "$(staged || true)"
	assert_failure 1
	holds '.error.by == "sbx-stage" and .answer.admitted == false and .answer.outside == []'
	request_is rejected
}

@test "an archive that is not the one that was meant is no answer" {
	answer "$(start_line docker | sbx-stage -p static --sha256 "$(printf '%064d' 1)" "$BUNDLE" || true)"
	assert_failure 1
	holds '.error.reason == "digest_mismatch" and (has("answer") | not)'
	request_is selected
}

# ---- once, and only for who is waited for

@test "no such request: refused, nothing noted" {
	REQUEST=$(printf '%064d' 0) answer
	assert_failure 1
	holds '.error.reason == "request_unknown" and (has("answer") | not)'
	request_is selected
}

@test "the next run before the answer: too late, whatever is in it" {
	judged index.html other
	answer
	assert_failure 1
	holds '.error.reason == "request_settled" and (.error.message | contains("interrupted"))'
	request_is interrupted
	assert_equal "$(sqlite3 "$SBX_STATE/sbx.db" "SELECT count(scope) FROM repairs WHERE request = '$REQUEST'")" 0
}

@test "a build that is ready waits for no answer" {
	staged | jq -c --slurpfile p "$SBX_SHARE/profiles/static.json" '. + {sandbox: {provider: "docker", id: "beef"}, put: {verified: true},
	    steps: ($p[0].steps | map({id, title, command, status: "passed"})), acceptance: {status: "passed"},
	    teardown: {confirmed: true, result: "confirmed"}}' | sbx-verdict --inventory "$INVENTORY"
	answer
	holds '.error.reason == "request_unknown"'
}

@test "the same answer twice is told the same; another one is too late, better or worse" {
	echo good >"$BUNDLE/index.html"
	answer
	admitted
	answer
	admitted
	echo better >"$BUNDLE/index.html"
	answer
	assert_failure 1
	holds '.error.reason == "request_settled" and (has("answer") | not)'
	request_is responded
}

@test "rejected is rejected: the same again, and a good one after it" {
	echo bad >"$BUNDLE/about.html"
	answer
	rejected '[{path: "about.html", how: "changed"}]'
	answer
	rejected '[{path: "about.html", how: "changed"}]'
	echo '<p>' >"$BUNDLE/about.html"
	echo good >"$BUNDLE/index.html"
	answer
	assert_failure 1
	holds '.error.reason == "request_settled"'
	request_is rejected
	ln -s index.html "$BUNDLE/link.html"
	answer "$(staged || true)"
	request_is rejected
	[[ $stderr == *'waits for no answer: it is rejected'* ]]
}

@test "killed before it is noted, the request waits; killed after, the same answer is told the same" {
	local faults=$BATS_TEST_TMPDIR/faults line
	make -s -C "$TOP" FAULTS=1 CFLAGS=-O0 BUILD="$faults" "$faults/bin/sbx-verdict"
	echo good >"$BUNDLE/index.html"
	line=$(staged)
	for point in store.entered store.ran store.committed; do
		run -137 env SBX_CRASH=$point "$faults/bin/sbx-verdict" --answer "$REQUEST" <<<"$line"
		assert_equal "$output" ''
		[ "$point" = store.committed ] || request_is selected
	done
	request_is responded
	answer "$line"
	admitted
}

@test "answers at the same moment: one of them, whole" {
	local i words
	for i in 1 2 3 4 5 6; do
		echo "answer $i" >"$BUNDLE/index.html"
		[ $((i % 2)) -eq 0 ] || echo "bad $i" >"$BUNDLE/about.html"
		staged >"$BATS_TEST_TMPDIR/staged$i"
		echo '<p>' >"$BUNDLE/about.html"
	done
	for i in 1 2 3 4 5 6; do
		sbx-verdict --answer "$REQUEST" <"$BATS_TEST_TMPDIR/staged$i" >"$BATS_TEST_TMPDIR/answer$i" 2>/dev/null 3>&- &
	done
	wait
	words=$(cat "$BATS_TEST_TMPDIR"/answer[1-6] | jq -r 'if .answer.admitted then "responded" elif .answer then "rejected" else .error.reason end' |
	    sort | uniq -c | awk '{ print $1, $2 }')
	[ "$words" = $'5 request_settled\n1 responded' ] || [ "$words" = $'1 rejected\n5 request_settled' ]
	i=$(grep -l '"answer":' "$BATS_TEST_TMPDIR"/answer[1-6])
	assert_equal "$(sqlite3 "$SBX_STATE/sbx.db" "SELECT answer FROM repairs")" "$(jq -r .bundle.tar_sha256 "$i")"
}

# ---- what it is compared with

@test "it is the bundle that failed that counts, not its directory, which may be gone" {
	rm -r "$SBX_STATE/runs"
	echo good >"$BUNDLE/index.html"
	answer
	admitted
}

@test "files that were not known when it was asked: nothing is admitted, and the request waits" {
	REQUEST=
	sqlite3 "$SBX_STATE/sbx.db" 'DELETE FROM repairs'
	judged
	REQUEST=$(jq -r .verdict.repair.request_id "$BATS_TEST_TMPDIR/judged")
	sqlite3 "$SBX_STATE/sbx.db" 'UPDATE repairs SET scope = NULL'
	answer
	assert_failure 1
	holds '.error.reason == "request_unbounded" and (has("answer") | not)'
	request_is selected
}

@test "a run whose manifest is not there can still be asked about" {
	local line
	line=$(jq -c 'del(.result, .verdict) | .run = "0123456789abcdef0123456789abcdef"' "$BATS_TEST_TMPDIR/judged")
	sqlite3 "$SBX_STATE/sbx.db" 'DELETE FROM repairs'
	run --separate-stderr sbx-verdict --inventory "$INVENTORY" <<<"$line"
	holds '.result.bundle_repair.status == "needs_revision"'
}

@test "a line with another error is passed on, and so is one without a bundle refused; the request waits" {
	local line
	line=$(staged | jq -c '.error = {by: "sbx-stage", reason: "parser_died", message: "m", status: 2}')
	answer "$line"
	assert_failure 2
	assert_equal "$output" "$line"
	line=$(staged | jq -c '.error = {by: "sbx-accept", reason: "x", message: "m", status: 1}')
	answer "$line"
	assert_failure 1
	assert_equal "$output" "$line"
	answer "$(start_line docker)"
	assert_failure 2
	holds '.error.reason == "bundle_missing"'
	request_is selected
}

@test "a tar or a manifest that is not what was staged is trouble, and the request waits" {
	local line
	line=$(staged)
	echo x >>"$(jq -r .bundle.tar <<<"$line")"
	answer "$line"
	assert_failure 2
	holds '.error.reason == "bundle_changed"'
	line=$(staged)
	echo '{"sbx_manifest":1,"files":[{"path":"a"},{"path":"b"}]}' >"$(jq -r .bundle.manifest <<<"$line")"
	answer "$line"
	assert_failure 2
	holds '.error.reason == "manifest_invalid"'
	request_is selected
}

@test "a store that can't be written takes no answer" {
	local line
	line=$(staged)
	mv "$SBX_STATE/sbx.db" "$BATS_TEST_TMPDIR/kept"
	echo 'this is no database at all, and long enough' >"$SBX_STATE/sbx.db"
	answer "$line"
	assert_failure 2
	holds '.error.by == "sbx-verdict" and (has("answer") | not)'
	mv "$BATS_TEST_TMPDIR/kept" "$SBX_STATE/sbx.db"
	request_is selected
}

# ---- the run of an answer

@test "the verdict of a rejected answer: the bundle's fault, the run ends, the task is not asked again" {
	echo bad >"$BUNDLE/about.html"
	answer
	run --separate-stderr sbx-verdict --inventory "$INVENTORY" <<<"$output"
	assert_failure 1
	holds '.verdict | .readiness == "failed" and .ends and (.reasons | any(.gate == "bundle" and .reason == "answer_rejected"))'
	holds '.result | .validation_status == "failed" and (has("infrastructure_failure") | not)'
	holds '.verdict.message | startswith("What is wrong with the bundle could not be repaired") and contains("about.html was changed")'
	echo '<p>' >"$BUNDLE/about.html"
	judged
	output=$(cat "$BATS_TEST_TMPDIR/judged")
	holds '.verdict.repair.blocks | any(.reason == "rejected" and .task_id == "pages")'
}

@test "an answer to a request that waits for none ends nothing that is waited for" {
	local known=$REQUEST
	REQUEST=$(printf '%064d' 0) answer
	run --separate-stderr sbx-verdict --inventory "$INVENTORY" <<<"$output"
	assert_failure 1
	holds '.verdict | .ready == false and (has("repair") | not)'
	REQUEST=$known
	request_is selected
}

@test "an admitted answer whose build fails otherwise: the second attempt; the same again: no progress" {
	echo good >"$BUNDLE/index.html"
	answer
	admitted
	judged index.html another
	output=$(cat "$BATS_TEST_TMPDIR/judged")
	holds '.result.bundle_repair | .attempt == 2 and (.history | map(.status)) == ["responded", "selected"]'
	REQUEST=$(jq -r .verdict.repair.request_id "$BATS_TEST_TMPDIR/judged")
	answer
	admitted
	judged index.html another
	output=$(cat "$BATS_TEST_TMPDIR/judged")
	holds '.verdict.repair.blocks | any(.reason == "no_progress")'
}

@test "forms that are none" {
	local use
	for use in '--answer' '--answer x' "--answer $REQUEST x" "--answer $REQUEST --inventory $INVENTORY" "--answer $REQUEST --gate export"; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 sbx-verdict $use </dev/null
		assert_equal "$output" ''
	done
}
