#!/bin/sh
# sbx-validate - validate a bundle once, from the archive to the evidence, and leave nothing behind
set -u

program=sbx-validate
title='validate a bundle once, from the archive to the evidence, and leave nothing behind'
operands='FILE|DIR'
table='sha256|HEX|the SHA-256 that the archive must have
profile|NAME|whose checks to run (mozaiks)
strategy|WORD|where to build, when the operator leaves the choice: e2b, docker, local or skip
timeout|SECONDS|the time that the sandbox and each of its checks have (120)
answer|REQUEST|the bundle is the answer to that request for a repair
inventory|FILE|the approved tasks: who may be asked to repair what failed
format|FORMAT|write what was found for a CI system, too: jsonl, sarif, junit or github
output|FILE|where that goes (standard error)'

# shellcheck source=lib/workflow.sh # make puts it here
. workflow.sh

ALLOWANCE=60 # seconds that a stage has beyond what its own work is limited to

# One-shot runs on a hosted sandbox cost money by the minute, so the operator's E2B_TIMEOUT caps what was asked for.
cap_timeout() {
	[ "$strategy" = e2b ] && [ -n "${E2B_TIMEOUT:-}" ] || return 0
	case $E2B_TIMEOUT in
	*[!0-9]* | 0* | ??????*)
		fail_line "$program" setting_invalid 2 "E2B_TIMEOUT: must be a whole number above 0, not '$E2B_TIMEOUT'"
		return 1 ;;
	esac
	[ "$timeout" -le "$E2B_TIMEOUT" ] || timeout=$E2B_TIMEOUT
}

resolve() {
	stage resolve "$ALLOWANCE" sbx-resolve ${talk:+"$talk"} ${opt_strategy+--strategy "$opt_strategy"} validation
	resolved=$?
	# Without a run's id its failure could not be recorded.
	has run || append run "\"$(safely od -An -N16 -tx1 /dev/urandom | tr -d ' \n')\""
	run_name
	strategy=$(safely jq -r '.strategy.name // empty' "$dir/line")
	return "$resolved"
}

# A bundle that was refused is an answer, too.
take() {
	stage stage "$ALLOWANCE" sbx-stage ${talk:+"$talk"} \
		${opt_profile+--profile "$opt_profile"} ${opt_sha256+--sha256 "$opt_sha256"} -- "$1"
	taken=$?
	[ -z "${opt_answer+set}" ] || stage answer "$ALLOWANCE" sbx-verdict ${talk:+"$talk"} --answer "$opt_answer" || return
	return "$taken"
}

# Acceptance that could not be decided does not keep the build from being tried; whether it keeps the run from being ready is for
# the verdict to say, since there are profiles that do without.
accept() {
	before=$worst
	stage accept "$ALLOWANCE" sbx-accept ${talk:+"$talk"} && return
	safely jq -e '(has("error") | not) and .acceptance.status == "pending"' "$dir/line" >/dev/null || return
	worst=$before
}

build() {
	provider=sbx-$strategy
	stage create $((timeout + ALLOWANCE)) "$provider" create ${talk:+"$talk"} --timeout "$timeout" &&
		stage put $((timeout + ALLOWANCE)) "$provider" put ${talk:+"$talk"} || return
	stage check $((timeout + ALLOWANCE)) sbx-check ${talk:+"$talk"} --timeout "$timeout"
	if [ -z "$signal" ] && has steps; then
		stage diagnose "$ALLOWANCE" sbx-diagnose ${talk:+"$talk"}
	fi
}

# What the verdict says to people; the build's own words are untrusted, so they lose what a terminal would obey.
summary() {
	# shellcheck disable=SC2016 # the dollar is jq's
	safely jq -r --arg program "$program" '
		"\($program): \(.verdict.readiness)", (.verdict.reasons[] | "\($program): \(.message)"),
		((.result.bundle_repair // .verdict.bundle_repair).repair_request // empty
			| "\($program): task \(.task_id) is asked to repair it, request \(.request_id)"),
		(.verdict.repair.blocks[]? | select(.reason != "inventory_absent") | "\($program): no repair: \(.message)"),
		(select(any(.steps[]?; .status == "failed" or .status == "timed_out")) | .result.build_output
			| gsub("\u001b\\[[0-?]*[ -/]*[@-~]"; "") | gsub("[\u0000-\u0009\u000b-\u001f\u007f-\u009f]"; " ")
			| split("\n") | .[-40:][] | "\($program): | \(.)")' "$dir/line" >&2
}

# The line's own error is what sbx-diagnose ends with, too. In a file what it wrote is there whole or not at all.
present() {
	shielded sbx-diagnose ${talk:+"$talk"} --format "$opt_format" <"$dir/line" >"$dir/found"
	told=$?
	if [ "$told" -ne 0 ] && [ "$told" != "$(safely jq '.error.status' "$dir/line")" ]; then
		say "$opt_format: not written"
		return "$told"
	elif [ -n "${opt_output+set}" ]; then
		safely cp -- "$dir/found" "$opt_output.new" && safely mv -- "$opt_output.new" "$opt_output"
	else
		safely cat "$dir/found" >&2
	fi || return 2
}

check_options() {
	option_seconds timeout "$timeout"
	case ${opt_format-jsonl} in
	jsonl | sarif | junit | github) ;;
	*) usage_error "--format takes jsonl, sarif, junit or github, not '$opt_format'" ;;
	esac
	[ -z "${opt_output+set}" ] || [ -n "${opt_format+set}" ] || usage_error '--output goes with --format'
	case ${opt_answer-0} in
	'' | *[!0-9a-f]*) usage_error "--answer takes a request_id, not '$opt_answer'" ;;
	esac
	[ -z "${opt_answer+set}" ] || [ -n "${opt_inventory+set}" ] || usage_error '--answer goes with --inventory'
	[ -z "${opt_inventory+set}" ] || [ -r "$opt_inventory" ] || usage_error "--inventory: '$opt_inventory' can't be read"
}

validate() {
	[ $# -eq 1 ] || usage_error 'which bundle? one file or directory'
	timeout=${opt_timeout-120}
	check_options

	run_begin
	if resolve && cap_timeout && take "$1" && accept && [ "$strategy" != skip ]; then
		build
		teardown "$provider"
	fi
	act verdict sbx-verdict ${talk:+"$talk"} ${opt_inventory+--inventory "$opt_inventory"}
	act record sbx-record ${talk:+"$talk"}
	[ -n "$quiet" ] || ! has verdict || summary
	[ -z "${opt_format+set}" ] || present || worst=$(worse "$worst" "$?")
	run_end
}

workflow_main validate "$@"
