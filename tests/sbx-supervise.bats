#!/usr/bin/env bats
# sbx-supervise - services start one after the other and end together, whatever happens to them

load common
load world

setup() {
	common_setup
	world_setup
}

# What one run said, without its leading words.
words() {
	sed -n 's/^sbx-supervise: //p' <<<"$output"
}

@test "start: each is ready before the next; stop: in reverse order; both end with 0 and nothing is left" {
	run world 'up -v; for name in postgres backend frontend; do kill -0 $(pid_of $name); done
		sbx-supervise stop; echo "stop $?"; ended; left; ls $state; cat $state/logs/backend.log'
	assert_success
	assert_equal "$(words | sed 's/after [0-9]* ms/after N ms/')" "$(cat <<-'END'
		postgres: ready after N ms
		backend: ready after N ms
		frontend: ready after N ms
		frontend: ended
		backend: ended
		postgres: ended
		supervisor: stopped, as it was asked to
	END
	)"
	assert_equal "$(grep -v '^sbx-supervise: ' <<<"$output")" "$(printf 'stop 0\nstatus 0\nlogs\nruntime.log\nbackend is up')"
}

@test "INT and HUP stop it as TERM does; stop without a start is fine" {
	for signal in INT HUP; do
		run world "up; kill -$signal \$supervisor; ended; left"
		assert_output 'status 0'
	done
	run world 'sbx-supervise stop'
	assert_success
	assert_output ''
}

# fails STEP WORDS - the run ends with 1 and these words, names no service after STEP, leaves nothing
fails() {
	run world 'begin -v; ended; left; ls $state'
	assert_line "status 1"
	assert_line --regexp "^sbx-supervise: start: $1: $2"
	assert_equal "$(sed '1,/^status/d' <<<"$output")" "$(printf 'logs\nruntime.log')"
	case $1 in
	postgres) refute_line --partial backend ;;
	backend) refute_line --partial frontend ;;
	esac
}

@test "each step that fails ends the start, and it says which and why" {
	for step in postgres backend frontend; do
		services postgres backend frontend
		service "$step" '.argv = ["sh", "-c", "echo first words; echo last words; exit 3"]'
		fails "$step" 'ended with status 3: last words$'

		services postgres backend frontend
		service "$step" '.argv = ["sleep", "100"] | .ready_s = 1'
		fails "$step" 'was not ready 1 s after its start: 127\.0\.0\.1:[0-9]+: nobody '
	done
	services postgres backend frontend
	service postgres '.argv = ["sh", "-c", "exit 255"]'
	fails postgres 'ended with status 255$'
	service postgres '.argv = ["/nowhere/postgres"]'
	fails postgres 'could not be started: /nowhere/postgres: No such file or directory$'
	service postgres '.argv = ["true"] | .cwd = "/nowhere"'
	fails postgres 'could not be started: /nowhere: No such file or directory$'
	services postgres backend frontend
	service backend '.ready = {"http": "http://127.0.0.1:8000/api/health", "status": 418} | .ready_s = 1'
	fails backend 'was not ready 1 s after its start: .*200'
	service backend '.ready = {"command": ["sh", "-c", "exit 7"]}'
	fails backend 'was not ready 1 s after its start: sh ended with status 7$'
}

@test "readiness: a status that is asked for, a command that comes to say yes" {
	service postgres '.ready = {"command": ["sh", "-c", "[ -e /tmp/asked ] || { touch /tmp/asked; exit 1; }"]}'
	service backend '.ready = {"http": "http://127.0.0.1:8000/api/health?x=1", "status": 503} | .env = {"SICK_backend": "/api/health?x=1"}'
	run world 'up -v; ls /tmp/asked; kill $supervisor; ended'
	assert_line --partial 'backend: ready'
	assert_line 'status 0'
}

