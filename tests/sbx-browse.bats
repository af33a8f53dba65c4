#!/usr/bin/env bats
# sbx-browse - a real browser on a real shell, host and database: what it sees, what it says of broken apps, that nothing stays

load common
load host

setup_file() {
	load common
	load host
	[ ! -x "$BUILD/browser/bin/node" ] || require_host
	postgres_start
}

teardown_file() {
	[ -z "${POSTGRES_PID:-}" ] || postgres_stop
}

setup() {
	common_setup
	export SBX_BROWSER=$BUILD/browser PLAYWRIGHT=$BUILD/browser/node_modules/playwright-core
	# The browser's user has to get there.
	TMPDIR=$(mktemp -d /tmp/sbx-test-browse.XXXXXXXX)
	chmod 755 "$TMPDIR"
	export TMPDIR
	CHROMIUM=$(command -v chromium || true)
	export CHROMIUM
	APP=$BATS_TEST_TMPDIR/workspace/app
	mkdir -p "$BATS_TEST_TMPDIR/workspace/workflows"
}

teardown() {
	for pid in ${SERVE_PID:-} ${HOST_PID:-} ${PROVIDER_PID:-}; do
		kill "$pid" 2>/dev/null || true
	done
	[ ! -s "$BATS_TEST_TMPDIR/preview" ] || sbx-docker --quiet rm <"$BATS_TEST_TMPDIR/preview" >/dev/null || true
	rm -rf "$TMPDIR"
}

require_browser() {
	command -v chromium >/dev/null && [ -x "$SBX_BROWSER/bin/node" ] && [ -x "$BUILD/shell/bin/node" ] && return 0
	[ "${SBX_REQUIRE:-}" != all ] || { echo "chromium, make browser and make shell are needed" >&2; return 1; }
	skip "chromium, make browser and make shell are needed"
}

lay() {
	require_browser
	"$TOP/tests/lay-bundle" "$1" "$APP"
}

# serve [NAME=VALUE ...] - the shell with the app, before $HOST; in $URL where it is
serve() {
	local log=$BATS_TEST_TMPDIR/serve.log
	: >"$log"
	env -i PATH=/usr/bin:/bin TMPDIR="$BATS_TEST_TMPDIR" MOZAIKS_APP_WORKSPACE_PATH="$BATS_TEST_TMPDIR/workspace" \
	    MOZAIKS_BACKEND_URL="$HOST" "$@" "$BUILD/shell/bin/node" "$BUILD/shell/web_shell/serve.mjs" 0 >"$log" 2>&1 3>&- &
	SERVE_PID=$!
	until URL=$(sed -n 's,^serve: listening on port ,http://localhost:,p' "$log") && [ -n "$URL" ]; do
		kill -0 "$SERVE_PID" 2>/dev/null || { cat "$log" >&2; return 1; }
		sleep 0.02
	done
}

# preview APP [NAME=VALUE ...] - a public app, served as a draft
preview() {
	[ -d "$APP" ] || lay "$1"
	host_start "$APP" "$(database)" "${PUBLIC[@]}"
	serve VITE_MOZAIKS_PREVIEW=true "${@:2}"
}

# browse [OPTION ...] - the review in $output
browse() {
	run --separate-stderr sbx-browse --json "$@" "$URL/"
}

# look WHAT - as tests/browser/look.mjs does it
look() {
	run "$SBX_BROWSER/bin/node" "$TOP/tests/browser/look.mjs" "$1" "$URL/"
	assert_success
}

holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && jq . <<<"$output"; return 1; }
}

# The browser's processes name its room, and so does nobody else.
in_rooms() {
	grep -las -- "$TMPDIR/sbx-browse" /proc/[0-9]*/cmdline || true
}

nothing_left() {
	assert_equal "$(in_rooms)" ''
	assert_equal "$(find "$TMPDIR" -mindepth 1 -name 'sbx-browse*')" ''
}

# ---- use

@test "wrong use: 2, and one line" {
	local use
	for use in 'ftp://localhost/' 'http://' 'localhost:3000' 'http://a/ http://b/' '--json' '--app-id x' '-t 0 http://a/'; do
		# shellcheck disable=SC2086
		run --separate-stderr -2 sbx-browse $use </dev/null
		assert_equal "$output" ''
		assert_equal "${#stderr_lines[@]}" 1
	done
	run -2 sbx-browse http://user:secret@localhost/
	assert_output --partial 'credentials'
	refute_output --partial secret
}

