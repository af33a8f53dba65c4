#!/usr/bin/env bats
# sbx-env - nothing reaches a sandbox but what was meant for it, and nothing that was sent along changes how an app is previewed

load common

ADDRESS=http://127.0.0.1:49153

setup() {
	common_setup
	# What a factory's own environment has, none of which is a preview's business.
	export OPENAI_API_KEY=own1 MONGO_URI=mongodb://own2/ DATABASE_URL=postgresql://own3/ INTERNAL_API_KEY=own4 \
	    AUTH_PROVIDER=own5 E2B_API_KEY=own6 MOZAIKS_PREVIEW_ENVIRONMENT=own7
	unset "${!MOZAIKS_PREVIEW_ENV_@}"
}

# operator NAME=VALUE ... - what the operator sets for previews
operator() {
	local pair
	for pair; do
		export "MOZAIKS_PREVIEW_ENV_$pair"
	done
}

sign_in() {
	operator VITE_OIDC_AUTHORITY=http://issuer.test AUTH_ISSUER=http://issuer.test AUTH_JWKS_URL=http://issuer.test/keys
}

env_() {
	run --separate-stderr sbx-env "$@"
}

# holds FILTER - the jq filter is true of what was printed
holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && jq . <<<"$output"; return 1; }
}

# app FILTER - a directory with todo's app.json after the filter, and the contract in $contract if that is set; its path in $app
app() {
	app=$BATS_TEST_TMPDIR/app
	rm -rf "$app" && mkdir "$app"
	jq "$1" "$TOP/share/examples/todo/app.json" >"$app/app.json"
	[ -z "${contract+set}" ] || printf '%s' "$contract" >"$app/auth.json"
}

# staged BUNDLE [PURPOSE] - its line
staged() {
	printf '{"sbx":1,"run":"%s","purpose":"%s"}\n' "$(new_run)" "${2:-artifact_preview}" | sbx-stage "$1"
}

@test "a preview is created with the image's resources and what the operator set for previews, and with nothing else" {
	operator TOKEN=t0ken SPACED=' a
b ' EMPTY= QUOTED="'\"\\"
	env_
	assert_success
	assert_equal "$stderr" ''
	holds 'to_entries | map("\(.key)=\(.value)") | sort == (["TOKEN=t0ken", "SPACED= a\nb ", "EMPTY=", "QUOTED='\''\"\\",
	    "MOZAIKS_WEB_SHELL_PATH=/opt/mozaiks/web_shell", "MOZAIKS_CHAT_UI_PATH=/opt/mozaiks/chat-ui",
	    "MOZAIKS_FACTORY_APP_PATH=/opt/mozaiks/factory_app", "VITE_MOZAIKS_PREVIEW=true"] | sort)'
}

@test "the operator can't take the draft's mark away, nor move the image's resources" {
	operator VITE_MOZAIKS_PREVIEW=false MOZAIKS_WEB_SHELL_PATH=/elsewhere
	env_
	holds '.VITE_MOZAIKS_PREVIEW == "true" and .MOZAIKS_WEB_SHELL_PATH == "/opt/mozaiks/web_shell"'
	holds 'keys_unsorted[-1] == "VITE_MOZAIKS_PREVIEW"'
}

@test "a validation gets the resources alone, a sealed candidate nothing" {
	operator TOKEN=t0ken
	env_ --purpose app_validation
	assert_success
	holds 'keys == ["MOZAIKS_CHAT_UI_PATH", "MOZAIKS_FACTORY_APP_PATH", "MOZAIKS_WEB_SHELL_PATH", "VITE_MOZAIKS_PREVIEW"]'
	env_ --purpose sealed_candidate_preview
	assert_success
	assert_output '{}'
}

@test "a public app is previewed as its visitors see it, whatever provider was sent along" {
	operator AUTH_ENABLED=true AUTH_PROVIDER=jwt AUTH_ANON_ACCESS=development AUTH_ANON_ROLES=admin \
	    AUTH_ANON_SCOPES=tasks.read AUTH_AUDIENCE=other VITE_OIDC_CLIENT_ID=other VITE_OIDC_REDIRECT_URI=http://other.test/
	env_ --app "$TOP/share/examples/todo" --url "$ADDRESS/"
	assert_success
	holds '.AUTH_ENABLED == "false" and .AUTH_PROVIDER == "none" and .AUTH_ANON_ACCESS == "public"'
	holds '(has("AUTH_ANON_ROLES") | not) and .AUTH_ANON_SCOPES == "tasks.read"'
	holds '.AUTH_AUDIENCE == "todo" and .VITE_OIDC_CLIENT_ID == "todo" and .VITE_OIDC_REDIRECT_URI == ""'
}

