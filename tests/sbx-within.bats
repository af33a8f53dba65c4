#!/usr/bin/env bats
# sbx-within - a command, all that comes of it, and their common end

load common

setup() {
	common_setup
	# In the arguments of every process that a test leaves: nobody else's have it.
	mark=1$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')
}

teardown() {
	pgrep -fx "sleep $mark" | xargs -r kill -KILL
}

# How many of the test's processes live, zombies included.
living() {
	pgrep -fxc "sleep $mark" || true
}

# within_starts OPTION ... COMMAND - starts it in the background and waits until its processes are there
within_starts() {
	sbx-within "$@" 3>&- &
	within=$!
	for _ in $(seq 100); do
		[ "$(living)" = 0 ] || return 0
		sleep 0.05
	done
	return 1
}

# Shells that outlive their children would hide the sleeps' parents, so each is started as a daemon would be.
daemons() {
	cat <<-END
		sleep $mark &
		setsid sleep $mark &
		(setsid sh -c 'sleep $mark & exit' &)
		(sh -c '(sleep $mark &)' &)
		nohup sleep $mark >/dev/null 2>&1 &
		sh -c 'trap "" TERM HUP INT; sleep $mark; sleep $mark' &
	END
}

@test "the command's own exit status, output and input" {
	run --separate-stderr sbx-within -- sh -c 'cat; echo err >&2; exit 7' <<<in
	assert_failure 7
	assert_output in
	assert_equal "$stderr" err
	run sbx-within true
	assert_success
}

@test "126, 127 and 128+n as env(1) has them" {
	run -127 sbx-within nosuchcommand
	assert_output --regexp '^sbx-within: nosuchcommand: '
	run -126 sbx-within /etc/passwd
	run -137 sbx-within sh -c 'kill -KILL $$'
	run -143 sbx-within sh -c 'kill $$'
}

@test "arguments reach the command untouched, options behind it too" {
	run sbx-within -t 5 printf '<%s>' -t 'a b' '' --
	assert_output '<-t><a b><><-->'
}

@test "what the command leaves behind ends with it, however it was started" {
	run sbx-within sh -c "$(daemons)
		sleep 0.3; exit 3"
	assert_failure 3
	assert_equal "$(living)" 0
}

@test "the time limit ends the tree: 124" {
	run sbx-within -t 1 sh -c "$(daemons)
		trap '' TERM; sleep $mark; sleep $mark"
	assert_failure 124
	assert_output --partial 'time limit of 1 s reached'
	assert_equal "$(living)" 0
}

@test "the tree has a second to go in peace" {
	run sbx-within -t 1 sh -c "trap 'echo bye; exit 0' TERM; sleep $mark & wait"
	assert_failure 124
	assert_line bye
}

@test "a signal ends the tree: 128+n" {
	for signal in TERM HUP; do
		local status=0
		within_starts sh -c "$(daemons)
			sleep $mark"
		kill -"$signal" "$within"
		wait "$within" || status=$?
		assert_equal "$status" "$(kill -l "$signal" | sed 's/^/128+/' | bc)"
		assert_equal "$(living)" 0
	done
}

@test "a second signal ends it at once" {
	local status=0
	within_starts sh -c "trap '' TERM; sleep $mark; sleep $mark"
	kill -TERM "$within"
	sleep 0.2
	kill -TERM "$within"
	wait "$within" || status=$?
	assert_equal "$status" 143
}

@test "processes that fork faster than they are killed are ended all the same" {
	run sbx-within -t 1 sh -c "f() { sleep $mark & (f &) ; sleep 0.05; f; }; f" 2>/dev/null
	assert_failure 124
	assert_equal "$(living)" 0
}

@test "no zombies while it runs: orphans are reaped" {
	within_starts sh -c "for i in \$(seq 50); do (sh -c 'sleep 0.01 &' &); done; sleep $mark"
	# What became an orphan came to it, and its command alone stays.
	for _ in $(seq 200); do [ "$(ps -o pid= --ppid "$within" | wc -l)" -ne 1 ] || break; sleep 0.05; done
	assert_equal "$(ps -o pid= --ppid "$within" | wc -l)" 1
	kill -TERM "$within"
	wait "$within" || true
}

@test "--watch: the end of its input ends the tree, and the command has no input" {
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	sbx-within --watch sh -c "cat; setsid sleep $mark & sleep $mark" <"$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/out" 3>&- &
	within=$! status=0
	exec 4>"$BATS_TEST_TMPDIR/fifo"
	echo ignored >&4
	for _ in $(seq 100); do [ "$(living)" -lt 2 ] || break; sleep 0.05; done
	assert_equal "$(living)" 2
	exec 4>&-
	wait "$within" || status=$?
	assert_equal "$status" 129
	assert_equal "$(living)" 0
	assert_equal "$(cat "$BATS_TEST_TMPDIR/out")" ''
}

@test "--watch: the command that ends first has the say" {
	run sbx-within -w sh -c 'exit 5' < <(sleep 2)
	assert_failure 5
}

@test "bad use is one sentence and 2" {
	for words in '' '-t 0 true' '-t x true' '--nosuch true'; do
		# shellcheck disable=SC2086
		run sbx-within $words
		assert_failure 2
		assert_equal "${#lines[@]}" 1
	done
}

@test "the one for images is static, and the same program" {
	run file -b "$BUILD/image/sbx-within"
	assert_output --regexp 'statically linked|static-pie linked'
	run "$BUILD/image/sbx-within" -t 1 sleep "$mark"
	assert_failure 124
}

@test "the group that a program left when it was killed goes with the next; others stay" {
	local own dead
	own=$(awk -F: '$1 == 0 { print $3 }' /proc/self/cgroup)
	own=$(stat -f -c %T /sys/fs/cgroup | grep -q cgroup2 && echo /sys/fs/cgroup || echo /sys/fs/cgroup/unified)${own%/}
	sh -c 'exit' & dead=$!
	wait "$dead"
	if ! mkdir "$own/sbx-$dead"; then
		echo "# no group of version 2 can be made here: nothing can be left" >&3
		return 0
	fi
	mkdir "$own/sbx-$$" "$own/sbx-${dead}x"
	sbx-within true
	run ls -d "$own/sbx-$dead" "$own/sbx-$$" "$own/sbx-${dead}x"
	rmdir "$own/sbx-$$" "$own/sbx-${dead}x"
	assert_output --partial "'$own/sbx-$dead': No such file"
	assert_line "$own/sbx-$$"
	assert_line "$own/sbx-${dead}x"
}
