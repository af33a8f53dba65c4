# world.sh - sourced in the sandbox that tests/world.bash makes
# shellcheck shell=sh

state=/tmp/mozaiks-preview

until_true() {
	until "$@"; do sleep 0.02; done
}

# logged WORDS - has the supervisor noted them?
logged() {
	grep -qsF "$1" $state/runtime.log
}

# begin [OPTION ...] - start in the background, where sh would have INT ignored; `ended` waits for its end, and shows its words and its status
begin() {
	env --default-signal=INT sbx-supervise "$@" start 2>/tmp/err &
	supervisor=$!
}

ended() {
	status=0
	wait "$supervisor" || status=$?
	cat /tmp/err
	echo "status $status"
}

# up - begin, and wait until the last service is ready
up() {
	begin "$@"
	until_true logged 'frontend: ready'
}

left() {
	/usr/bin/python3 /w/world_left.py
}

pid_of() {
	cat "/tmp/pid.$1"
}