@test "an app with a contract keeps its sign-in, and has its callback from the contract" {
	sign_in
	operator AUTH_ANON_ACCESS=public AUTH_ANON_ROLES=admin AUTH_AUDIENCE=other AUTH_SCOPES_CLAIM=scope AUTH_PROVIDER=jwt
	env_ --app "$TOP/share/examples/notes" --url "$ADDRESS"
	assert_success
	holds '.AUTH_ENABLED == "true" and .AUTH_PROVIDER == "jwt" and .AUTH_SCOPES_CLAIM == "scope"'
	holds '(has("AUTH_ANON_ACCESS") or has("AUTH_ANON_ROLES")) | not'
	holds '.AUTH_AUDIENCE == "notes" and .VITE_OIDC_CLIENT_ID == "notes"'
	holds ".VITE_OIDC_REDIRECT_URI == \"$ADDRESS/auth/callback\" and .CORS_ORIGINS == \"$ADDRESS\""
}

@test "an app with a contract is refused before anything is made when its provider's settings are missing" {
	for given in '' VITE_OIDC_AUTHORITY 'VITE_OIDC_AUTHORITY AUTH_ISSUER' 'VITE_OIDC_AUTHORITY AUTH_JWKS_URL' \
	    'AUTH_ISSUER AUTH_JWKS_URL' MOZAIKS_OIDC_AUTHORITY; do
		unset "${!MOZAIKS_PREVIEW_ENV_@}"
		for name in $given; do operator "$name=http://issuer.test"; done
		env_ --app "$TOP/share/examples/notes"
		assert_failure 2
		assert_equal "$output" ''
		assert_regex "$stderr" '^sbx-env: the app.s users sign in: .*must say'
	done
	operator VITE_OIDC_AUTHORITY=http://issuer.test
	env_ --app "$TOP/share/examples/notes"
	assert_success
}

@test "sign-in is never switched off silently" {
	sign_in
	for off in AUTH_ENABLED=false AUTH_ENABLED=FALSE AUTH_ENABLED=0 AUTH_ENABLED=off AUTH_ENABLED=never AUTH_PROVIDER=None; do
		( operator "$off"; sbx-env -a "$TOP/share/examples/notes" -u "$ADDRESS" ) >"$BATS_TEST_TMPDIR/out" \
		    2>"$BATS_TEST_TMPDIR/err" && return 1
		assert_file_empty "$BATS_TEST_TMPDIR/out"
		assert_file_contains "$BATS_TEST_TMPDIR/err" "can't switch its sign-in off"
	done
}

@test "authRequired is true when absent, and only true or false otherwise" {
	app 'del(.authRequired)'
	env_ --app "$app"
	assert_failure 1
	assert_regex "$stderr" 'true, which it is when absent'
	contract='{"callbackPath":"/in","permissions":[]}' app 'del(.authRequired) | .authContract = "auth.json"'
	sign_in
	env_ --app "$app" --url "$ADDRESS"
	assert_success
	holds ".AUTH_ENABLED == \"true\" and .VITE_OIDC_REDIRECT_URI == \"$ADDRESS/in\""
	for value in '"false"' null 0 '[]'; do
		app ".authRequired = $value"
		env_ --app "$app"
		assert_failure 1
		assert_regex "$stderr" 'neither true nor false'
	done
}