@test "a service that ends, even with 0, ends all: each in its turn" {
	for name in postgres backend frontend; do
		run world "up; kill -KILL \$(pid_of $name); ended; left"
		assert_output "$(printf 'sbx-supervise: start: %s: was ended by signal 9 (Killed): %s is up\nstatus 1' $name $name)"
	done
	service backend '.argv = ["sh", "-c", "/usr/bin/python3 /w/world_service.py backend 8000 & until [ -e /tmp/go ]; do sleep 0.02; done"]'
	run world 'up; touch /tmp/go; ended; left'
	assert_output "$(printf 'sbx-supervise: start: backend: ended with status 0: backend is up\nstatus 1')"
}

@test "the stop signal and the time to go are each service's own; what is left is killed" {
	service backend '.stop_signal = "USR1" | .argv = ["sh", "-c", "trap \"echo got it; exit 0\" USR1; /usr/bin/python3 /w/world_service.py backend 8000 & while :; do sleep 0.02; done"]'
	service frontend '.stop_s = 1 | .argv = ["sh", "-c", "trap \"\" TERM; /usr/bin/python3 /w/world_service.py frontend 3000 & while :; do sleep 1; done"]'
	run world 'up; sbx-supervise stop; ended; cat $state/logs/backend.log; left'
	assert_line 'sbx-supervise: frontend: was asked to end and still ran 1 s later, so it was killed'
	assert_line 'got it'
	assert_equal "${lines[-1]}" 'got it'
}

@test "daemons that a service left behind end with it, and orphans are no zombies meanwhile" {
	service backend '.argv = ["sh", "-c", "setsid sleep 1000 & (setsid sh -c \"sleep 1001 & exit\" &); nohup sleep 1002 & for i in 1 2 3 4 5 6 7 8 9; do (sleep 0.01 &); done; exec /usr/bin/python3 /w/world_service.py backend 8000"]'
	run world 'up; sleep 0.3; grep -s "^State:	Z" /proc/[0-9]*/status || true; left | grep -c "^sleep 100"; sbx-supervise stop; left; ended'
	assert_output "$(printf '3\nstatus 0')"
	run world 'up; kill -KILL $(pid_of backend); ended; left'
	assert_line --partial 'backend: was ended by signal 9'
	assert_equal "${lines[-1]}" 'status 1'
}

@test "as the first process it reaps what comes to it, and a signal still stops it" {
	WORLD_OPTIONS=(--as-pid-1)
	printf '#!/bin/sh\nwhile ! grep -qs "frontend: ready" /tmp/mozaiks-preview/runtime.log; do sleep 0.02; done
		(setsid sh -c "sleep 0.05 & exit" &); sleep 0.5; grep -h "^State:	Z" /proc/[0-9]*/status
		echo "first $(tr "\\0" " " </proc/1/cmdline)"; sbx-supervise stop; echo "stop $?"\n' >"$WORLD/bin/look"
	chmod 755 "$WORLD/bin/look"
	run world 'look & exec sbx-supervise start'
	assert_success
	assert_line 'first sbx-supervise start '
	refute_line --partial 'State'
}

@test "a second start is refused, and the first goes on" {
	run world 'up; sbx-supervise start || echo "second $?"; sbx-supervise check && echo healthy; kill $supervisor; ended'
	assert_output "$(printf 'sbx-supervise: start: /tmp/mozaiks-preview/supervisor.pid: a supervisor runs already\nsecond 1\nhealthy\nstatus 0')"
}

@test "a stale file is known by its start time: nobody is hit, and a start replaces it" {
	run world 'mkdir -m 700 $state; sleep 1000 & other=$!
		echo "$other 1" >$state/supervisor.pid; sbx-supervise stop; echo "stop $?"; ls $state; kill -0 $other
		echo "$other 1" >$state/supervisor.pid; up; sbx-supervise stop; ended; kill -0 $other; kill $other'
	assert_success
	assert_output "$(printf 'stop 0\nstatus 0')"
}