@test "without playwright-core or Chromium it says what is missing" {
	mkdir -p "$BATS_TEST_TMPDIR/tools/bin"
	SBX_BROWSER=$BATS_TEST_TMPDIR/none run -2 sbx-browse http://localhost:1/
	assert_output --partial "$BATS_TEST_TMPDIR/none/bin/node: not there: looking needs playwright-core"
	touch "$BATS_TEST_TMPDIR/tools/bin/node" "$BATS_TEST_TMPDIR/tools/browse.mjs"
	SBX_BROWSER=$BATS_TEST_TMPDIR/tools run -2 sbx-browse http://localhost:1/
	assert_output --partial "make browser install"
	mkdir -p "$BATS_TEST_TMPDIR/tools/node_modules/playwright-core"
	touch "$BATS_TEST_TMPDIR/tools/node_modules/playwright-core/package.json"
	SBX_BROWSER=$BATS_TEST_TMPDIR/tools PATH=$BUILD/bin run -2 sbx-browse http://localhost:1/
	assert_output --partial "chromium: not on PATH"
}

@test "a line that is not ready for a look: 2, its reason, and no review" {
	local reason filter
	while read -r reason filter; do
		run --separate-stderr -2 sbx-browse < <(start_line | jq -c ". + {bundle: {sha256: \"aa\", app_id: \"todo\"},
		    put: {verified: true}, sandbox: {provider: \"docker\", id: \"beef\"}} | $filter")
		holds ".error.reason == \"$reason\" and .error.by == \"sbx-browse\" and (has(\"review\") | not)"
	done <<-'END'
		sandbox_missing del(.sandbox)
		sandbox_missing .sandbox.id = 7
		put_unverified .put.verified = false
		identity_missing del(.bundle.app_id)
		identity_missing del(.bundle.sha256)
		provider_unknown .sandbox.provider = "none"
	END
}

# ---- what it sees

@test "the todo example: each page on both screens, and pictures that show it" {
	preview todo
	browse --app-id todo
	assert_success
	assert_equal "$stderr" ''
	holds '.status == "passed" and .app_id == "todo" and .problems == []'
	holds '.pages | map([.view, .path, .title, .heading, .indicator]) == [
	    ["desktop", "/", "Todo", "To do", true], ["desktop", "/done", "Todo", "Done", true],
	    ["mobile", "/", "Todo", "To do", true], ["mobile", "/done", "Todo", "Done", true]]'
	holds '.screenshots | length == 4'
	assert_equal "$(jq -r '.screenshots[] | .sha256 + "  " + .path' <<<"$output" | sha256sum -c --quiet 2>&1)" ''
	for picture in $(jq -r '.screenshots[].path' <<<"$output"); do
		[[ $picture == "$SBX_STATE"/runs/* ]]
		run "$TOP/tests/browser/picture" "$picture"
		case $picture in
		*/desktop-*) holds '.width == 1280 and .height == 800' ;;
		*/mobile-*) holds '.width == 390 and .height == 844' ;;
		esac
		# The brand's background, the title and the logo, a page with text on it, and the mark.
		holds '.most == "#f2f7f6" and .header > 20 and .page > 20 and .mark > 0.2'
	done
	nothing_left
}

@test "without the variable nothing marks it a draft, and that is all that is wrong" {
	lay todo
	host_start "$APP" "$(database)" "${PUBLIC[@]}"
	serve VITE_MOZAIKS_PREVIEW=1
	browse -o "$BATS_TEST_TMPDIR/pictures"
	assert_failure 1
	holds '.status == "failed" and (.problems | map([.kind, .page]) | unique) == [["indicator_missing", "/"], ["indicator_missing", "/done"]]'
	run "$TOP/tests/browser/picture" "$BATS_TEST_TMPDIR/pictures/desktop-1.png"
	holds '.mark == 0 and .page > 20'
}

@test "a broken app: each thing that is wrong with it, and where" {
	lay todo
	# Nobody is to be asked there.
	"$PYTHON" -u -m http.server --bind 127.0.0.1 --directory "$BATS_TEST_TMPDIR" 0 >"$BATS_TEST_TMPDIR/other" 2>&1 3>&- &
	PROVIDER_PID=$!
	until other=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/other") && [ -n "$other" ]; do sleep 0.02; done
	cat >"$APP/pages/Done.tsx" <<-END
		import { useEffect } from 'react';
		import { callAction } from '@mozaiks/shell';
		export default function Done() {
			useEffect(() => {
				console.error('the list is upside down');
				callAction('tasks', 'juggle', {}).catch(() => undefined);
				new Image().src = 'http://127.0.0.1:$other/elsewhere';
				setTimeout(() => { throw new Error('nobody catches this'); });
			}, []);
			return <div style={{ height: '10rem' }} />;
		}
	END
	preview todo
	browse --app-id notes
	assert_failure 1
	holds '.status == "failed" and .app_id == "todo"'
	holds '[.problems[] | select(.page == "/done") | .kind] | unique == ["blank", "console_error", "left_origin", "page_error", "request_failed"]'
	holds '.problems | any(.kind == "wrong_app" and (.message | contains("\"todo\", not \"notes\"")))'
	holds '.problems | any(.kind == "console_error" and .message == "the list is upside down" and .page == "/done" and .view == "desktop")'
	holds '.problems | any(.kind == "request_failed" and .message == "POST /api/modules/tasks/juggle: answered 404")'
	holds '.problems | any(.kind == "page_error" and .message == "nobody catches this")'
	holds '[.problems[] | select(.page == "/")] == []'
	refute grep elsewhere "$BATS_TEST_TMPDIR/other"
}

