# accept - what the tests of acceptance share: a bundle, its way through the gate and the rules, and what came of it

setup() {
	common_setup
	bundle=$BATS_TEST_TMPDIR/bundle
	export PYTHONDONTWRITEBYTECODE=1
}

# lay NAME - a fresh copy of an example or a test bundle
lay() {
	rm -rf "$bundle"
	"$TOP/tests/lay-bundle" "$1" "$bundle"
}

# accept [PROFILE] - the bundle staged and accepted: its exit status in $status, the line in $output
accept() {
	local staged
	staged=$(start_line | sbx-stage --profile "${1:-mozaiks}" "$bundle")
	run --separate-stderr sbx-accept <<<"$staged"
}

# holds FILTER - the jq filter is true of the line written
holds() {
	jq -e "$1" <<<"$output" >/dev/null || { echo "not so: $1" && cut -c1-3000 <<<"$output" && echo "$stderr"; return 1; }
}

# fails RULE ... - just these rules failed; without any, none did
fails() {
	if [ $# -eq 0 ]; then assert_success; else assert_failure 1; fi
	assert_equal "$(jq -r '.acceptance.failed | join(" ")' <<<"$output")" "$*"
}

# waits - no rule failed, and some could not be decided
waits() {
	assert_failure 1
	holds '.acceptance | .status == "pending" and .failed == []'
}

# says TEXT - the first failure's message has it
says() {
	local message
	message=$(jq -r '.acceptance.failures[0] | "\(.path): \(.message)"' <<<"$output")
	[[ $message == *"$1"* ]] || { echo "not '$1': $message"; return 1; }
}

# own_share - profiles and rules that the test may change
own_share() {
	mkdir -p "$BATS_TEST_TMPDIR/share"
	cp -R "$TOP/share/profiles" "$TOP/share/rules" "$BATS_TEST_TMPDIR/share"
	export SBX_SHARE=$BATS_TEST_TMPDIR/share
}

# change_profile NAME FILTER
change_profile() {
	local file=$SBX_SHARE/profiles/$1.json
	jq "$2" "$file" >"$file.new" && mv "$file.new" "$file"
}

# A profile for bundles that the gate itself would refuse for their app.json.
loose_profile() {
	own_share
	jq '.name = "loose" | .canonical = false' "$SBX_SHARE/profiles/mozaiks.json" >"$SBX_SHARE/profiles/loose.json"
}

# change FILE FILTER - a document of the bundle
change() {
	jq "$2" "$bundle/$1" >"$bundle/$1.new" && mv "$bundle/$1.new" "$bundle/$1"
}