@test "pipes that an app left in the place of our files hold nobody up" {
	run world 'mkdir -m 700 -p $state/logs; mkfifo $state/supervisor.pid $state/runtime.log $state/logs/backend.log
		timeout 20 sbx-supervise stop; echo "stop $?"
		begin; until_true [ -f $state/runtime.log ]; until_true logged "frontend: ready"; sbx-supervise check && echo healthy
		sbx-supervise stop; ended; left; cat $state/logs/backend.log'
	assert_output "$(printf 'stop 0\nhealthy\nstatus 0\nbackend is up')"
}

@test "when the supervisor is killed its services end by themselves, and a later start finds room" {
	run world 'up; kill -KILL $supervisor; wait $supervisor || true; until_true eval "[ -z \"\$(left)\" ]"; ls $state
		rm $state/runtime.log; up; sbx-supervise stop; ended; left'
	assert_success
	assert_line supervisor.pid
	assert_equal "${lines[-1]}" 'status 0'
	# As long as they have not ended, no other may take their place.
	service backend '.stop_s = 3 | .argv = ["sh", "-c", "trap \"\" TERM; /usr/bin/python3 /w/world_service.py backend 8000; while :; do sleep 1; done"]'
	run world 'up; kill -KILL $supervisor; wait $supervisor || true; sbx-supervise start || echo "second $?"; sbx-supervise stop; left'
	assert_line --partial 'the supervisor in it was killed, and its services are still being ended'
	assert_line 'second 1'
	assert_equal "${lines[-1]}" 'second 1'
}

@test "when the process that looks after a service is killed, all end and nothing is left" {
	service backend '.argv = ["sh", "-c", "setsid sleep 1000 & exec /usr/bin/python3 /w/world_service.py backend 8000"]'
	run world 'up; kill -KILL $(sed -n "s/^PPid:	//p" /proc/$(pid_of backend)/status); ended; left'
	assert_output "$(printf 'sbx-supervise: start: backend: whoever looked after it was ended by signal 9 (Killed)\nstatus 1')"
}

@test "stop during start: clean, and no word of a failure" {
	service backend '.argv = ["sh", "-c", "echo $$ >/tmp/pid.backend; exec sleep 1000"]'
	run world 'begin; until_true [ -s /tmp/pid.backend ]; sbx-supervise stop; echo "stop $?"; ended; left; ls $state'
	assert_success
	assert_output "$(printf 'stop 0\nstatus 0\nlogs\nruntime.log')"
}

@test "a flood of output: the log is bounded, the service never waits, the others live" {
	service backend '.argv = ["sh", "-c", "yes \"a line of a flood\" | head -n 15000000; echo written >/tmp/done; exec /usr/bin/python3 /w/world_service.py backend 8000"] | .ready_s = 60'
	run world 'up; ls /tmp/done; sbx-supervise check && echo healthy; cat $state/logs/backend.log* | wc -c; tail -n 1 $state/logs/backend.log; kill $supervisor; ended'
	assert_success
	assert_line /tmp/done
	assert_line healthy
	assert_line 'backend is up'
	[ "$(grep -x '[0-9]*' <<<"$output")" -le 2097152 ]
	# Also of one that should end and won't.
	service backend '.stop_s = 1 | .argv = ["sh", "-c", "trap \"\" TERM; /usr/bin/python3 /w/world_service.py backend 8000 & exec yes"]'
	run world 'up; kill $supervisor; ended; left'
	assert_line --partial 'backend: was asked to end and still ran 1 s later, so it was killed'
	assert_equal "${lines[-1]}" 'status 0'
	# Also of one that ended long ago while its daemon goes on printing.
	service backend '.argv = ["sh", "-c", "yes & exec /usr/bin/python3 /w/world_service.py backend 8000"]'
	run world 'up; kill -KILL $(pid_of backend); ended; left'
	assert_line --partial 'backend: was ended by signal 9 (Killed)'
	assert_equal "${lines[-1]}" 'status 1'
}