@test "a redirect leads nowhere either" {
	lay todo
	"$PYTHON" -u -m http.server --bind 127.0.0.1 --directory "$BATS_TEST_TMPDIR" 0 >"$BATS_TEST_TMPDIR/other" 2>&1 3>&- &
	PROVIDER_PID=$!
	until other=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/other") && [ -n "$other" ]; do sleep 0.02; done
	HOST=http://127.0.0.1:$other
	# Python's server sends a directory's name on, to itself: an address that is not the preview's.
	cat >"$BATS_TEST_TMPDIR/redirect.py" <<-END
		from http.server import BaseHTTPRequestHandler, HTTPServer
		class Away(BaseHTTPRequestHandler):
		    def do_GET(self):
		        self.send_response(302)
		        self.send_header('Location', 'http://127.0.0.1:$other/elsewhere')
		        self.end_headers()
		    def log_message(self, *words): pass
		server = HTTPServer(('127.0.0.1', 0), Away)
		print(server.server_address[1], flush=True)
		server.serve_forever()
	END
	"$PYTHON" "$BATS_TEST_TMPDIR/redirect.py" >"$BATS_TEST_TMPDIR/redirect" 3>&- &
	HOST_PID=$!
	URL=http://127.0.0.1:$(first_line "$BATS_TEST_TMPDIR/redirect" "$HOST_PID")
	browse -t 60
	assert_failure 1
	holds '.problems | any(.kind == "left_origin") and any(.kind == "wrong_app")'
	refute grep elsewhere "$BATS_TEST_TMPDIR/other"
}

@test "an app whose scripts don't load: a picture of nothing, and why" {
	lay todo
	preview todo
	echo 'import { gone } from "./Gone"; console.log(gone);' >>"$APP/pages/Open.tsx"
	browse
	assert_failure 1
	holds '.problems | any(.kind == "request_failed" and (.message | contains("/app/pages/Open.tsx: answered 500")))'
	holds '.screenshots | length > 0'
	holds '.pages[0].indicator'
}

@test "interfaces that come and go, as with each container, are nothing to the browser" {
	[ "$(id -u)" -eq 0 ] || skip "only root makes interfaces"
	preview todo
	local name=sbx$BASHPID pid
	while :; do
		ip link add "$name" type bridge && ip addr add 192.0.2.77/32 dev "$name" && ip link set "$name" up
		sleep 0.1
		ip link del "$name"
	done 3>&- &
	pid=$!
	browse
	assert kill "$pid"
	wait "$pid" || true
	ip link del "$name" 2>/dev/null || true
	assert_success
	holds '.problems == []'
}

@test "nobody answers: said so, and no browser is needed" {
	require_browser
	URL=http://127.0.0.1:$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	browse
	assert_failure 1
	holds '.problems | map(.kind) == ["unreachable"]'
	holds '.problems[0].message | contains("ECONNREFUSED")'
	holds '.pages == [] and .status == "failed"'
}

# ---- how it ends

@test "a signal, a deadline, a killed browser: nothing is left" {
	preview todo
	sbx-browse "$URL/" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$!
	until [ -n "$(in_rooms)" ]; do kill -0 "$pid"; sleep 0.05; done
	assert [ -n "$(find "$TMPDIR" -mindepth 1 -name 'sbx-browse*')" ]
	kill -TERM "$pid"
	local status=0
	wait "$pid" || status=$?
	assert_equal "$status" 143
	nothing_left

	run sbx-browse -t 2 "$URL/"
	assert_failure
	nothing_left

	sbx-browse "$URL/" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	pid=$!
	until [ -n "$(in_rooms)" ]; do kill -0 "$pid"; sleep 0.05; done
	for process in $(in_rooms | cut -d/ -f3); do kill -KILL "$process" 2>/dev/null || true; done
	status=0
	wait "$pid" || status=$?
	assert [ "$status" -ne 0 ]
	nothing_left
}

