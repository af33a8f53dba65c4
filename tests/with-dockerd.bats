#!/usr/bin/env bats
# with-dockerd - an Engine for a command, whose own one goes when the last command ends

bats_require_minimum_version 1.5.0
load common

# The private Engines of these tests live in a network of their own, where they can't touch the rules of another.
setup() {
	common_setup
	require_docker
	[ "$(id -u)" -eq 0 ] || skip "only root can start a private Engine"
	own=$BATS_TEST_TMPDIR/root
	name=sbx$(printf %s "$own" | cksum | cut -d' ' -f1)
	socket=/run/$name/docker.sock
	unshare --net sleep 300 3>&- &
	net=$!
	until [ "$(readlink "/proc/$net/ns/net")" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
	# As on a machine where no Engine answers; each word of it is a program that becomes the next.
	alone=(nsenter --target "$net" --net unshare --mount sh -c '
		[ ! -S /var/run/docker.sock ] || mount --bind /dev/null /var/run/docker.sock
		exec "$@"' sh env --default-signal=INT -u SBX_DOCKER_SOCKET -u XDG_RUNTIME_DIR SBX_DOCKERD_ROOT="$own")
}

teardown() {
	[ -n "${net:-}" ] || return 0
	kill ${first:-} ${pid:-} 2>/dev/null || :
	[ "$(engines)" = 0 ] || "${alone[@]}" "$TOP/contrib/with-dockerd" true
	kill "$net"
	rm -rf "/run/$name"
}

# In the background, its process id in $pid, once its command runs.
start() {
	"${alone[@]}" "$TOP/contrib/with-dockerd" sh -c "touch '$BATS_TEST_TMPDIR/$1'; exec sleep 120" 3>&- &
	pid=$!
	until [ -e "$BATS_TEST_TMPDIR/$1" ]; do kill -0 "$pid" || return 1; sleep 0.1; done
}

engines() {
	ps -C dockerd -o args= | grep -cF -e "--pidfile=/run/$name/dockerd.pid" || :
}

assert_nothing_left() {
	assert_equal "$(engines)" 0
	run nsenter --target "$net" --net ip -br link show type bridge
	assert_output ''
	run nsenter --target "$net" --net iptables -S
	refute_output --partial "$name"
	run grep -e " $own/" -e " /run/$name/" /proc/mounts
	assert_output ''
	assert_not_exist "$socket"
}

@test "an Engine that answers is used as it is" {
	run "$TOP/contrib/with-dockerd" sh -c 'echo "$SBX_DOCKER_SOCKET"; exit 7'
	assert_failure 7
	assert_output "$SBX_DOCKER_SOCKET"
}

@test "a setting that leads nowhere is refused, not worked around" {
	SBX_DOCKER_SOCKET=$BATS_TEST_TMPDIR/none run "$TOP/contrib/with-dockerd" true
	assert_failure 125
	assert_output "with-dockerd: no Docker Engine answers at SBX_DOCKER_SOCKET ($BATS_TEST_TMPDIR/none)"
	run "$TOP/contrib/with-dockerd"
	assert_failure 125
	assert_output 'usage: with-dockerd CMD [ARG ...]'
}

@test "a private Engine serves the command and goes with it; its data root stays" {
	echo input | "${alone[@]}" "$TOP/contrib/with-dockerd" sh -c 'echo "$SBX_DOCKER_SOCKET"; cat
		curl -q -s --noproxy "*" --unix-socket "$SBX_DOCKER_SOCKET" http://engine/_ping; ip -br link show type bridge
		exit 9' >"$BATS_TEST_TMPDIR/out" && false || assert_equal "$?" 9
	run cat "$BATS_TEST_TMPDIR/out"
	assert_line --index 0 "$socket"
	assert_line --index 1 input
	assert_line --index 2 --regexp "^OK *$name "
	assert_nothing_left
	assert_dir_exist "$own/overlay2"
}

@test "a command that is not there is 127, as with env" {
	run -127 "${alone[@]}" "$TOP/contrib/with-dockerd" "$BATS_TEST_TMPDIR/nonesuch"
	assert_nothing_left
}

@test "TERM and INT end the command and the Engine" {
	for signal in TERM INT; do
		start "$signal"
		kill -"$signal" "$pid"
		wait "$pid" && status=0 || status=$?
		assert_equal "$status" "$((128 + $(kill -l "$signal")))"
		assert_nothing_left
	done
}

@test "a second command joins the Engine, and the last to leave stops it" {
	start first
	first=$pid
	start second
	assert_equal "$(engines)" 1
	kill "$first"
	wait "$first" || :
	assert_equal "$(engines)" 1
	kill "$pid"
	wait "$pid" || :
	assert_nothing_left
}

@test "one that was killed leaves its Engine to the next, who stops it" {
	start killed
	kill -KILL "$pid"
	wait "$pid" || :
	assert_equal "$(engines)" 1
	run "${alone[@]}" "$TOP/contrib/with-dockerd" true
	assert_success
	assert_nothing_left
}

@test "TERM while the Engine is still starting leaves nothing either" {
	for delay in 0.1 0.3 0.6 1; do
		"${alone[@]}" "$TOP/contrib/with-dockerd" sleep 120 3>&- &
		pid=$!
		sleep "$delay"
		kill "$pid"
		wait "$pid" && status=0 || status=$?
		assert_equal "$status" 143
		assert_nothing_left
	done
}
