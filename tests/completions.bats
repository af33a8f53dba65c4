#!/usr/bin/env bats
# completions - bash completes what the programs say they take

load common

# complete WORD ... - what could stand for the last word, sorted, on one line
complete_words() {
	bash -c '. "$0/contrib/completions/sbx.bash"
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_sbx && printf "%s\n" "${COMPREPLY[@]}"' "$TOP" "$@" | sort | paste -sd' '
}

@test "options are those of -h, for every program" {
	local program
	for program in $(ls "$BUILD/bin"); do
		[ "$program" = sbx ] && continue
		assert_equal "$(complete_words "$program" --)" \
		    "$("$program" -h | grep -oE '^ +(-., )?--[a-z0-9-]+' | grep -oE -- '--.*' | sort | paste -sd' ')"
	done
}

@test "names after sbx, verbs as first operand, files otherwise" {
	assert_equal "$(complete_words sbx ver)" verdict
	assert_equal "$(complete_words sbx resolve --str)" --strategy
	assert_equal "$(complete_words sbx-resolve '')" 'preview validation'
	assert_equal "$(complete_words sbx-docker r)" rm
	assert_equal "$(complete_words sbx-docker rm r)" ''
	assert_equal "$(complete_words sbx-stage '')" ''
	assert_equal "$(complete_words sbx-e2b template --conf)" --confirm-paid-build
	assert_equal "$(complete_words sbx e2b -v template --mem)" --memory-mb
	assert_equal "$(complete_words sbx-e2b rm --orph)" --orphans
}

@test "every program has its completion" {
	run bash -c '. "$0/contrib/completions/sbx.bash"; complete -p sbx sbx-stage sbx-validate' "$TOP"
	assert_success
	refute_output --partial 'no completion'
}
