# shellcheck shell=sh disable=SC2016 # dollars in single quotes are jq's
# workflow - what all workflows share: options, stages and their statuses, signals, teardown (built into each of them)
#
# A workflow sets program, title, operands and table (one option a line: NAME|ARGUMENT|SENTENCE), takes this in, defines
# functions and ends with `workflow_main FUNCTION "$@"`. The function gets the operands, and the options as opt_NAME.
#
# Stages run one after another, each on the line file that the one before left. POSIX sh tells the status of a pipeline's
# last program only; this way every status is seen, and the last whole line outlives a stage that was killed.

KILL_AFTER=5       # seconds that a stage has to end after it was asked to
TEARDOWN_LIMIT=60  # seconds for each stage that must act whatever happened
version='@VERSION@' more="The manual page $program(1) has the rest."
signal='' child='' lost='' failed='' quiet='' talk='' worst=0

say() {
	[ -n "$quiet" ] || printf '%s: %s\n' "$program" "$*" >&2
}

usage_error() {
	printf '%s: %s (see %s -h)\n' "$program" "$*" "$program" >&2
	exit 2
}

help() {
	printf 'usage: %s [option ...] %s\n\n' "$program" "$operands"
	printf '%s.\n\n' "$(printf %s "$title" | cut -c1 | tr '[:lower:]' '[:upper:]')${title#?}"
	printf '%s\n' "$table" | while IFS='|' read -r name argument sentence; do
		printf '      --%-22s %s\n' "$name $argument" "$sentence"
	done
	printf '  -%s, --%-22s %s\n' h help 'print this help' q quiet 'say nothing on standard error' \
		v verbose 'explain what is done' V version 'print the version'
	printf '\n%s\n' "$more"
}

# One write, so that a full disk is seen.
show() {
	printf '%s\n' "$1" || exit 2
	exit 0
}

option_variable() {
	printf 'opt_%s' "$1" | tr - _
}

# workflow_main FUNCTION [ARGUMENT ...]
workflow_main() {
	work=$1
	shift
	long=help,quiet,verbose,version
	for name in $(printf '%s\n' "$table" | cut -d'|' -f1); do
		long=$long,$name:
		unset "$(option_variable "$name")"
	done
	parsed=$(getopt -n "$program" -o hqvV -l "$long" -- "$@") || exit 2
	eval "set -- $parsed"
	while [ "$1" != -- ]; do
		case $1 in
		-h | --help) show "$(help)" ;;
		-V | --version) show "$program (sbx) $version" ;;
		-q | --quiet) quiet=1 talk=-q ;;
		-v | --verbose) talk=-v ;;
		*)
			# The name is one of the table's, so it is safe to evaluate.
			eval "$(option_variable "${1#--}")=\$2"
			shift ;;
		esac
		shift
	done
	shift
	"$work" "$@"
}

# option_seconds NAME VALUE - what a program's option of that kind takes
option_seconds() {
	case $2 in
	'' | *[!0-9]* | 0* | ??????*) ;;
	*) [ "$2" -gt 86400 ] || return 0 ;;
	esac
	usage_error "--$1 takes a whole number from 1 to 86400, not '$2'"
}

badness() {
	case $1 in
	0) echo 0 ;;
	1) echo 1 ;;
	75) echo 2 ;;
	3) echo 6 ;;
	125 | 126 | 127) echo 4 ;;
	129 | 1[3-9]? | 2??) echo 5 ;;
	*) echo 3 ;;
	esac
}

# worse A B - the worse of the two, as status_worse in lib/fault.c
worse() {
	if [ "$(badness "$2")" -gt "$(badness "$1")" ]; then echo "$2"; else echo "$1"; fi
}

# safely COMMAND [ARGUMENT ...] - one of the small tools between the stages; a terminal's signals go to all of a process group,
# and one that hit jq or mv would leave us with half an answer
safely() (
	trap '' INT TERM HUP
	exec "$@"
)

# The first signal asks the stage that runs to end, the second one ends it.
on_signal() {
	interrupted=1
	if [ -z "$signal" ]; then
		signal=$1
		say "SIG$1: ending"
		[ -z "$child" ] || kill -TERM "$child" 2>/dev/null
	elif [ -n "$child" ]; then
		kill -KILL "-$child" 2>/dev/null || kill -KILL "$child" 2>/dev/null
	fi
}

signal_status() {
	case $signal in
	HUP) echo 129 ;;
	INT) echo 130 ;;
	TERM) echo 143 ;;
	*) echo 0 ;;
	esac
}

# await PID - its status. A signal interrupts a wait, and dash may have reaped the process in it all the same: then the next wait
# knows its status. Where that one knows nothing (127), the signal came after the status did.
await() {
	status=
	while :; do
		interrupted=
		wait "$1" 2>/dev/null # dash would tell of a kill
		code=$?
		[ "$code" -eq 127 ] && [ -n "$status" ] || status=$code
		[ -n "$interrupted" ] || return "$status"
	done
}

# The programs obey SBX_STATE, so they and the workflow mean the same directory whatever its default is.
run_begin() {
	umask 077
	if [ -z "${SBX_STATE:-}" ] && [ "$(id -u)" -eq 0 ]; then
		SBX_STATE=/var/lib/sbx
	fi
	SBX_STATE=${SBX_STATE:-${XDG_STATE_HOME:-${HOME:?is not set, and neither is SBX_STATE}/.local/state}/sbx}
	export SBX_STATE
	mkdir -p "$SBX_STATE/runs" && dir=$(mktemp -d "$SBX_STATE/runs/new.XXXXXX") || exit 2
	trap 'safely rm -rf "$dir"' EXIT
	for name in INT TERM HUP; do
		# shellcheck disable=SC2064 # the name is meant now
		trap "on_signal $name" "$name"
	done
	printf '{"sbx":1}\n' >"$dir/line"
}