@test "a full /tmp: what is printed is lost and told, and all goes on; a start there says so" {
	run world 'up; cat /dev/zero >/tmp/zeros 2>/dev/null || true
		sbx-supervise check && echo healthy; rm /tmp/zeros; sbx-supervise stop; ended; left'
	assert_output "$(printf 'healthy\nstatus 0')"
	service backend '.argv = ["sh", "-c", "cat /dev/zero >/tmp/zeros; seq 100000; rm /tmp/zeros; echo room; exec /usr/bin/python3 /w/world_service.py backend 8000"]'
	run world 'up; grep -a -o "sbx-supervise: [0-9]* bytes lost here" $state/logs/backend.log; tail -n 2 $state/logs/backend.log; kill $supervisor; ended'
	assert_line --regexp '^sbx-supervise: [0-9]+ bytes lost here'
	assert_line 'backend is up'
	run world 'cat /dev/zero >/tmp/zeros 2>/dev/null || true; sbx-supervise start 2>&1 || echo "status $?"; left'
	assert_line --regexp '^sbx-supervise: .*No space left on device'
	assert_line 'status 2'
}

@test "who listens at a service's place before it is started keeps it from starting" {
	run world '/usr/bin/python3 /w/world_service.py stranger 8000 >/dev/null & stranger=$!; until_true [ -s /tmp/pid.stranger ]; sleep 0.3
		begin; ended; kill -0 $stranger; kill $stranger'
	assert_success
	assert_output "$(printf 'sbx-supervise: start: backend: somebody else is at 127.0.0.1:8000, and it was not started\nstatus 1')"
}

@test "services get the pinned environment, each with what the file adds, and nobody's else" {
	service frontend '.env = {"EXTRA": "${MOZAIKS_APP_DATABASE_NAME} of ${PLATFORM_PATH}"} | .argv = ["sh", "-c", "env -0 >/tmp/env.$0; exec /usr/bin/python3 /w/world_service.py frontend $0", "${SANDBOX_PREVIEW_PORT}"] | .ready = {"tcp": "127.0.0.1:${SANDBOX_PREVIEW_PORT}"}'
	WORLD_OPTIONS=(--setenv AUTH_ANON_ACCESS development --setenv AUTH_PROVIDER keycloak --setenv INTERNAL_API_KEY mine --setenv DATABASE_URL theirs)
	run world 'up -p 3456; tr "\0" "\n" </tmp/env.3456; kill $supervisor; ended'
	assert_line 'EXTRA=mozaiks_preview of /workspace/app'
	assert_line 'AUTH_ANON_ACCESS=public'
	assert_line 'AUTH_PROVIDER=none'
	assert_line 'DATABASE_URL=postgresql://sandbox@127.0.0.1:5432/mozaiks_preview'
	assert_line 'LOGS_BASE_DIR=/tmp/mozaiks-preview/logs'
	assert_line 'PYTHONUSERBASE=/workspace/.python'
	assert_line 'CORS_ORIGINS=http://localhost:3456'
	assert_line --regexp '^INTERNAL_API_KEY=.{43,}$'
	first=$(grep INTERNAL_API_KEY <<<"$output")
	run world 'up -p 3456; tr "\0" "\n" </tmp/env.3456; kill $supervisor; ended'
	assert_line --regexp '^INTERNAL_API_KEY=.{43,}$'
	refute_line "$first"
	assert_exists "$WORLD/workspace/workflows"
}

@test "an app whose sign-in has no provider, or that has no identity, is not started" {
	rm -rf "$WORLD/workspace/app" && cp -R "$TOP/share/examples/notes" "$WORLD/workspace/app"
	run world 'begin; ended; left; ls /tmp/mozaiks-preview; sbx-supervise check'
	assert_line --regexp '^sbx-supervise: start: .*VITE_OIDC_AUTHORITY'
	assert_line 'status 2'
	refute_line supervisor.pid
	# Whoever started it in the background hears it here.
	assert_line --regexp '^sbx-supervise: check: backend: .*; no supervisor runs: .*VITE_OIDC_AUTHORITY must say'
	echo '{}' >"$WORLD/workspace/app/app.json"
	run world 'begin; ended'
	assert_line --regexp '^sbx-supervise: start: .*appId'
	assert_line 'status 1'
}

