#!/usr/bin/env bats
# bootstrap - what it finds missing, what it installs, and that it does so once

load common

# A machine of our own making: $BATS_TEST_TMPDIR/installed names its packages, and every call that would change it is recorded.
setup() {
	common_setup
	fakes=$BATS_TEST_TMPDIR/bin
	calls=$BATS_TEST_TMPDIR/calls
	installed=$BATS_TEST_TMPDIR/installed
	mkdir -p "$fakes"
	: >"$calls"
	fake dpkg-query 'grep -qx "$4" "$INSTALLED" && echo installed'
	fake apt-get 'echo "apt-get $*" >>"$CALLS"'
	fake make 'echo "make $*" >>"$CALLS"'
	fake id 'echo "${AS_UID:-0}"'
	export CALLS=$calls INSTALLED=$installed
	PATH=$fakes:$PATH
	sed -n '/_packages="/,/"/p' "$TOP/contrib/bootstrap" | tr -d '"' | sed 's/.*=//' | tr -s ' \t' '\n' | grep . >"$installed"
}

fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$fakes/$1"
	chmod +x "$fakes/$1"
}

@test "nothing is missing: -n is silent, and build installs nothing" {
	run sh "$TOP/contrib/bootstrap" -n
	assert_success
	assert_output ''
	run sh "$TOP/contrib/bootstrap" build
	assert_success
	refute_output --partial installing
	run cat "$calls"
	assert_output --regexp '^make -j[0-9]+$'
}

@test "-n lists what is missing, and only for the named goal" {
	sed -i '/^jq$/d; /^zip$/d; /^bats$/d' "$installed"
	run sh "$TOP/contrib/bootstrap" -n build
	assert_success
	assert_output jq
	run sh "$TOP/contrib/bootstrap" -n demo
	assert_output "$(printf 'jq\nzip')"
	run sh "$TOP/contrib/bootstrap" -n
	assert_output "$(printf 'bats\njq\nzip')"
	run cat "$calls"
	assert_output ''
}

@test "it says what it installs, installs just that, and then builds" {
	sed -i '/^jq$/d; /^gcc$/d' "$installed"
	run sh "$TOP/contrib/bootstrap" build
	assert_success
	assert_line 'bootstrap: installing gcc jq'
	run cat "$calls"
	assert_line --index 0 'apt-get -qq update'
	assert_line --index 1 'apt-get -qq -y --no-install-recommends install gcc jq'
	assert_line --index 2 --regexp '^make -j[0-9]+$'
}

@test "npm and an Engine are installed only where the machine has none" {
	grep -vx 'docker.io\|npm' "$installed" >"$installed.new" && mv "$installed.new" "$installed"
	fake npm true
	fake dockerd true
	run sh "$TOP/contrib/bootstrap" -n demo
	assert_output ''
	rm "$fakes/npm" "$fakes/dockerd"
	ln -s /usr/bin/env /bin/sh "$fakes"
	for tool in dirname sort tr grep; do ln -s "$(command -v $tool)" "$fakes"; done
	PATH=$fakes run sh "$TOP/contrib/bootstrap" -n demo
	assert_output "$(printf 'docker.io\nnpm')"
}

@test "without root it names what is missing and stops" {
	sed -i '/^jq$/d' "$installed"
	AS_UID=1000 run sh "$TOP/contrib/bootstrap" build
	assert_failure 2
	assert_output 'bootstrap: only root can install what is missing: jq'
	run cat "$calls"
	assert_output ''
}

@test "anything else is a usage error" {
	for words in '' 'install' 'build demo' '-n install' '-x'; do
		# shellcheck disable=SC2086 # a list of words
		run sh "$TOP/contrib/bootstrap" $words
		assert_failure 2
		assert_output 'usage: bootstrap [-n] demo|check|build'
	done
}