# Once the line has its run's id, its files go where those of the other programs are.
run_name() {
	run=$(safely jq -r .run "$dir/line")
	safely mv "$dir" "$SBX_STATE/runs/$run" || exit 2
	dir=$SBX_STATE/runs/$run
}

# run_end - print the line, clear up, exit
run_end() {
	worst=$(worse "$(signal_status)" "$worst")
	safely cat "$dir/line" || worst=$(worse 2 "$worst")
	exit "$worst"
}

# What came whole is one line; anything else is what a program that died left.
take_line() {
	[ "$(safely wc -l <"$dir/next")" -eq 1 ] && safely mv "$dir/next" "$dir/line"
}

has() {
	safely jq -e --arg member "$1" 'has($member)' "$dir/line" >/dev/null
}

# append MEMBER JSON - the bytes that are there already stay as they are
append() {
	line=$(safely cat "$dir/line")
	printf '%s,"%s":%s}\n' "${line%\}*}" "$1" "$2" >"$dir/next"
	take_line
}

# fail_line PROGRAM REASON STATUS MESSAGE - what went wrong, unless the line tells of something earlier
fail_line() {
	say "$4"
	worst=$(worse "$worst" "$3")
	failed=1
	has error || append error "$(safely jq -cn --arg by "$1" --arg reason "$2" --arg message "$4" --argjson status "$3" \
		'{$by, $reason, $message, $status}')"
}

# Centiseconds.
now() {
	read -r up _ </proc/uptime
	echo "${up%.*}${up#*.}"
}

# report LABEL STATUS BEGAN
report() {
	took=$(($(now) - $3))
	case $2 in
	0) word=ok ;;
	1) word=no ;;
	3) word='in doubt' ;;
	75) word=later ;;
	*) word="failed ($2)" ;;
	esac
	say "$(printf '%-9s %-13s %d.%02d s' "$1" "$word" $((took / 100)) $((took % 100)))"
}

how_it_died() {
	case $2 in
	124) echo "$1: took too long, and was ended before it wrote its line" ;;
	129 | 1[3-9]? | 2??) echo "$1: was ended by signal $(($2 - 128)) before it wrote its line" ;;
	*) echo "$1: ended with status $2 and wrote no line" ;;
	esac
}

# shown LABEL STATUS - what the status of a stage says about the stage itself. A line's error is the status of every stage after it,
# and a record's is that of the verdict: neither failed. A verdict speaks for itself.
shown() {
	case $1 in
	record) [ "$2" = "$worst" ] && echo 0 || echo "$2" ;;
	verdict) case $2 in 0 | 3) echo "$2" ;; *) echo 1 ;; esac ;;
	*) [ -n "$failed" ] && [ "$2" = "$worst" ] && echo 0 || echo "$2" ;;
	esac
}

# finish LABEL PROGRAM STATUS BEGAN - note how a stage ended; fails unless it said yes. The label of one that left no line is
# in `lost`.
finish() {
	code=$3
	if take_line; then
		report "$1" "$(shown "$1" "$code")" "$4"
	else
		case $code in 0 | 1 | 124) code=2 ;; esac
		# Evidence that nobody saw written may have been written.
		[ "$1" != record ] || code=3
		lost=$1
		fail_line "$2" stage_died "$code" "$(how_it_died "$2" "$3")"
		report "$1" "$code" "$4"
	fi
	worst=$(worse "$worst" "$code")
	[ "$code" -eq 0 ] && return
	[ -n "$failed" ] || ! has error || failed=1
	return 1
}

# stage LABEL LIMIT PROGRAM [ARGUMENT ...] - run it on the line; fails unless it said yes. It has a session of its own, so that
# a terminal's signals reach it once, through us.
stage() {
	label=$1 limit=$2 began=$(now)
	shift 2
	if [ -n "$signal" ]; then
		fail_line "$program" interrupted "$(signal_status)" "$label: not begun, since SIG$signal came"
		return 1
	elif ! command -v "$1" >/dev/null; then
		fail_line "$1" program_missing 127 "$1 is not installed"
		return 1
	fi
	setsid timeout --foreground -k "$KILL_AFTER" "$limit" "$@" <"$dir/line" >"$dir/next" &
	child=$!
	[ -z "$signal" ] || kill -TERM "$child" 2>/dev/null
	await "$child"
	status=$?
	child=
	finish "$label" "$1" "$status" "$began"
}

# shielded PROGRAM [ARGUMENT ...] - what must act whatever signals come: it never sees them, and is bounded by TEARDOWN_LIMIT
shielded() {
	# The shell gives a background command no standard input but one that is named.
	{ safely setsid timeout --foreground -k "$KILL_AFTER" "$TEARDOWN_LIMIT" "$@" <&7 7<&- & } 7<&0
	await $!
}

# act LABEL PROGRAM [ARGUMENT ...] - a stage that must act
act() {
	label=$1 began=$(now)
	shift
	shielded "$@" <"$dir/line" >"$dir/next"
	finish "$label" "$1" "$?" "$began"
}

# teardown PROVIDER - remove the run's sandbox. A create that died, or is in doubt, may have made one that the line does not know:
# its run's label finds it.
teardown() {
	if has sandbox; then
		act teardown "$1" rm ${talk:+"$talk"}
		has teardown && return
	elif [ "$lost" != create ] && ! safely jq -e '.error.status == 3' "$dir/line" >/dev/null; then
		return
	fi
	if shielded "$1" rm --run "$run" >/dev/null; then
		append teardown '{"confirmed":true,"result":"confirmed"}'
	else
		worst=3
		append teardown '{"confirmed":false,"result":"unconfirmed"}'
	fi
}
