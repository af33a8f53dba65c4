#!/usr/bin/env bats
# sbx-stage - the gate: what is refused, by which rule, and what the accepted becomes

load common
bats_require_minimum_version 1.5.0

setup() {
	common_setup
	RUN=$(new_run)
	DIR=$SBX_STATE/runs/$RUN
	cd "$BATS_TEST_TMPDIR"
}

# stage [OPTION ...] BUNDLE - one line of this test's run through sbx-stage
stage() {
	start_line docker "$RUN" | sbx-stage "$@"
}

# A profile whose limits a small bundle can reach.
tight_profile() {
	mkdir -p share/profiles
	cp "$SBX_SHARE"/profiles/*.json share/profiles
	jq '.name = "tight" | .limits = {input_bytes: 2000, entries: 4, entry_bytes: 1000, total_bytes: 1500, ratio: 5}' \
	    share/profiles/static.json >share/profiles/tight.json
	export SBX_SHARE=$PWD/share
}

# A tree with what real ones have: an empty directory, an empty file, names beyond ASCII, contents that do not shrink.
lay_tree() {
	mkdir -p tree/sub/deep tree/empty tree/ünï
	echo '{"appId":"tree"}' >tree/app.json
	seq 1 5000 >tree/sub/deep/numbers
	: >tree/sub/nothing
	echo x >tree/ünï/日本語.txt
	head -c 100000 /dev/urandom >tree/noise
	chmod 755 tree/sub/deep/numbers
}

# pack_with_python ARCHIVE [store] - the files of tree
pack_with_python() {
	(cd tree && python3 - "../$1" "${2:-}") <<-'END'
		import os, sys, zipfile
		with zipfile.ZipFile(sys.argv[1], "w", 0 if sys.argv[2] else 8) as z:
		    for base, dirs, files in os.walk("."):
		        for name in dirs + files:
		            z.write(os.path.relpath(os.path.join(base, name)))
	END
}

nothing_left() {
	[ ! -e "$DIR" ] || [ -z "$(ls -A "$DIR")" ]
}

@test "every rule has a case that breaks it, and every case comes to its rule" {
	local rule profile options bundle got status want
	tight_profile
	mkdir cases
	"$TOP/tests/zip-cases" "$PWD/cases" >table
	while IFS=$'\t' read -r rule profile options bundle; do
		want=1 status=0
		[ "$rule" != accepted ] || want=0
		[ "$options" != - ] || options=
		# shellcheck disable=SC2086
		stage --profile "$profile" $options "$bundle" >line 2>err || status=$?
		got=$(jq -r '.error.rule // .error.reason // "accepted"' line)
		[ "$got" = "$rule" ] && [ "$status" -eq "$want" ] || fail "$bundle: $got ($status), not $rule"
		if [ "$rule" = accepted ]; then
			jq -e .bundle.tar_sha256 line >/dev/null
			rm -r "$DIR"
		else
			nothing_left || fail "$bundle: left $(ls -A "$DIR")"
			[ "$(wc -l <err)" -eq 1 ] && grep -q "^sbx-stage: $bundle: .*($rule)\$" err || fail "$bundle: $(cat err)"
		fi
	done <table
	diff <(sbx-stage --rules | cut -f 1 | sort) <(cut -f 1 table | grep -vx accepted | sort -u)
}

@test "the man page has each rule with its sentence" {
	diff <(sbx-stage --rules) <(sed -n 's/^\.It Sy \([a-z0-9_]*\) Ta \(.*\)/\1\t\2/p' "$TOP/man/sbx-stage.1" |
	    sed 's/\\(dq/"/g; s/\\&//g')
}

@test "a refusal names entry, offset, rule and both of two names" {
	python3 -c 'import zipfile; z = zipfile.ZipFile("twins.zip", "w"); z.writestr("a.txt", "1"); z.writestr("A.txt", "2")'
	run --separate-stderr stage --profile static twins.zip
	[ "$status" -eq 1 ]
	[ "$(jq -c '.error | [.by, .reason, .status, .rule, .entry, .other]' <<<"$output")" = \
	    '["sbx-stage","name_refused",1,"name_case","A.txt","a.txt"]' ]
	offset=$(jq .error.offset <<<"$output")
	[ "$(tail -c +$((offset + 1)) twins.zip | head -c 4 | od -An -tx1 | tr -d ' ')" = 504b0102 ]
	[ "$stderr" = "sbx-stage: twins.zip: entry 'A.txt' at offset $offset: $(sbx-stage --rules |
	    sed -n 's/^name_case\t//p'): 'a.txt' (name_case)" ]
}

@test "names that are no text are told as text, without what a terminal would obey" {
	python3 -c 'import zipfile; z = zipfile.ZipFile("evil.zip", "w"); z.writestr("a\x1b[2Jb", "")'
	run --separate-stderr stage --profile static evil.zip
	[ "$(jq -r .error.rule <<<"$output")" = name_control ]
	[[ $stderr != *$'\e'* ]]
	[ "$(jq .error.entry <<<"$output")" = '"a\u001b[2Jb"' ]
}

# The archives of another project's tests (MIT), where this machine has them: what it refuses is refused here too, and of what
# it reads each refusal has its rule.
@test "another reader's test archives: its failures are refused, its successes accepted or refused by a named rule" {
	local data=$TOP/../shared/data/zip-yauzl archive rule
	if [ ! -d "$data" ]; then
		echo "# ../shared/data/zip-yauzl is not here: only this project's own cases were run" >&3
		return 0
	fi
	[ "$(ls "$data/failure" | wc -l)" -eq 24 ]
	[ "$(ls "$data/success" | wc -l)" -eq 22 ]
	for archive in "$data"/failure/*.zip; do
		stage --profile static "$archive" >line 2>/dev/null && fail "accepted: $archive"
		sbx-stage --rules | cut -f 1 | grep -qx "$(jq -r .error.rule line)"
	done
	for archive in "$data"/success/*.zip; do
		stage --profile static "$archive" >line 2>/dev/null || :
		printf '%s %s\n' "$(basename "$archive" .zip)" "$(jq -r '.error.rule // "accepted"' line)"
	done >got
	diff got - <<-'END'
		NtfsTimestamp accepted
		big-compression limit_ratio
		big-uncompressed accepted
		bogus-compression-method method
		cygwin-info-zip accepted
		deflate accepted
		directories accepted
		empty bundle_empty
		everything accepted
		linux-info-zip accepted
		sloppy-filenames name_backslash
		streaming accepted
		traditional-encryption-and-compression encrypted
		traditional-encryption-and-compression_deprecated encrypted
		traditional-encryption encrypted
		traditional-encryption_deprecated encrypted
		unicode-path-extra-field unicode_path
		unicode accepted
		unix-epoch accepted
		windows-7-zip accepted
		windows-compressed-folder accepted
		zip64 zip64_extra
	END
}

@test "whoever packed the files, and a directory of them: one tar" {
	lay_tree
	pack_with_python deflated.zip
	pack_with_python stored.zip store
	(cd tree && python3 -m zipfile -c ../streamed.zip ./* && git init -q . && git add -A &&
	    git -c user.name=x -c user.email=x@example.org commit -qm x && git archive --format=zip -o ../git.zip HEAD &&
	    rm -rf .git)
	stage tree >line
	want=$(jq -r .bundle.tar_sha256 line)
	[ "$want" = "$(sha256sum <"$DIR/bundle.tar" | cut -d ' ' -f 1)" ]
	for archive in deflated stored; do
		[ "$(stage $archive.zip | jq -r .bundle.tar_sha256)" = "$want" ] || fail "$archive"
	done
	# what packs no empty directories
	rmdir tree/empty
	want=$(stage tree | jq -r .bundle.tar_sha256)
	[ "$(stage git.zip | jq -r .bundle.tar_sha256)" = "$want" ]
	# zip(1) with names that it can tell, to a file and into a pipe, whose entries have data descriptors
	rm -r tree/ünï
	(cd tree && zip -qr ../zip.zip . && zip -qrD ../flat.zip . && zip -qr - . | cat >../pipe.zip)
	want=$(stage tree | jq -r .bundle.tar_sha256)
	for archive in zip flat pipe; do
		[ "$(stage $archive.zip | jq -r .bundle.tar_sha256)" = "$want" ] || fail "$archive"
	done
}

@test "what comes out is what unzip and Python unpack" {
	lay_tree
	pack_with_python a.zip
	stage --profile node a.zip >/dev/null
	mkdir ours theirs pythons
	tar -xf "$DIR/bundle.tar" -C ours
	unzip -q a.zip -d theirs
	python3 -m zipfile -e a.zip pythons
	diff -r ours tree
	diff -r ours theirs
	diff -r ours pythons
}

@test "the tar: sorted, parents first and once, one owner, fixed modes, time 0" {
	mkdir -p t/a/b t/a-b
	echo 1 >t/a/b/c
	echo 2 >t/a/x
	echo 3 >t/a-b/y
	echo 4 >t/a.txt
	chmod 700 t/a t/a/x
	stage --profile static t >/dev/null
	run tar --numeric-owner --utc --full-time -tvf "$DIR/bundle.tar"
	assert_output - <<-'END'
		drwxr-xr-x 10001/10001       0 1970-01-01 00:00:00 a-b/
		-rw-r--r-- 10001/10001       2 1970-01-01 00:00:00 a-b/y
		-rw-r--r-- 10001/10001       2 1970-01-01 00:00:00 a.txt
		drwxr-xr-x 10001/10001       0 1970-01-01 00:00:00 a/
		drwxr-xr-x 10001/10001       0 1970-01-01 00:00:00 a/b/
		-rw-r--r-- 10001/10001       2 1970-01-01 00:00:00 a/b/c
		-rw-r--r-- 10001/10001       2 1970-01-01 00:00:00 a/x
	END
	tar -tf "$DIR/bundle.tar" | LC_ALL=C sort -c
	[ "$(jq -r '.files[].path' "$DIR/manifest.json" | LC_ALL=C sort -c && jq '.files | length' "$DIR/manifest.json")" = 4 ]
}

# The digest itself, so that another machine, library or build that writes another tar is found out.
@test "the tar of an example has the digest that it has everywhere" {
	mkdir -p t/pages "t/$(printf 'long%.0s' {1..40})"
	echo '{"appId":null}' >t/app.json
	echo x >t/pages/ä.tsx
	echo y >"t/$(printf 'long%.0s' {1..40})/$(printf 'name%.0s' {1..40})"
	[ "$(stage t | jq -r .bundle.tar_sha256)" = d003cad103eb303af338a864cf5be2f6f7fd6e18ee3c09eafa35464327e54097 ]
}

@test "the workspace of a canonical bundle" {
	mkdir -p t/workflows/w t/app/pages t/.github/workflows t/modules
	echo '{"appId":"todo"}' >t/app.json
	for name in workflows/w/workflow.json app/pages/a.tsx .github/workflows/ci.yml requirements.txt Dockerfile .env.example \
	    modules/m.py README.md; do echo x >t/$name; done
	stage t >line
	run tar -tf "$DIR/bundle.tar"
	assert_output - <<-'END'
		.env.example
		.github/
		.github/workflows/
		.github/workflows/ci.yml
		Dockerfile
		app/
		app/README.md
		app/app.json
		app/modules/
		app/modules/m.py
		app/pages/
		app/pages/a.tsx
		requirements.txt
		workflows/
		workflows/w/
		workflows/w/workflow.json
	END
	[ "$(jq -c '.bundle | [.path, .files, .profile, .app_id, .canonical, .tar, .manifest]' line)" = \
	    "[\"t\",9,\"mozaiks\",\"todo\",true,\"$DIR/bundle.tar\",\"$DIR/manifest.json\"]" ]
	[ "$(jq -c '.files[] | select(.path == "app/app.json")' "$DIR/manifest.json")" = \
	    "{\"path\":\"app/app.json\",\"bundle_path\":\"app.json\",\"size\":17,\"sha256\":\"$(sha256sum <t/app.json |
	    cut -c 1-64)\",\"mode\":420}" ]
	[ "$(jq -c '[.sbx_manifest, .owner]' "$DIR/manifest.json")" = '[1,{"uid":10001,"gid":10001}]' ]
	[ "$(jq '[.files[].size] | add' "$DIR/manifest.json")" = "$(jq .bundle.total_bytes line)" ]
}

@test "the digest: of the archive, in either form; of a directory's tar" {
	lay_tree
	pack_with_python a.zip
	hex=$(sha256sum <a.zip | cut -c 1-64)
	for form in "$hex" "sha256:$hex" "${hex^^}"; do
		[ "$(stage --sha256 "$form" a.zip | jq -r .bundle.sha256)" = "$hex" ]
	done
	[ "$(stage a.zip | jq .bundle.bytes)" = "$(wc -c <a.zip)" ]
	rm -r "$DIR"
	echo >>a.zip
	run --separate-stderr stage --sha256 "$hex" a.zip
	[ "$status" -eq 1 ]
	[ "$(jq -r .error.reason <<<"$output")" = digest_mismatch ]
	[ "$(jq -r .error.sha256 <<<"$output")" = "$(sha256sum <a.zip | cut -c 1-64)" ]
	nothing_left
	tar=$(stage tree | jq -r '.bundle | select(.sha256 == .tar_sha256) | .sha256')
	[ "$(stage --sha256 "$tar" tree | jq -r .bundle.tar_sha256)" = "$tar" ]
	run stage --sha256 "${hex:1}" a.zip
	[ "$status" -eq 2 ]
}

@test "an archive can come through a pipe, is read once, and at no more than its limit" {
	lay_tree
	pack_with_python a.zip
	mkfifo fifo
	(sleep 0.2; cat a.zip >fifo) &
	[ "$(stage fifo | jq -r .bundle.sha256)" = "$(sha256sum <a.zip | cut -c 1-64)" ]
	tight_profile
	run stage --profile tight /dev/zero
	[ "$status" -eq 1 ]
	[[ $output == *limit_input* ]]
}

@test "what can't be read is trouble; a line with an error or a bundle is not acted on" {
	run stage nowhere.zip
	[ "$status" -eq 2 ]
	[[ $output == *bundle_unreadable* ]]
	run sbx-stage nowhere.zip <<<'{"sbx":1,"run":"x"}'
	[ "$status" -eq 2 ]
	[[ $output == *run_missing* ]]
	lay_tree
	run --separate-stderr sbx-stage tree <<<"{\"sbx\":1,\"run\":\"$RUN\",\"error\":{\"by\":\"x\",\"reason\":\"y\",\"status\":75}}"
	[ "$status" -eq 75 ]
	[[ $output != *bundle* ]]
	nothing_left
	run --separate-stderr sbx-stage tree <<<"{\"sbx\":1,\"run\":\"$RUN\",\"bundle\":{}}"
	[ "$status" -eq 2 ]
	nothing_left
	run sbx-stage
	[ "$status" -eq 2 ]
}

@test "a caller that ignores SIGCHLD does not keep the parser's end from us" {
	lay_tree
	pack_with_python a.zip
	start_line docker "$RUN" >in
	python3 -c 'import os, signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execvp(sys.argv[1], sys.argv[1:])' \
	    sbx-stage a.zip <in >line
	jq -e .bundle line
}

@test "what is staged is for us alone" {
	lay_tree
	stage tree >/dev/null
	[ "$(stat -c %a "$DIR" "$DIR/bundle.tar" "$DIR/manifest.json" | sort -u | paste -sd ' ')" = '600 700' ]
}

@test "profiles: found by name, and refused when their shape is wrong" {
	local change
	lay_tree
	tight_profile
	for name in nosuch ../profiles/node 'a b' -- ''; do
		run stage --profile "$name" tree
		[ "$status" -eq 2 ] || fail "$name"
	done
	while read -r change; do
		jq "$change" "$TOP/share/profiles/mozaiks.json" | jq '.name = "wrong"' >share/profiles/wrong.json
		run --separate-stderr stage --profile wrong tree
		[ "$status" -eq 2 ] && [ "$(jq -r .error.reason <<<"$output")" = profile_invalid ] || fail "$change: $output"
	done <<-'END'
		.unknown = 1
		.smoke = []
		.smoke.unknown = 1
		del(.smoke.title)
		.smoke.command = ""
		.smoke.limit_s = 0
		.smoke.needs = ["relative"]
		del(.smoke.claims)
		.steps[0].id = "smoke"
		del(.title)
		.canonical = "yes"
		del(.needs_acceptance)
		del(.layout)
		.layout = {flat: false}
		.layout.flat = true
		.layout.app_prefix = "app"
		.layout.app_prefix = "/app/"
		.layout.app_prefix = "../"
		.layout.keep = ["../x"]
		.layout.keep = [1]
		.layout.other = 1
		del(.owner.uid)
		.owner.uid = -1
		.owner.gid = 65535
		.limits.entries = 10001
		.limits.entries = 0
		.limits.input_bytes = 200000001
		.limits.ratio = "1"
		.limits.other = 1
		.env = {"A-B": "x"}
		.env = {"A": 1}
		.steps = {}
		.steps = [{"id": "x"}]
		.steps = [{id: "X", title: "t", command: "c", cwd: "/", limit_s: 1}]
		.steps = [{id: "x", title: "t", command: "c", cwd: "w", limit_s: 1}]
		.steps = [{id: "x", title: "t", command: "c", cwd: "/", limit_s: 0}]
		.steps = [{id: "x", title: "t", command: "", cwd: "/", limit_s: 1}]
		.steps = [{id: "x", title: "t", command: "c", cwd: "/", limit_s: 1, skip: true}]
		.steps = [{id: "x", title: "t", command: "c", cwd: "/", limit_s: 1}, {id: "x", title: "t", command: "c", cwd: "/", limit_s: 1}]
		.claims = [""]
		.not_claimed = "x"
	END
	cp share/profiles/node.json share/profiles/renamed.json
	run stage --profile renamed tree
	[ "$status" -eq 2 ]
	[[ $output == *profile_invalid* ]]
}

@test "a directory that is written to while it is read is refused or whole, never half" {
	mkdir t
	for i in {1..200}; do echo "$i" >t/$i; done
	(while :; do mv t/7 t/seven 2>/dev/null; mv t/seven t/7; done) &
	mover=$!
	for _ in {1..20}; do
		if stage --profile static t >line 2>/dev/null; then
			[ "$(tar -tf "$DIR/bundle.tar" | wc -l)" -eq 200 ]
			rm -r "$DIR"
		else
			[ "$(jq -r .error.rule line)" = changed ]
			nothing_left
		fi
	done
	kill $mover
	wait $mover || :
}

# An archive whose parsing takes long enough to be met by a signal: 500 MB of output, padded to stay below the ratio.
slow_archive() {
	python3 - <<-'END'
		import os, zipfile
		with zipfile.ZipFile("slow.zip", "w", 8, compresslevel=1) as z:
		    for i in range(8):
		        z.writestr(str(i), bytes(60_000_000))
		    z.writestr("noise", os.urandom(3_000_000))
	END
}

# child_of PID - waits for one
child_of() {
	local child
	for _ in {1..500}; do
		child=$(pgrep -P "$1" | head -n 1) && [ -n "$child" ] && break
		sleep 0.01
	done
	echo "$child"
}

@test "a parser that dies is no acceptance" {
	slow_archive
	start_line docker "$RUN" >in
	sbx-stage --profile static slow.zip <in >line 2>err &
	parent=$!
	kill -9 "$(child_of $parent)"
	status=0
	wait $parent || status=$?
	[ "$status" -eq 2 ]
	[ "$(jq -r .error.reason line)" = parser_died ]
	nothing_left
}

@test "a signal ends the parser and leaves nothing; so does the death of its parent" {
	slow_archive
	start_line docker "$RUN" >in
	sbx-stage --profile static slow.zip <in >line 2>err &
	parent=$! child=$(child_of $!)
	kill -TERM $parent
	status=0
	wait $parent || status=$?
	[ "$status" -eq 143 ]
	[ "$(jq -r .error.reason line)" = stopped ]
	nothing_left
	run -1 kill -0 "$child"

	sbx-stage --profile static slow.zip <in >line 2>err &
	parent=$! child=$(child_of $!)
	kill -KILL $parent
	wait $parent || :
	for _ in {1..100}; do kill -0 "$child" 2>/dev/null || break; sleep 0.02; done
	run -1 kill -0 "$child"
	# the run's directory goes with the run
	[ "$(ls "$DIR" | grep -cv '^bundle\.tar\.')" -eq 0 ]
}

@test "once jailed, the parser only computes, writes to its pipes and ends" {
	lay_tree
	pack_with_python a.zip
	start_line docker "$RUN" >in
	ASAN_OPTIONS=detect_leaks=0 strace -f -qq -e signal=none -o trace sbx-stage a.zip <in >/dev/null
	child=$(awk '/clone|fork/ { print $NF; exit }' trace)
	[ -n "$child" ]
	awk -v child="$child" '$1 == child && jailed && $2 != "<..." { sub(/\(.*/, "", $2); print $2 }
		$1 == child && $2 ~ /^seccomp\(SECCOMP_SET_MODE_FILTER/ && $NF == 0 { jailed = 1 }' trace | sort -u >calls
	[ -s calls ]
	allowed='write|mmap|munmap|mremap|brk|exit_group|\+\+\+'
	! ldd "$BUILD/bin/sbx-stage" | grep -q libasan || allowed="$allowed|madvise|sigaltstack"
	run grep -vxE "$allowed" calls
	assert_output ''
}

@test "memory does not grow with the number of entries" {
	python3 - <<-'END'
		import zipfile
		for count in 100, 9000:
		    with zipfile.ZipFile(f"{count}.zip", "w", 8) as z:
		        for i in range(count):
		            z.writestr(f"f{i}", b"".join(b"%d " % (i * k) for k in range(270_000 // count)))
	END
	for count in 100 9000; do
		start_line docker "$RUN" | env time -f %M -o peak$count sbx-stage --profile static $count.zip >/dev/null
	done
	# kilobytes: names, places and digests of 8,900 more entries, and nothing else; sanitizers keep what was freed
	most=16384
	! ldd "$BUILD/bin/sbx-stage" | grep -q libasan || most=262144
	[ $(($(cat peak9000) - $(cat peak100))) -lt $most ]
}

@test "the example of sbx-profile(5) is a profile" {
	lay_tree
	mkdir -p share/profiles
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$TOP/man/sbx-profile.5" | sed '1d;$d' >share/profiles/site.json
	export SBX_SHARE=$PWD/share
	[ "$(stage --profile site tree | jq -r .bundle.profile)" = site ]
}
