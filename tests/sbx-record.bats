#!/usr/bin/env bats
# sbx-record - the evidence ledger: what is kept, that it is found again, that whatever was done to it shows

bats_require_minimum_version 1.5.0
load common

ZEROS=$(printf '%064d' 0)

# finished [RUN [FILTER]] - the line of a run that went well, changed by jq's filter
finished() {
	start_line docker "${1:-$(new_run)}" | jq -c --arg id "$(printf '%064x' 7)" '
		. + {sandbox: {provider: "docker", id: $id, engine: "E"}, steps: [], teardown: {confirmed: true, result: "confirmed"},
		result: {success: true, validation_strategy: "docker", validation_status: "passed", strategy_reason: "test",
			build_output: "$ true\n", errors: [], warnings: [], preview_url: null},
		verdict: {ready: true, readiness: "ready", claims: ["c"], not_claimed: ["n"]}}'" | ${2:-.}"
}

# keep N - N records in the ledger
keep() {
	local i
	for i in $(seq "$1"); do finished; done | sbx-record >"$BATS_TEST_TMPDIR/kept"
}

# ledger PYTHON - change the ledger behind the program's back; db is its connection
ledger() {
	python3 -c "import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
$1" "$SBX_STATE/sbx.db"
}

# broken KIND SEQ ... - verify says no, and names these places
broken() {
	run sbx-record verify --json
	assert_equal "$status" 1
	assert_equal "$(jq -r '.breaks[] | "\(.kind) \(.seq // "")"' <<<"$output" | xargs)" "$*"
	assert_equal "$(jq .whole <<<"$output")" false
	run sbx-record verify
	assert_equal "$status" 1
	assert_output --partial "$1"
	assert_line --regexp '^broken: '
}

# forge PYTHON - lines are changed and get a new seal, as someone would who knows how
forge() {
	ledger "
import hashlib, re
def seal(line):
    line = re.sub(r',\"sha256\":\"[0-9a-f]{64}\"}}\$', '}}', line)
    sha256 = hashlib.sha256((line + '\n').encode()).hexdigest()
    return line[:-2] + ',\"sha256\":\"' + sha256 + '\"}}', sha256
def put(seq, line):
    line, sha256 = seal(line)
    db.execute('UPDATE records SET line = ?, sha256 = ? WHERE seq = ?', (line, sha256, seq))
    return sha256
def get(seq):
    return db.execute('SELECT line FROM records WHERE seq = ?', (seq,)).fetchone()[0]
$1"
}

@test "a line comes back with its record and nothing else changed; the ledger has the same bytes" {
	run=$(new_run)
	finished "$run" | sed 's/"purpose"/  &/; s/}$/} /' >"$BATS_TEST_TMPDIR/line"
	sbx-record <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out"
	member=$(grep -oE ',"record":\{"id":"av_[0-9a-f]{24}","seq":1,"time":"[0-9-]{10}T[0-9:.]{12}Z","previous":"0{64}","sha256":"[0-9a-f]{64}"\}' \
	    "$BATS_TEST_TMPDIR/out")
	sed "s/$member//" "$BATS_TEST_TMPDIR/out" | cmp - "$BATS_TEST_TMPDIR/line"
	sbx-record list --json | cmp - "$BATS_TEST_TMPDIR/out"
	sbx-record show --json "$(jq -r .record.id "$BATS_TEST_TMPDIR/out")" | cmp - "$BATS_TEST_TMPDIR/out"
}

@test "records are numbered and each names the one before" {
	keep 3
	keep 2
	sbx-record list --json >"$BATS_TEST_TMPDIR/all"
	assert_equal "$(jq -r .record.seq "$BATS_TEST_TMPDIR/all" | xargs)" '1 2 3 4 5'
	diff <(jq -r .record.previous "$BATS_TEST_TMPDIR/all") <(echo "$ZEROS"; jq -r .record.sha256 "$BATS_TEST_TMPDIR/all" | head -n 4)
}

@test "jq and sha256sum alone verify the chain" {
	keep 12
	sbx-record list --json | sed 's/,"sha256":"[0-9a-f]*"}}$/}}/' | (cd "$BATS_TEST_TMPDIR" && split -l 1 -a 4 -d - record.)
	diff <(sbx-record list --json | jq -r .record.sha256) <(sha256sum "$BATS_TEST_TMPDIR"/record.* | cut -c1-64)
}

@test "the exit status is that of the line's verdict, its sandbox, its error" {
	while IFS='|' read -r expected change; do
		code=0
		finished "$(new_run)" "$change" | sbx-record >"$BATS_TEST_TMPDIR/out" 2>/dev/null || code=$?
		[ "$code" -eq "$expected" ] || { echo "$code instead of $expected: $change" >&2; return 1; }
		jq -e .record.sha256 "$BATS_TEST_TMPDIR/out"
	done <<-'END'
		0|.
		1|.verdict = {ready: false, readiness: "failed"}
		1|.verdict = {ready: false, readiness: "pending"}
		1|.verdict = {ready: false, readiness: "skipped"}
		1|del(.verdict)
		1|.verdict.ready = "true"
		3|.teardown = {confirmed: false, result: "unconfirmed"}
		3|.teardown = {confirmed: false, result: "refused"}
		2|.error = {by: "x", reason: "y", message: "z", status: 2}
		75|del(.verdict) + {error: {by: "x", reason: "y", message: "z", status: 75}}
		143|.verdict.ready = false | .error = {by: "x", reason: "y", message: "z", status: 143}
		3|.teardown.confirmed = false | .error = {by: "x", reason: "y", message: "z", status: 2}
	END
	run sbx-record verify
	assert_success
	assert_output --partial 'whole: 12 records'
}

@test "several lines: the worst status" {
	code=0
	{ finished; finished "$(new_run)" '.verdict.ready = false'; finished; } | sbx-record >"$BATS_TEST_TMPDIR/out" || code=$?
	assert_equal "$code" 1
	assert_equal "$(wc -l <"$BATS_TEST_TMPDIR/out")" 3
}

@test "records are found by status, strategy, session, provider and run" {
	one=$(new_run)
	{
		finished "$one"
		finished "$(new_run)" '.result.validation_status = "failed" | .sandbox.id = "abc" | .sandbox.provider = "e2b" | .result.validation_strategy = "e2b"'
		start_line skip | jq -c '.result = {validation_status: "skipped", validation_strategy: "skip"}'
	} | sbx-record >/dev/null || true
	numbers() { sbx-record list --json "$@" | jq -r .record.seq | xargs; }
	assert_equal "$(numbers --status passed)" 1
	assert_equal "$(numbers --status failed)" 2
	assert_equal "$(numbers --strategy skip)" 3
	assert_equal "$(numbers --session abc)" 2
	assert_equal "$(numbers --provider docker)" 1
	assert_equal "$(numbers --run "$one")" 1
	assert_equal "$(numbers --provider docker --status failed)" ''
	assert_equal "$(numbers --session "' OR 1=1 --")" ''
	run sbx-record list --provider e2b
	assert_success
	assert_equal "${#lines[@]}" 2
	assert_line --regexp '^ +2  20[0-9T:.Z-]+  av_[0-9a-f]{24}  failed +e2b +e2b +abc$'
}

@test "a record names a provider only if that provider made a sandbox" {
	{
		finished "$(new_run)" 'del(.sandbox) | .result.sandbox_provider = "docker" | .result.sandbox_session_id = "abc"'
		start_line docker | jq -c '.error = {by: "sbx-docker", reason: "image_missing", message: "no image", status: 1}'
		finished "$(new_run)" '.sandbox.id = null'
	} | sbx-record >/dev/null || true
	ledger "assert db.execute('SELECT count(*) FROM records WHERE provider IS NULL AND session IS NULL').fetchone() == (3,)"
	assert_equal "$(sbx-record list --provider docker --json)" ''
}

@test "without a result the status is failed after an error, else pending; the strategy is the line's" {
	{
		start_line docker | jq -c '.error = {by: "x", reason: "y", message: "z", status: 2}'
		start_line local
		echo '{"sbx":1}'
	} | sbx-record >/dev/null || true
	assert_equal "$(sbx-record list | awk 'NR > 1 { print $4, $5 }' | xargs)" 'failed docker pending local pending -'
	sbx-record verify
}

@test "a line that has a record is refused, and not kept again" {
	keep 1
	run bash -c 'sbx-record <"$0" 2>/dev/null' "$BATS_TEST_TMPDIR/kept"
	assert_equal "$status" 2
	assert_equal "$(jq -r .error.reason <<<"$output")" member_exists
	assert_equal "$(sbx-record list --json | wc -l)" 1
}

# trimmed LIMIT FILTER - what becomes of the result, kept and printed alike
trimmed() {
	finished "$(new_run)" "$2" >"$BATS_TEST_TMPDIR/line"
	APP_VALIDATION_BUILD_OUTPUT_MAX_CHARS=$1 sbx-record <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out"
	sbx-record list --json | tail -n 1 | cmp - "$BATS_TEST_TMPDIR/out"
	jq -c '[.result.build_output, .result.build_output_truncated]' "$BATS_TEST_TMPDIR/out"
}

@test "output is trimmed to its last characters, not bytes, and that is said" {
	assert_equal "$(trimmed 4 '.result.build_output = "äöüß€"')" '["öüß€",true]'
	assert_equal "$(trimmed 5 '.result.build_output = "äöüß€"')" '["äöüß€",null]'
	assert_equal "$(trimmed 2 '.result.build_output = "x\n\"\\😀"')" '["\\😀",true]'
	assert_equal "$(trimmed 1 '.result.build_output_truncated = false')" '["\n",true]'
	assert_equal "$(trimmed 1 '.result = ({build_output_truncated: false} + .result)')" '["\n",true]'
	assert_equal "$(trimmed 1 '.result.build_output = ""')" '["",null]'
}

@test "the limit: 20000 when unset, blank or no number; 0 and below drop the output; so does what is no text" {
	long='.result.build_output = ("a" + "b" * 20000)'
	for limit in '' ' ' many 1e3 20000x; do
		trimmed "$limit" "$long" >"$BATS_TEST_TMPDIR/result"
		assert_equal "$(jq -c '[(.[0] | length), (.[0] | startswith("b")), .[1]]' "$BATS_TEST_TMPDIR/result")" '[20000,true,true]'
	done
	assert_equal "$(trimmed 20001 "$long" | jq '.[0] | length')" 20001
	for limit in 0 -1; do
		trimmed "$limit" .
		assert_equal "$(jq -c '.result | [has("build_output"), has("build_output_truncated")]' "$BATS_TEST_TMPDIR/out")" '[false,false]'
	done
	for value in null 5 '["x"]' '{"build_output": "y"}'; do
		trimmed 100 ".result.build_output = $value"
		assert_equal "$(jq '.result | has("build_output")' "$BATS_TEST_TMPDIR/out")" false
	done
	sbx-record verify
}

@test "trimming leaves every other byte, wherever the output stands and however it is written" {
	while IFS='|' read -r before after; do
		printf '{"sbx":1, "a":"build_output", "x":{"result":{"build_output":"no"}},%s}\n' "$before" |
		    APP_VALIDATION_BUILD_OUTPUT_MAX_CHARS=${limit:-2} sbx-record >"$BATS_TEST_TMPDIR/out" || [ $? -eq 1 ]
		assert_equal "$(sed 's/,"record":.*//' "$BATS_TEST_TMPDIR/out")" \
		    "{\"sbx\":1, \"a\":\"build_output\", \"x\":{\"result\":{\"build_output\":\"no\"}},$after"
	done <<-'END'
		"result" : { "n":1.10, "build_output" : "abcd" , "z":[1,{"}":"]"}] }|"result" : { "n":1.10, "build_output" : "cd","build_output_truncated":true , "z":[1,{"}":"]"}] }
		"result":{"build_output":"a\u00e9\"}"}|"result":{"build_output":"\"}","build_output_truncated":true}
		"r\u0065sult":{"build\u005foutput":"abcd"}|"r\u0065sult":{"build\u005foutput":"cd","build_output_truncated":true}
		"result":{"build_output_truncated" :false,"build_output":"abc"}|"result":{"build_output_truncated" :true,"build_output":"bc"}
		"result":{"build_output": 1 , "b":2}|"result":{"b":2}
		"result":{"a":1 , "build_output": [1,"]"] }|"result":{"a":1  }
		"result":{"build_output":{}}|"result":{}
		"result":"build_output"|"result":"build_output"
	END
}

@test "many writers at once: nothing is lost, the chain does not fork" {
	finished >"$BATS_TEST_TMPDIR/line"
	for i in $(seq 24); do
		(for j in 1 2 3; do cat "$BATS_TEST_TMPDIR"/line "$BATS_TEST_TMPDIR"/line | sbx-record >"$BATS_TEST_TMPDIR/out.$i.$j" || exit 1; done) &
		pids="${pids:-} $!"
	done
	for pid in $pids; do wait "$pid"; done
	run sbx-record verify
	assert_success
	assert_output --partial 'whole: 144 records'
	diff <(cat "$BATS_TEST_TMPDIR"/out.* | jq -r .record.sha256 | sort) <(sbx-record list --json | jq -r .record.sha256 | sort)
	assert_equal "$(sbx-record list --json | jq -r .record.previous | sort | uniq -d)" ''
}

@test "verify: a single record is not several" {
	keep 1
	run sbx-record verify
	assert_output --partial 'whole: 1 record,'
}

@test "verify: whole, and what an anchor proves" {
	run sbx-record verify
	assert_success
	assert_output 'whole: 0 records'
	keep 4
	head=$(jq -r .record.sha256 "$BATS_TEST_TMPDIR/kept" | tail -n 1)
	second=$(jq -r .record.sha256 "$BATS_TEST_TMPDIR/kept" | sed -n 2p)
	run sbx-record verify
	assert_success
	assert_output --regexp "^whole: 4 records, the last is 4 av_[0-9a-f]{24} with the SHA-256 $head\$"
	sbx-record verify --head "$head"
	sbx-record verify --head "$second"
	run sbx-record verify --json
	assert_equal "$(jq -c '[.whole, .records, .breaks, .head.seq, .head.sha256]' <<<"$output")" "[true,4,[],4,\"$head\"]"
	run sbx-record verify --head "$ZEROS"
	assert_equal "$status" 1
}

@test "verify: a record whose bytes were altered" {
	keep 5
	ledger "db.execute('''UPDATE records SET line = replace(line, 'validation_status\":\"passed', 'validation_status\":\"failed') WHERE seq = 3''')"
	broken altered 3
	ledger "db.execute('UPDATE records SET line = ? WHERE seq = 5', ('{\"sbx\":1}',))"
	broken altered 3 altered 5
	ledger "db.execute('UPDATE records SET line = ? WHERE seq = 1', ('no json',))"
	broken altered 1 altered 3 altered 5
}

@test "verify: a record that was altered and sealed again is not the one the next was bound to" {
	keep 5
	forge "put(3, get(3).replace('\"ready\":true', '\"ready\":false'))"
	broken unlinked 4
	forge "put(1, get(1).replace('$ZEROS', 'f' * 64))"
	broken unlinked 1 unlinked 2 unlinked 4
}

@test "verify: what records are found by was changed" {
	keep 3
	for change in "status = 'failed'" 'session = NULL' "provider = 'e2b'" "strategy = 'local'" "run = 'x'" 'time = 5' "id = 'av_1'" "sha256 = '$ZEROS'"; do
		cp "$SBX_STATE/sbx.db" "$BATS_TEST_TMPDIR/saved"
		ledger "db.execute('''UPDATE records SET $change WHERE seq = 2''')"
		broken columns_differ 2
		cp "$BATS_TEST_TMPDIR/saved" "$SBX_STATE/sbx.db"
	done
	sbx-record verify
}

@test "verify: missing records" {
	keep 9
	ledger "db.execute('DELETE FROM records WHERE seq IN (1, 4, 5)')"
	broken missing 2 missing 6
	run sbx-record verify
	assert_output --partial 'records 4 to 5'
}

@test "verify: reordered records" {
	keep 5
	ledger "
for a, b in ((2, -1), (3, 2), (-1, 3)): db.execute('UPDATE records SET seq = ? WHERE seq = ?', (b, a))"
	broken reordered 2 reordered 3
}

@test "verify: an end that was cut off, or a ledger written anew, shows only beside an anchor" {
	keep 5
	head=$(jq -r .record.sha256 "$BATS_TEST_TMPDIR/kept" | tail -n 1)
	ledger "db.execute('DELETE FROM records WHERE seq > 3')"
	sbx-record verify
	run sbx-record verify --head "$head" --json
	assert_equal "$status" 1
	assert_equal "$(jq -c '[.whole, .records, .breaks[0].kind, .breaks[0].seq]' <<<"$output")" '[false,3,"head_missing",null]'
	forge "
sha256 = put(1, get(1).replace('\"ready\":true', '\"ready\":false'))
for seq in 2, 3: sha256 = put(seq, re.sub(r'\"previous\":\"[0-9a-f]+', '\"previous\":\"' + sha256, get(seq)))"
	sbx-record verify
	run sbx-record verify --head "$(sed -n 1p "$BATS_TEST_TMPDIR/kept" | jq -r .record.sha256)"
	assert_equal "$status" 1
	assert_output --partial head_missing
}

@test "show: for people, without what a terminal would obey" {
	finished "$(new_run)" '.result.build_output = "$ x\n   \u001b[31m^ here\u001b[0m\u0007\n" | .bundle = {path: "a\u001b]0;title\u0007.zip"}
		| .steps = [{id: "one", title: "Python compiles", status: "passed", duration_ms: 12}]
		| .result.errors = ["no\u001b[2J good"]' | sbx-record >"$BATS_TEST_TMPDIR/out"
	run sbx-record show "$(jq -r .record.id "$BATS_TEST_TMPDIR/out")"
	assert_success
	assert_line --regexp '^status +passed$'
	assert_line --regexp '^bundle +a.zip$'
	assert_line --regexp '^step +passed +12 ms +Python compiles$'
	assert_line --regexp '^wrong +no good$'
	assert_line '|    ^ here'
	refute_output --partial $'\e'
	refute_output --partial $'\a'
}

@test "show: an unknown record is a no, a wrong id is usage" {
	run --separate-stderr sbx-record show av_000000000000000000000000
	assert_equal "$status" 1
	assert_equal "$stderr" 'sbx-record: av_000000000000000000000000: no such record'
	for wrong in 'show 1' 'show av_00000000000000000000000G' show 'show a b' 'list x' 'verify x' destroy 'verify --status x' '--status x' \
	    'list --head x' 'verify --head x' '--json' 'show --status x av_000000000000000000000000'; do
		# shellcheck disable=SC2086
		run --separate-stderr sbx-record $wrong </dev/null
		assert_equal "$status" 2
		assert_equal "$output" ''
	done
}

# not_kept PATTERN - the line is written all the same, with the error; the status is in doubt
not_kept() {
	code=0
	finished >"$BATS_TEST_TMPDIR/line"
	sbx-record <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || code=$?
	assert_equal "$code" 3
	assert_equal "$(jq -r '[.error.reason, .error.status, has("record"), .verdict.ready] | @tsv' "$BATS_TEST_TMPDIR/out")" \
	    $'record_not_stored\t3\tfalse\ttrue'
	grep -q "$1" "$BATS_TEST_TMPDIR/err"
}

@test "a ledger that can't be written: the line says so, the status is in doubt" {
	keep 1
	ledger "db.execute('UPDATE schema SET version = version + 900')"
	not_kept 'newer sbx'
	ledger "db.execute('UPDATE schema SET version = version - 900')"
	chmod 644 "$SBX_STATE/sbx.db"
	not_kept 'chmod 600'
	chmod 600 "$SBX_STATE/sbx.db"
	SBX_STORE=postgresql://localhost/sbx not_kept 'SBX_STORE'
	sbx-record verify
	echo 'this is no database at all, and long enough' >"$SBX_STATE/sbx.db"
	not_kept 'not a database'
	run sbx-record list
	assert_equal "$status" 2
}

@test "a full disk: nothing is kept, nothing is broken" {
	keep 2
	finished >"$BATS_TEST_TMPDIR/line"
	full() {
		trap '' XFSZ
		ulimit -f 0
		sbx-record <"$BATS_TEST_TMPDIR/line" 2>/dev/null
	}
	code=0
	out=$(full) || code=$?
	assert_equal "$code" 3
	assert_equal "$(jq -r .error.reason <<<"$out")" record_not_stored
	sbx-record <"$BATS_TEST_TMPDIR/line" >/dev/null
	run sbx-record verify
	assert_success
	assert_output --partial 'whole: 3 records'
}

@test "the ledger is private, whatever the umask" {
	umask 0
	keep 1
	assert_equal "$(stat -c %a "$SBX_STATE" "$SBX_STATE/sbx.db" "$SBX_STATE/sbx.gate" | xargs)" '700 600 600'
}

# Killed at any step that leaves a trace: the chain is whole, and the next record follows.
@test "a crash at any point leaves the chain whole" {
	faults=$BATS_TEST_TMPDIR/faults
	make -s -C "$TOP" FAULTS=1 CFLAGS=-O0 BUILD="$faults" "$faults/bin/sbx-record"
	points=$(sed -n 's/.*crash_point("\([a-z.]*\)").*/\1/p' "$TOP"/lib/store.c "$TOP"/lib/record.c)
	assert [ "$(wc -w <<<"$points")" -ge 6 ]
	for point in $points; do
		for before in 0 2; do
			rm -rf "$SBX_STATE"
			[ "$before" -eq 0 ] || keep "$before"
			finished >"$BATS_TEST_TMPDIR/line"
			code=0
			SBX_CRASH=$point "$faults/bin/sbx-record" <"$BATS_TEST_TMPDIR/line" >"$BATS_TEST_TMPDIR/out" || code=$?
			[ "$code" -eq 137 ] || { echo "$point did not kill it: $code" >&2; return 1; }
			[ ! -s "$BATS_TEST_TMPDIR/out" ]
			sbx-record verify
			kept=$(sbx-record list --json | wc -l)
			case $before-$point in
			2-store.committed | ?-record.stored) assert_equal "$kept" $((before + 1)) ;;
			*) assert_equal "$kept" "$before" ;;
			esac
			sbx-record <"$BATS_TEST_TMPDIR/line" >/dev/null
			sbx-record verify
			assert_equal "$(sbx-record list --json | wc -l)" $((kept + 1))
		done
	done
}