@test "an image that lacks a part says which" {
	rm "$WORLD/opt/mozaiks/web_shell/node_modules/vite/bin/vite.js"
	run world 'begin; ended'
	assert_output "$(printf 'sbx-supervise: start: /opt/mozaiks/web_shell/node_modules/vite/bin/vite.js: No such file or directory\nstatus 2')"
}

@test "check: in its order, and the first part that fails is named" {
	run world 'sbx-supervise check || echo $?; up; sbx-supervise check && echo healthy; kill $supervisor; ended'
	assert_line --regexp '^sbx-supervise: check: backend: '
	assert_line 1
	assert_line healthy
	for part in 'backend /api/health backend' 'frontend / frontend' 'frontend /api/shell-config frontend.s.way'; do
		set -- $part
		services postgres backend frontend
		service "$1" ".env = {SICK_$1: \"$2\"}"
		run world 'up; sbx-supervise check || echo "check $?"; kill $supervisor; ended'
		assert_line --regexp "^sbx-supervise: check: $3.*: .*503"
		assert_line 'check 1'
	done
	services postgres backend frontend
	service frontend '.env = {ANSWER_APP: "another"}'
	run world 'up; sbx-supervise check || echo "check $?"; kill $supervisor; ended'
	assert_line --regexp "^sbx-supervise: check: frontend's way to the backend: .*appId"
	assert_line 'check 1'
}

# invalid JSON-FILTER WORDS
invalid() {
	services backend
	jq "$1" "$WORLD/services.json" >"$WORLD/new" && mv "$WORLD/new" "$WORLD/services.json"
	run world 'begin; ended; ls /tmp/mozaiks-preview/*.pid 2>/dev/null || true'
	assert_output "$(printf 'sbx-supervise: start: /etc/sbx/services.json: %s\nstatus 2' "$2")"
}

@test "a services' file that won't do: the place and the rule" {
	invalid '.more = 1' 'must have one member, services: an array of 1 to 16 objects'
	invalid '.services = []' 'must have one member, services: an array of 1 to 16 objects'
	invalid '.services[0].name = "Back"' 'services[0].name: must be up to 32 lower-case letters, digits, underscores and hyphens'
	invalid '.services += .services' 'services[1].name: another service has it'
	invalid '.services[0].argv = []' 'services[0].argv: must be an array of texts, the program first'
	invalid '.services[0].argv += [1]' 'services[0].argv: must be an array of texts, the program first'
	invalid 'del(.services[0].cwd)' 'services[0].cwd: must be a text that is not empty'
	invalid '.services[0].cwd = "here"' 'backend: cwd: must be an absolute path'
	invalid '.services[0].env = {"A-B": ""}' "services[0].env: must give variables' names texts"
	invalid '.services[0].restart = true' "services[0]: has an unknown member 'restart'"
	invalid 'del(.services[0].ready)' 'services[0].ready: must be an object'
	invalid '.services[0].ready.http = "http://127.0.0.1/"' 'services[0].ready: must have one of tcp, http and command'
	invalid '.services[0].ready.status = 200' 'services[0].ready.status: belongs to http alone'
	invalid '.services[0].ready.tcp = "127.0.0.1"' 'backend: ready: must be ADDRESS:PORT or http://ADDRESS:PORT/PATH, of this machine itself'
	invalid '.services[0].ready.tcp = "example.org:80"' 'backend: ready: must be ADDRESS:PORT or http://ADDRESS:PORT/PATH, of this machine itself'
	invalid '.services[0].ready_s = 0' 'services[0].ready_s: must be a whole number from 1 to 600'
	invalid '.services[0].stop_s = 1.5' 'services[0].stop_s: must be a whole number from 1 to 600'
	invalid '.services[0].stop_signal = "KILL"' 'services[0].stop_signal: must be TERM, INT, QUIT, HUP, USR1 or USR2'
	invalid '.services[0].argv += ["${NOWHERE}"]' 'backend: argv: there is no variable ${NOWHERE}'
	invalid '.services[0].argv += ["${OPEN"]' 'backend: argv: there is no variable ${OPEN'
	services backend
	echo '{"services": [], "services": []}' >"$WORLD/services.json"
	run world 'begin; ended'
	assert_line --partial '/etc/sbx/services.json: duplicate object key'
}

