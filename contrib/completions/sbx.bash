# sbx.bash - bash completion for all programs of the toolkit
#
# What can be completed is asked of the programs when it is needed: options and verbs are what `NAME -h` says, names what
# `sbx -h` says. So this file knows none of them.

_sbx_words() {
	local program=$1 current=$2 first=$3 verb=$4 help
	# A verb may have options of its own. Behind -h no word is ever carried out.
	help=$("$program" -h "$verb" 2>/dev/null) || return 0
	if [[ $current == -* ]]; then
		compgen -W "$(grep -oE '^ +(-., )?--[a-z0-9-]+' <<<"$help" | grep -oE -- '--[a-z0-9-]+')" -- "$current"
	elif [[ -n $first ]]; then
		# "usage: sbx-docker [option ...] create": operands in lower case are verbs, others are placeholders.
		compgen -W "$(sed -nE 's/^(usage:|      ) [^ ]+ (\[option \.\.\.\] )?([a-z][a-z|]*).*/\3/p' <<<"$help" | tr '|' '\n')" \
		    -- "$current"
	fi
}

_sbx() {
	local program=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} first=1 verb='' i start=1
	compopt -o default
	if [[ $program == sbx ]]; then
		if [[ $COMP_CWORD -eq 1 ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(sbx -h 2>/dev/null | sed -n 's/^  sbx-\([^ ]*\).*/\1/p')" -- "$current")
			return
		fi
		program=sbx-${COMP_WORDS[1]}
		start=2
	fi
	for ((i = start; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} == -* ]] || { verb=${verb:-${COMP_WORDS[i]}} first=; }
	done
	mapfile -t COMPREPLY < <(_sbx_words "$program" "$current" "$first" "$verb")
}

# shellcheck disable=SC2046 # program names are words
complete -F _sbx sbx $(compgen -c sbx- | sort -u)
