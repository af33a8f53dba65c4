#!/usr/bin/env bats
# conform - what all programs have in common is held for each of them, so that many feel like one

load common

# Every installed program, C or shell.
programs() {
	ls "$BUILD/bin"
}

# The forms that read lines. They get malformed input, lines of others, and lines that carry an error already.
filters() {
	cat <<-END
		sbx-stage /nonexistent.zip
		sbx-accept
		sbx-docker create
		sbx-docker put
		sbx-docker supervise check
		sbx-docker rm
		sbx-local create
		sbx-local put
		sbx-local rm
		sbx-e2b create
		sbx-e2b put
		sbx-e2b supervise start
		sbx-e2b rm
		sbx-check
		sbx-health
		sbx-diagnose
		sbx-browse
		sbx-verdict
		sbx-record
	END
}

each_program() {
	local name
	for name in $(programs); do
		"$@" "$name" || { echo "broken by: $name" >&2; return 1; }
	done
}

each_filter() {
	local form
	while read -r form; do
		"$@" "$form" </dev/null || { echo "broken by: $form" >&2; return 1; }
	done < <(filters)
}

@test "there are programs to hold to it" {
	[ "$(programs | wc -l)" -ge 9 ]
}

helps() {
	"$1" -h >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || return 1
	[ ! -s "$BATS_TEST_TMPDIR/err" ] && grep -q "^usage: $1" <(head -n 1 "$BATS_TEST_TMPDIR/out") &&
	    [ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -le 50 ] && cmp -s "$BATS_TEST_TMPDIR/out" <("$1" --help)
}

@test "-h and --help: usage on standard output, on one screen, nothing on standard error, 0" {
	each_program helps
}

refuses_option() {
	local status=0
	"$1" --no-such-option </dev/null >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 2 ] && [ ! -s "$BATS_TEST_TMPDIR/out" ] && [ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ] &&
	    grep -q "^$1: .*--no-such-option" "$BATS_TEST_TMPDIR/err"
}

@test "an unknown option: one line on standard error that names it, 2" {
	each_program refuses_option
}

no_space_left() {
	! "$1" -h >/dev/full 2>/dev/null
}

@test "output that could not be written is never 0" {
	each_program no_space_left
}

closed_output() {
	local status=0
	"$1" -h >&- 2>/dev/null || status=$?
	[ "$status" -ne 0 ] && [ "$status" -lt 126 ]
}

@test "a closed standard output is an error, not a crash" {
	each_program closed_output
}

bare_environment() {
	env -i PATH="$PATH" "$1" -h >/dev/null && env -i PATH="$PATH" LC_ALL=C "$1" -h >/dev/null
}

@test "runs in an empty environment and in the C locale" {
	each_program bare_environment
}

# The title stands in the source's first comment, in the man page's .Nd and in what sbx lists: one sentence.
one_title() {
	local source title page
	source=$TOP/cmd/$1.c
	if [ -f "$source" ]; then
		title=$(sed -n '1s,^/\* [^ ]* - \(.*\) \*/$,\1,p' "$source")
	else
		source=$TOP/cmd/$1.sh
		title=$(sed -n '2s,^# [^ ]* - ,,p' "$source")
	fi
	page=$(ls "$TOP/man/$1".[18])
	[ -n "$title" ] && [ "$(sed -n 's/^\.Nd //p' "$page")" = "$title" ] || return 1
	[ "$1" = sbx ] || sbx | grep -qF "$title" || return 1
	grep -qi "^${title:0:1}.*" <<<"$title" && "$1" -h | grep -qiF "$title"
}

@test "source, man page, sbx and -h give each program one title" {
	each_program one_title
}

# Long options of -h, and those that the page documents, are the same. -h, -q, -v and -V are in sbx(7).
same_options() {
	local page
	page=$(ls "$TOP/man/$1".[18])
	"$1" -h | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE '\-\-[a-z0-9-]+' |
	    grep -vxE -- '--(help|quiet|verbose|version)' | sort -u >"$BATS_TEST_TMPDIR/helped"
	grep -oE 'Fl -[a-z][a-z0-9-]+' "$page" | sed 's/^Fl -/--/' |
	    grep -vxE -- '--(help|quiet|verbose|version)' | sort -u >"$BATS_TEST_TMPDIR/documented"
	diff "$BATS_TEST_TMPDIR/helped" "$BATS_TEST_TMPDIR/documented"
}

@test "-h and the man page know the same options" {
	each_program same_options
}

has_company() {
	ls "$TOP/man/$1".[18] && ls "$TOP/tests/$1".bats || return 1
	[ "$1" = sbx ] || grep -q "Xr $1 " "$TOP/man/sbx.7"
}

@test "each program has a page, a test file and a place in sbx(7)" {
	each_program has_company
}

# refuses_input PATTERN FORM - the form, fed the file input, ends with 2 and one line that matches
refuses_input() {
	local status=0
	# shellcheck disable=SC2086
	$2 <"$BATS_TEST_TMPDIR/input" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 2 ] && grep -q "$1" "$BATS_TEST_TMPDIR/err" && [ "$(wc -l <"$BATS_TEST_TMPDIR/err")" -eq 1 ] ||
	    { echo "status $status:" >&2; cat "$BATS_TEST_TMPDIR/err" >&2; return 1; }
}