@test "the shipped services' files are such files" {
	for file in services.json services.mongodb.json; do
		cp "$TOP/share/image/services/$file" "$WORLD/services.json"
		service frontend '.argv[0] = "/nowhere/node"'
		service "$(jq -r '.services[0].name' "$WORLD/services.json")" '.argv = ["/nowhere/first"]'
		run world 'begin; ended'
		assert_line --regexp '^sbx-supervise: start: [a-z]*: could not be started: /nowhere/first: '
	done
}

@test "the example of sbx-services(5) works as it stands there" {
	sed '1,/^\.Bd/d; /^\.Ed/,$d' "$TOP/man/sbx-services.5" >"$WORLD/services.json"
	run world 'begin; until_true logged "site: ready"; sbx-supervise stop; ended; left'
	assert_output 'status 0'
}

@test "install: pip for the sandbox's user within the constraints, its environment from an allow-list" {
	printf '#!/bin/sh\nexec >/w/asked; pwd; echo "$@"; env | sort\n' >"$WORLD/bin/python3"
	chmod 755 "$WORLD/bin/python3"
	WORLD_OPTIONS=(--setenv PIP_INDEX_URL http://127.0.0.1:9/simple --setenv INTERNAL_API_KEY mine --setenv AUTH_ISSUER theirs)
	run world 'sbx-supervise install; [ ! -e /w/asked ]; printf " \n" >/workspace/requirements.txt; sbx-supervise install; [ ! -e /w/asked ]
		echo tool >/workspace/requirements.txt; sbx-supervise install; cat /w/asked'
	assert_success
	assert_line --index 0 /workspace
	assert_line --index 1 '-m pip install --user --break-system-packages --disable-pip-version-check --no-input --no-cache-dir -c /opt/mozaiks/preview-constraints.txt -r requirements.txt'
	assert_line PIP_INDEX_URL=http://127.0.0.1:9/simple
	assert_line PYTHONUSERBASE=/workspace/.python
	assert_equal "$(grep -c = <<<"$output")" "$(grep -cE '^(PIP_INDEX_URL|PYTHONUSERBASE|PATH|HOME|PWD|SHLVL|OLDPWD|_)=' <<<"$output")"
	printf '#!/bin/sh\necho "no such package"; exit 1\n' >"$WORLD/bin/python3"
	run world 'sbx-supervise install || echo $?; cat $state/logs/install.log'
	assert_output "$(printf 'sbx-supervise: install: pip ended with status 1: no such package\n1\nno such package')"
	printf '#!/bin/sh\necho $$ >/tmp/pid.pip; sleep 1000 & wait\n' >"$WORLD/bin/python3"
	run world 'sbx-supervise install & installer=$!; until_true [ -s /tmp/pid.pip ]; kill $installer; wait $installer || echo $?; left'
	assert_line 143
	assert_equal "${lines[-1]}" 143
}

@test "bad use is one sentence and 2" {
	for words in '' 'restart' 'start stop' '--app-root workspace start' '--app-root / start' '--app-root /workspace/app/ start' '--port 0 start'; do
		# shellcheck disable=SC2086 # words
		run sbx-supervise $words
		assert_failure 2
		assert_equal "${#lines[@]}" 1
	done
}

@test "the one for images is static, and the same program" {
	run file -b "$BUILD/image/sbx-supervise"
	assert_output --regexp 'statically linked|static-pie linked'
	run world '/w/bin/sbx-supervise stop' < <(cp "$BUILD/image/sbx-supervise" "$WORLD/bin")
	assert_success
}