@test "it runs as another user than root, and no argument or environment holds the token" {
	[ "$(id -u)" -eq 0 ] || skip "only root becomes another user"
	preview todo
	SBX_BROWSE_TOKEN=s3cr3t-of-ada sbx-browse "$URL/" >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
	local pid=$! process
	until [ -n "$(in_rooms)" ]; do kill -0 "$pid"; sleep 0.05; done
	for process in $(in_rooms | cut -d/ -f3); do
		assert_equal "$(stat -c %u "/proc/$process" 2>/dev/null || echo 10001)" 10001
		refute grep -qsa s3cr3t-of-ada "/proc/$process/cmdline" "/proc/$process/environ"
	done
	kill -TERM "$pid"
	wait "$pid" || true
	nothing_left
}

# ---- the shell, as people would try it

@test "the mark takes no clicks, though it lies over everything" {
	preview todo
	look click
	holds '.clicked and .visible and .covered == "Clicked"'
}

# themed COLORS - the todo example with these, looked at in both modes
themed() {
	jq --argjson colors "$1" '.colors = $colors' "$TOP/share/examples/todo/brand/theme_config.json" >"$APP/brand/theme_config.json"
	preview todo
	look contrast
	holds '.light.least >= 4.5 and .dark.least >= 4.5'
	kill "$SERVE_PID" "$HOST_PID"
	wait "$SERVE_PID" "$HOST_PID" || true
}

@test "a partial override keeps texts readable in light and in dark" {
	lay todo
	# Both grounds are given: what is given is what is shown.
	themed '{"light": {"background": "#ffffff", "surface": "#000000", "text": "#808080"}, "dark": {"primary": "#111111"}}'
	holds '.light.surface == "rgb(0, 0, 0)" and .light.background == "rgb(255, 255, 255)" and .dark.background == "rgb(20, 23, 28)"'
	# An app puts texts on either ground and knows no third.
	sed -i "s,<h1>To do</h1>,&<p style={{ background: 'var(--surface)' }}>A card</p>," "$APP/pages/Open.tsx"
	themed '{"light": {"background": "#101010"}, "dark": {"background": "#fafafa"}}'
	themed '{"light": {"surface": "#000000", "primary": "#ffff00"}, "dark": {"surface": "#ffffff"}}'
	themed '{"light": {"text": "#eeeeee"}, "dark": {"text": "#111111", "primary": "#111111"}}'
}

@test "an overlay counts only when it is custom and made for this app" {
	lay todo
	# theme SOURCE APP - the host's answer, which says a primary colour of its own
	theme() {
		cat >"$BATS_TEST_TMPDIR/theme.py" <<-END
			import json
			from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
			class Host(BaseHTTPRequestHandler):
			    def do_GET(self):
			        body = json.dumps({'source': '$1', 'app_id': '$2', 'colors': {'light': {'primary': '#123456'}}}).encode()
			        self.send_response(200)
			        self.send_header('Content-Length', str(len(body)))
			        self.end_headers()
			        self.wfile.write(body)
			    do_POST = do_GET
			    def log_message(self, *words): pass
			server = ThreadingHTTPServer(('127.0.0.1', 0), Host)
			print(server.server_address[1], flush=True)
			server.serve_forever()
		END
		: >"$BATS_TEST_TMPDIR/theme"
		"$PYTHON" "$BATS_TEST_TMPDIR/theme.py" >"$BATS_TEST_TMPDIR/theme" 3>&- &
		HOST_PID=$!
		HOST=http://127.0.0.1:$(first_line "$BATS_TEST_TMPDIR/theme" "$HOST_PID")
		serve
		look contrast
		kill "$SERVE_PID" "$HOST_PID"
		wait "$SERVE_PID" "$HOST_PID" || true
	}
	theme custom todo
	holds '.light.primary == "#123456" and .dark.primary == "#5eead4"'
	theme default todo
	holds '.light.primary == "#0f766e"'
	theme custom notes
	holds '.light.primary == "#0f766e" and .light.background == "rgb(242, 247, 246)"'
}

# signed - notes, with a provider that signs everybody in
signed() {
	lay notes
	"$TOP/tests/browser/provider" notes >"$BATS_TEST_TMPDIR/provider" 2>&1 3>&- &
	PROVIDER_PID=$!
	ISSUER=$(first_line "$BATS_TEST_TMPDIR/provider" "$PROVIDER_PID")
	host_start "$APP" "$(database)" AUTH_AUDIENCE=notes VITE_OIDC_AUTHORITY="$ISSUER" MOZAIKS_OIDC_AUTHORITY="$ISSUER"
	serve VITE_MOZAIKS_PREVIEW=true VITE_OIDC_AUTHORITY="$ISSUER" VITE_OIDC_CLIENT_ID=notes
}