@test "malformed lines: 2, and stdin:NUMBER: with the reason" {
	local bad
	while IFS='|' read -r pattern bad; do
		printf '%b' "$bad" >"$BATS_TEST_TMPDIR/input"
		each_filter refuses_input "stdin:1: .*$pattern"
	done <<-'END'
		duplicate|{"sbx":1,"a":1,"a":2}\n
		not an object|[1]\n
		sbx line|{"a":1}\n
		sbx line|{"sbx":2}\n
		no newline|{"sbx":1}
		status|{"sbx":1,"error":{}}\n
		unable to decode byte 0xff|{"sbx":1,"a":"\xff"}\n
		u0000 is not allowed|{"sbx":1,"a":"\\u0000"}\n
		string or '}' expected|{"sbx":1,}\n
		end of file expected|{"sbx":1}x\n
		expected near end of file|\n
		invalid token|{"sbx":1,"a":NaN}\n
		real number overflow|{"sbx":1,"a":1e400}\n
		too big integer|{"sbx":1,"a":123456789012345678901234567890}\n
	END
}

@test "an endless line and deep nesting are refused" {
	head -c 2097152 /dev/zero | tr '\0' ' ' >"$BATS_TEST_TMPDIR/input"
	each_filter refuses_input 'stdin:1: longer than 1 MiB'
	printf '{"sbx":1,"a":%s%s}\n' "$(printf '[%.0s' {1..40})" "$(printf ']%.0s' {1..40})" >"$BATS_TEST_TMPDIR/input"
	each_filter refuses_input 'stdin:1: nested deeper than 32'
}

@test "no line at all is trouble: something before must have died" {
	: >"$BATS_TEST_TMPDIR/input"
	each_filter refuses_input 'no line'
}

closed_input() {
	local status=0
	# shellcheck disable=SC2086
	$1 <&- >/dev/null 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" -eq 2 ]
}

@test "a closed standard input is trouble" {
	each_filter closed_input
}

# Numbers that a JSON library would rewrite, odd spacing, odd order: all of it is still there, to the byte.
keeps_bytes() {
	local status=0 line='{ "zz" : 1.10,"e":1e2,  "sbx":1,"s":"\u00e9\/",'
	line=$line'"error":{"by":"x","reason":"y","message":"z","status":1} '
	printf '%s} \n' "$line" >"$BATS_TEST_TMPDIR/input"
	# shellcheck disable=SC2086
	$1 <"$BATS_TEST_TMPDIR/input" >"$BATS_TEST_TMPDIR/out" 2>/dev/null || status=$?
	[ "$status" -ne 0 ] && [ "$(wc -l <"$BATS_TEST_TMPDIR/out")" -eq 1 ] && jq -e . "$BATS_TEST_TMPDIR/out" >/dev/null &&
	    [ "$(head -c ${#line} "$BATS_TEST_TMPDIR/out")" = "$line" ] && grep -q '} $' "$BATS_TEST_TMPDIR/out"
}

@test "whatever else a line holds passes through to the byte, and its error decides the status" {
	each_filter keeps_bytes
}

@test "a caller that ignores SIGCHLD takes no child's end from a program" {
	run -3 timeout 20 env --ignore-signal=CHLD sbx-within -- sh -c 'exit 3'
	run timeout 20 env --ignore-signal=CHLD sbx-resolve -l validation
	assert_failure 2
	run timeout 20 env --ignore-signal=CHLD sbx-resolve -l
	assert_success
}

silent_pipe() {
	yes '{"sbx":1,"error":{"by":"x","reason":"y","message":"z","status":1}}' | head -n 20000 >"$BATS_TEST_TMPDIR/input"
	# shellcheck disable=SC2086
	$1 <"$BATS_TEST_TMPDIR/input" 2>"$BATS_TEST_TMPDIR/err" | head -n 1 >/dev/null
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "a reader that goes away leaves no message" {
	silent_pipe sbx-check
	silent_pipe sbx-stage\ /nonexistent.zip
}

@test "the installed tree works without the build tree" {
	local prefix=$BATS_TEST_TMPDIR/usr
	make -s -C "$TOP" BUILD="$BATS_TEST_TMPDIR/build" CFLAGS=-O0 PREFIX="$prefix" install
	unset SBX_SHARE
	PATH=$prefix/bin:$(tr ':' '\n' <<<"$PATH" | grep -vx "$BUILD/bin" | paste -sd:)
	run sbx
	assert_success
	assert_line --regexp '^  sbx-stage +'
	run sbx resolve -h
	assert_output --partial 'usage: sbx-resolve'
	assert_exists "$prefix/share/sbx/profiles/mozaiks.json"
	assert_exists "$prefix/share/man/man7/sbx.7"
	make -s -C "$TOP" BUILD="$BATS_TEST_TMPDIR/build" PREFIX="$prefix" uninstall
	run find "$prefix" -type f
	assert_output ''
}