@test "a contract that is missing, cut, or says nothing clear about the way back is refused" {
	sign_in
	while read -r contract; do
		app '.authRequired = true | .authContract = "auth.json"'
		env_ --app "$app" --url "$ADDRESS"
		assert_failure 1
		assert_equal "$output" ''
		assert_regex "$stderr" '^sbx-env: (auth.json|the authentication contract): '
	done <<-'END'
		{"callbackPath":"/in"
		["/in"]
		{"permissions":[]}
		{"callbackPath":"in","permissions":[]}
		{"callbackPath":"//other.test/in","permissions":[]}
		{"callbackPath":"/in","permissions":"all"}
	END
	unset contract
	app '.authContract = "auth.json" | .authRequired = true'
	env_ --app "$app"
	assert_failure 1
	app '.authContract = "../auth.json" | .authRequired = true'
	env_ --app "$app"
	assert_failure 1
	assert_regex "$stderr" 'authContract is not the name of a file'
}

@test "a link among the app's files is not followed" {
	app '.authContract = "auth.json" | .authRequired = true'
	printf '{"callbackPath":"/in","permissions":[]}' >"$BATS_TEST_TMPDIR/outside.json"
	ln -s ../outside.json "$app/auth.json"
	sign_in
	env_ --app "$app"
	assert_failure 1
	assert_regex "$stderr" '^sbx-env: auth.json: '
}

@test "the app's identity must be there, and a text that ids can be" {
	for id in null 7 true '["todo"]' '""' '"a b"' '"../a"'; do
		app ".appId = $id"
		env_ --app "$app"
		assert_failure 1
		assert_regex "$stderr" '^sbx-env: app.json: .*appId'
	done
	app 'del(.appId)'
	env_ --app "$app"
	assert_failure 1
}

@test "both database names are the private database's, and nothing leads to another" {
	operator MOZAIKS_APP_DATABASE_NAME=live MOZAIKS_APP_DATA_DATABASE_NAME=live2 DATABASE_URL=postgresql://live/ \
	    MONGO_URI=mongodb://live/
	env_ --app "$TOP/share/examples/todo" --url "$ADDRESS"
	holds '.MOZAIKS_APP_DATABASE_NAME == "mozaiks_preview" and .MOZAIKS_APP_DATA_DATABASE_NAME == "mozaiks_preview"'
	holds '(.DATABASE_URL | test("^postgresql://[^/]*127\\.0\\.0\\.1:5432/mozaiks_preview$")) and (has("MONGO_URI") | not)'
	refute_output --partial live
}

@test "the internal key is long, another each time, nobody's and in no variable that browsers see" {
	operator INTERNAL_API_KEY=sentalong
	env_ --app "$TOP/share/examples/todo" --url "$ADDRESS"
	holds '(.INTERNAL_API_KEY | length) >= 43 and .INTERNAL_API_KEY != "sentalong"'
	holds '.INTERNAL_API_KEY as $key | [to_entries[] | select(.value | contains($key)) | .key] == ["INTERNAL_API_KEY"]'
	first=$(jq -r .INTERNAL_API_KEY <<<"$output")
	env_ --app "$TOP/share/examples/todo" --url "$ADDRESS"
	refute_equal "$(jq -r .INTERNAL_API_KEY <<<"$output")" "$first"
}

# refute_equal A B
refute_equal() {
	[ "$1" != "$2" ] || { echo "both are $1" >&2; return 1; }
}

@test "exactly the address's host is allowed, and an address has nothing but scheme, host and port" {
	operator __VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS=.e2b.app
	env_ --app "$TOP/share/examples/todo" --url https://3000-abc.e2b.app
	holds '.__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS == "3000-abc.e2b.app"'
	for bad in host:3000 ftp://host http:// http://host/path http://user@host 'http://host?x' 'http://a,b' http://.x/y; do
		env_ --app "$TOP/share/examples/todo" --url "$bad"
		assert_failure 2
		assert_equal "$output" ''
	done
}

@test "nothing of the factory's own environment is in any form of the output" {
	sign_in
	for form in '' -0 -e; do
		for what in '' '-p app_validation' "-a $TOP/share/examples/notes -u $ADDRESS"; do
			# shellcheck disable=SC2086
			sbx-env $form $what >"$BATS_TEST_TMPDIR/out"
			assert_file_not_empty "$BATS_TEST_TMPDIR/out"
			! grep -aE 'own[1-7]|IRONMENT' "$BATS_TEST_TMPDIR/out" || return 1
		done
	done
}

@test "--null: the same variables, each ended by a NUL" {
	operator LINES='a
b=c'
	# jq can't split at a NUL.
	sbx-env -0 | tr '\0' '\1' >"$BATS_TEST_TMPDIR/null"
	assert_equal "$(jq -cSRs 'split("\u0001") | .[:-1] | map(capture("^(?<key>[^=]*)=(?<value>(.|\n)*)$")) | from_entries' \
	    "$BATS_TEST_TMPDIR/null")" "$(sbx-env | jq -cS .)"
}

@test "--explain: each variable's source, secrets masked, and what is ignored" {
	operator TOKEN=t0ken AUTH_PROVIDER=jwt VITE_MOZAIKS_PREVIEW=false
	env_ --explain --app "$TOP/share/examples/todo" --url "$ADDRESS"
	assert_success
	assert_line --regexp '^TOKEN=\*{8} +set by the operator for previews$'
	assert_line --regexp '^INTERNAL_API_KEY=\*{8} +fresh at each start$'
	assert_line --regexp '^AUTH_PROVIDER=none +the app is public$'
	assert_line --regexp "^CORS_ORIGINS=$ADDRESS +the preview's address$"
	assert_line --regexp '^MOZAIKS_PREVIEW_ENV_AUTH_PROVIDER +ignored$'
	assert_line --regexp '^MOZAIKS_PREVIEW_ENV_VITE_MOZAIKS_PREVIEW +ignored$'
	refute_output --partial t0ken
	assert_equal "$(grep -c '=' <<<"$output")" "$(sbx-env -a "$TOP/share/examples/todo" -u "$ADDRESS" | jq length)"
}

@test "a name that no shell could have, and a value that no line could hold, are refused by name" {
	run --separate-stderr env 'MOZAIKS_PREVIEW_ENV_1X=value' sbx-env
	assert_failure 2
	assert_regex "$stderr" "^sbx-env: MOZAIKS_PREVIEW_ENV_1X: .*no name"
	run --separate-stderr env $'MOZAIKS_PREVIEW_ENV_X=\xff' sbx-env
	assert_failure 2
	assert_regex "$stderr" '^sbx-env: MOZAIKS_PREVIEW_ENV_X: .*UTF-8'
	assert_equal "$output" ''
	run --separate-stderr env $'MOZAIKS_PREVIEW_ENV_X=\xff' sbx-env -p app_validation
	assert_success
}

@test "lines: purpose and app are the line's, for each one object, and no line comes out" {
	{ staged "$TOP/share/examples/todo"; staged "$TOP/share/examples/todo" app_validation; } >"$BATS_TEST_TMPDIR/lines"
	operator TOKEN=t0ken
	run --separate-stderr sbx-env - <"$BATS_TEST_TMPDIR/lines"
	assert_success
	assert_equal "$(jq -c 'has("TOKEN")' <<<"$output")" $'true\nfalse'
	refute_output --partial '"sbx"'
	head -n 1 "$BATS_TEST_TMPDIR/lines" >"$BATS_TEST_TMPDIR/line"
	run --separate-stderr sbx-env -u "$ADDRESS" - <"$BATS_TEST_TMPDIR/line"
	assert_success
	holds '.AUTH_AUDIENCE == "todo" and .AUTH_ENABLED == "false"'
}

@test "lines: the app's own contract is read from the staged bundle" {
	staged "$TOP/share/examples/notes" >"$BATS_TEST_TMPDIR/line"
	run --separate-stderr sbx-env - <"$BATS_TEST_TMPDIR/line"
	assert_failure 2
	sign_in
	run --separate-stderr sbx-env -u "$ADDRESS" - <"$BATS_TEST_TMPDIR/line"
	assert_success
	holds ".VITE_OIDC_REDIRECT_URI == \"$ADDRESS/auth/callback\""
}

@test "lines: without a bundle, with an error, with another purpose than an address has, and cut" {
	for line in '{"sbx":1,"purpose":"artifact_preview"}' '{"sbx":1,"purpose":"other"}' \
	    '{"sbx":1,"error":{"by":"x","reason":"y","message":"z","status":2}}' '{"sbx":1' '[]'; do
		run --separate-stderr sbx-env - <<<"$line"
		assert_failure 2
		assert_equal "$output" ''
	done
	staged "$TOP/share/examples/todo" app_validation >"$BATS_TEST_TMPDIR/line"
	run --separate-stderr sbx-env -u "$ADDRESS" - <"$BATS_TEST_TMPDIR/line"
	assert_failure 2
	assert_regex "$stderr" 'only an artifact_preview has an address'
	run --separate-stderr sbx-env -0 - < <(cat "$BATS_TEST_TMPDIR/line" "$BATS_TEST_TMPDIR/line")
	assert_failure 2
}

@test "options that say nothing together are refused" {
	for wrong in '-0e' '--url http://h' '--purpose other' '--purpose app_validation --app .' 'app' '- --app .' \
	    '- --purpose app_validation' "--app $BATS_TEST_TMPDIR/none"; do
		# shellcheck disable=SC2086
		env_ $wrong
		assert_failure 2
		assert_equal "$output" ''
	done
}

@test "a full disk is no success" {
	! sbx-env >/dev/full 2>"$BATS_TEST_TMPDIR/err" || return 1
	assert_file_not_empty "$BATS_TEST_TMPDIR/err"
}
