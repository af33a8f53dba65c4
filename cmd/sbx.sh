#!/bin/sh
# sbx - run a program of the toolkit, or list them all
set -eu

share=${SBX_SHARE:-@SHAREDIR@}

list() {
	echo 'usage: sbx [-h | -V | NAME [ARGUMENT ...]]'
	echo
	echo 'Run a program of the toolkit, or list them all.'
	echo
	# In the build tree the list lies beside bin/, installed it lies in share/.
	for file in "$(dirname "$0")/../programs" "$share/programs"; do
		if [ -r "$file" ]; then
			awk -F '\t' '$1 != "sbx" { printf "  %-14s %s\n", $1, $2 }' "$file"
			break
		fi
	done
	echo
	echo 'The manual page sbx(7) is the tour; NAME -h is short help.'
}

case ${1--h} in
-h | --help)
	list
	exit ;;
-V | --version)
	echo 'sbx (sbx) @VERSION@'
	exit ;;
-*)
	echo "sbx: unknown option '$1' (see sbx -h)" >&2
	exit 2 ;;
esac

name=sbx-$1
shift
if ! command -v "$name" >/dev/null; then
	echo "sbx: $name: no such program (sbx lists them)" >&2
	exit 2
fi
exec "$name" "$@"