@test "the mark is there while sign-in loads and while nobody is signed in" {
	signed
	look loading
	holds '.before == {session: "loading", mark: true} and .after == {session: "signed-out", mark: true}'
}

@test "sign-in, and what users may do with their records" {
	signed
	look account
	holds '.back == "/?from=here" and .name == "notes-account.json" and .said == "1 of your records were deleted."'
	holds '.exported.user == "ada" and (.exported.records.note | map(.title)) == ["Bread"]'
}

@test "an app that asks for sign-in is not reviewed without somebody, and is with a token" {
	signed
	browse
	assert_failure 1
	holds '.problems | map(.kind) | unique == ["signed_out"]'
	SBX_BROWSE_TOKEN=$("$PYTHON" - "$ISSUER" <<-'END'
		import json, re, urllib.parse, urllib.request, sys, base64, hashlib
		verifier = 'v' * 43
		challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b'=').decode()
		class Stay(urllib.request.HTTPRedirectHandler):
		    def redirect_request(self, *words): return None
		ask = {'response_type': 'code', 'code_challenge_method': 'S256', 'code_challenge': challenge, 'state': 's',
		    'redirect_uri': 'http://none', 'scope': 'openid notes.read notes.write'}
		try: urllib.request.build_opener(urllib.request.ProxyHandler({}), Stay).open(sys.argv[1] + '/authorize?' + urllib.parse.urlencode(ask))
		except urllib.error.HTTPError: pass
		answer = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1] + '/token',
		    urllib.parse.urlencode({'code': 'c1', 'code_verifier': verifier}).encode())
		print(json.load(answer)['access_token'])
	END
	)
	export SBX_BROWSE_TOKEN
	browse --app-id notes
	assert_success
	holds '.pages[0].heading == "Notes"'
	refute grep -rq "$SBX_BROWSE_TOKEN" "$SBX_STATE"
}

# ---- in a real sandbox

@test "a review of a real preview is kept with its bundle's digest, and lets that bundle be promoted" {
	require_browser
	require_docker
	local preview=$BATS_TEST_TMPDIR/preview zip=$BATS_TEST_TMPDIR/todo.zip id url
	# The runtime smoke has its own tests, and nothing to do with a review.
	cp -R "$TOP/share" "$BATS_TEST_TMPDIR/share"
	jq '.rules -= ["runtime_smoke"] | del(.smoke)' "$TOP/share/profiles/mozaiks.json" >"$BATS_TEST_TMPDIR/share/profiles/mozaiks.json"
	export SBX_SHARE=$BATS_TEST_TMPDIR/share
	"$TOP/contrib/pack-examples" "$BATS_TEST_TMPDIR"
	run sbx-validate --quiet --strategy docker "$zip"
	assert_success
	id=$(jq -r .record.id <<<"$output")
	run sbx-verdict --gate promote "$id"
	assert_failure 1
	assert_line 'No review of that bundle has passed.'

	start_line | jq -c '.purpose = "artifact_preview"' | sbx-stage "$zip" >"$preview.staged"
	sbx-env - <"$preview.staged" >"$preview.env"
	sbx-docker create --timeout 600 --env-from "$preview.env" <"$preview.staged" >"$preview.created"
	sbx-docker put <"$preview.created" >"$preview"
	url=$(sbx-docker url "$(jq -r .sandbox.id "$preview")" 3000)
	sbx-docker supervise "$(jq -r .sandbox.id "$preview")" start -- --preview-url "$url"
	sbx-health --timeout 120 <"$preview" >"$preview.healthy"
	run --separate-stderr sbx-browse <"$preview.healthy"
	assert_success
	holds '.review.status == "passed" and .review.app_id == "todo" and .review.bundle_sha256 == .bundle.sha256'
	holds ".review.url == \"$url\" and (.review.screenshots | length == 4)"
	assert_equal "$(jq -r '.review.screenshots[] | .sha256 + "  " + .path' <<<"$output" | sha256sum -c --quiet 2>&1)" ''
	echo "$output" >"$preview"
	run sbx-record < <(sbx-docker rm <"$preview")
	assert_success
	rm "$preview"

	run sbx-verdict --gate promote "$id"
	assert_success
	assert_output --partial "promote: yes: $id, the bundle with SHA-256 $(sha256sum <"$zip" | cut -d' ' -f1)"
}
