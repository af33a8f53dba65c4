# common - what every test file loads: the built programs first in PATH, a state directory of the test's own

bats_require_minimum_version 1.5.0
bats_load_library bats-support
bats_load_library bats-assert
bats_load_library bats-file

# Names outside ASCII stand in the tests, whatever the locale of who runs them.
export LC_ALL=C.UTF-8
TOP=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
export BUILD=${BUILD:-$TOP/build}

# A private world for one test: nothing of the operator's environment reaches the programs but what is named here.
common_setup() {
	PATH=$BUILD/bin:$PATH
	SBX_STATE=$BATS_TEST_TMPDIR/state
	SBX_SHARE=$TOP/share
	export PATH SBX_STATE SBX_SHARE
	unset SBX_STORE MOZAIKS_APP_VALIDATION_STRATEGY MOZAIKS_PREVIEW_PROVIDER E2B_API_KEY DOCKER_HOST DOCKER_CONTEXT
}

setup() {
	common_setup
}

# start_line [STRATEGY [RUN]] - the line that a chain begins with
start_line() {
	printf '{"sbx":1,"run":"%s","purpose":"app_validation","strategy":{"name":"%s","source":"argument","reason":"test"}}\n' \
	    "${2:-$(new_run)}" "${1:-docker}"
}

new_run() {
	od -An -N16 -tx1 /dev/urandom | tr -d ' \n'
}

# The Engine that contrib/with-dockerd or the machine provides. Where SBX_REQUIRE=all is not set, a machine without one may
# still run the other tests; CI sets it, and then a missing Engine is a failure.
require_docker() {
	: "${SBX_DOCKER_SOCKET:=/var/run/docker.sock}"
	export SBX_DOCKER_SOCKET
	docker_api GET /_ping >/dev/null 2>&1 && return 0
	[ "${SBX_REQUIRE:-}" != all ] || { echo "no Engine answers at $SBX_DOCKER_SOCKET" >&2; return 1; }
	skip "no Engine answers at $SBX_DOCKER_SOCKET"
}

# Where no local sandbox can be confined, other tests may still run; CI sets SBX_REQUIRE=all, and then that is a failure.
require_local() {
	[ "$(id -u)" -eq 0 ] && command -v bwrap >/dev/null && command -v npm >/dev/null && return 0
	[ "${SBX_REQUIRE:-}" != all ] || { echo "root, bubblewrap and npm are needed" >&2; return 1; }
	skip "root, bubblewrap and npm are needed"
}

# stand_in_shell DIR - a shell for local sandboxes that has little in it but what they look for; its node fails on a page that
# holds the word BROKEN
stand_in_shell() {
	mkdir -p "$1/bin" "$1/web_shell/node_modules/vite/bin"
	: >"$1/web_shell/node_modules/vite/bin/vite.js"
	printf '#!/bin/sh\nexec python3 "$@"\n' >"$1/bin/python"
	printf '#!/bin/sh\n! grep -r BROKEN /workspace/app/pages\n' >"$1/bin/node"
	chmod 755 "$1"/bin/*
	chmod -R a+rX "$1"
}

# docker_api METHOD PATH [CURL-OPTION ...] - ask the Engine behind the programs' back
docker_api() {
	local method=$1 path=$2
	shift 2
	curl -q -sS --fail-with-body --noproxy '*' --max-time 30 --unix-socket "$SBX_DOCKER_SOCKET" -X "$method" "$@" \
	    "http://localhost/v1.41$path"
}

# containers_of RUN - how many containers, in any state, carry that run's label
containers_of() {
	docker_api GET "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22sbx.run%3D$1%22%5D%7D" | jq length
}
