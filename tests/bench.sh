# bench.sh - sourced by the benches: run commands in turn, at least 11 times each, and print medians, spreads and ratios
# shellcheck shell=sh

: "${BENCH_RUNS:=11}"

# bench_compare TITLE COMMAND OTHER-COMMAND ... - the ratio is of each to the last one, which is what a user would pick instead.
# The commands take turns, so that what else the machine does falls on all alike.
bench_compare() {
	bench_title=$1
	shift
	bench_dir=$(mktemp -d)
	bench_run=0
	while [ "$bench_run" -lt "$BENCH_RUNS" ]; do
		bench_i=0
		for bench_command; do
			bench_i=$((bench_i + 1))
			env time -f '%e %U %S %M' -a -o "$bench_dir/$bench_i" sh -c "$bench_command" >/dev/null 2>"$bench_dir/stderr" || {
				cat "$bench_dir/stderr" >&2
				echo "bench: failed: $bench_command" >&2
				rm -rf "$bench_dir"
				return 1
			}
		done
		bench_run=$((bench_run + 1))
	done
	printf '%s (%s runs each)\n' "$bench_title" "$BENCH_RUNS"
	printf '    %9s %17s %9s %9s  %-6s %s\n' 'median s' 'spread s' 'CPU s' 'peak MB' ratio command
	bench_last=$(bench_median "$bench_dir/$#" 1)
	bench_i=0
	for bench_command; do
		bench_i=$((bench_i + 1))
		awk -v m="$(bench_median "$bench_dir/$bench_i" 1)" -v last="$bench_last" -v c="$bench_command" '
			{ cpu[NR] = $2 + $3; if ($4 > peak) peak = $4; if (NR == 1 || $1 < lo) lo = $1; if ($1 > hi) hi = $1 }
			END {
				n = asort_simple(cpu)
				printf "    %9.3f %8.3f-%8.3f %9.3f %9.1f  %-6.2f %.70s\n", m, lo, hi, cpu[int((n + 1) / 2)], peak / 1024, m / last, c
			}
			function asort_simple(a,  i, j, t, n) {
				n = NR
				for (i = 2; i <= n; i++) for (j = i; j > 1 && a[j - 1] > a[j]; j--) { t = a[j]; a[j] = a[j - 1]; a[j - 1] = t }
				return n
			}' "$bench_dir/$bench_i"
	done
	rm -rf "$bench_dir"
}

bench_median() {
	sort -n -k "$2,$2" "$1" | awk -v k="$2" '{ v[NR] = $k } END { print v[int((NR + 1) / 2)] }'
}
