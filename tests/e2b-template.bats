#!/usr/bin/env bats
# e2b-template - sbx-e2b template, against the stand-in: what it refuses, what it stages, what it sends, and what it leaves

load common
load e2b

bats_require_minimum_version 1.5.0

setup_file() {
	e2b_start
}

teardown_file() {
	e2b_stop
}

setup() {
	common_setup
	e2b_reset
	TMPDIR="$BATS_TEST_TMPDIR/a tmp"
	HOME=$BATS_TEST_TMPDIR/home
	export TMPDIR HOME
	mkdir "$TMPDIR" "$HOME"
	unset XDG_CONFIG_HOME GIT_DIR GIT_WORK_TREE
	name=template-$(new_run)
	repo=$BATS_TEST_TMPDIR/repo
	checkout "$repo"
	cd "$repo"
}

commit() {
	git -C "$repo" add -A
	git -C "$repo" -c user.name=tester -c user.email=tester@localhost commit -qm "${1:-a commit}"
}

# checkout DIR [DOCKERFILE] - a small repository with what the template is declared to need, committed. Its context has what the
# Dockerfile copies, with bytes that no other test has.
checkout() {
	mkdir -p "$1/cmd" "$1/lib" "$1/contrib" "$1/share/image"
	git init -q "$1"
	touch "$1/cmd/x.c" "$1/lib/x.c" "$1/contrib/build-shell" "$1/contrib/stage-context"
	cp "${2:-/dev/stdin}" "$1/share/image/Dockerfile.preview" <<-'END'
		# a comment
		FROM debian:bookworm-slim
		RUN useradd sandbox && \
		    # between two lines
		    echo 'é  "x"' >/tmp/x

		COPY tool /usr/local/bin/tool
		copy files /opt/files
		ENV A=1 \
		    B=two
		WORKDIR /workspace
		USER sandbox
		CMD ["sleep", "1800"]
	END
	awk 'toupper($1) == "COPY" { print $2 }' "$1/share/image/Dockerfile.preview" >"$1/share/image/sources"
	new_run >"$1/share/image/unique"
	cat >"$1/Makefile" <<-'END'
		CONTEXT = $(BUILD)/image/context
		.RECIPEPREFIX = >
		context:
		>mkdir -p $(CONTEXT)
		>chmod 755 $(CONTEXT)
		>for one in $$(cat share/image/sources); do \
		>	[ ! -e $(CONTEXT)/$$one ] || continue; \
		>	mkdir -p $(CONTEXT)/$$one/a/b $(CONTEXT)/$$one/empty && \
		>	cp share/image/unique $(CONTEXT)/$$one/a-b && \
		>	printf '%s\0\377' $$one >$(CONTEXT)/$$one/a/b/c && \
		>	chmod -R u=rwX,go=rX $(CONTEXT)/$$one && chmod 755 $(CONTEXT)/$$one/a-b; \
		>done
		>if [ -d $(CONTEXT)/tool ]; then rm -r $(CONTEXT)/tool && install -m 755 share/image/unique $(CONTEXT)/tool; fi
	END
	repo=$1 commit
}

# template [OPTION ...] - runs it for this test's template; the line that it prints is in $output
template() {
	run --separate-stderr sbx-e2b template --name "$name" "$@"
}

build() {
	template --confirm-paid-build "$@"
}

holds() {
	jq -e --arg name "$name" "$1" <<<"$output" >/dev/null || { echo "not so: $1" && echo "$output" && echo "${stderr:-}"; return 1; }
}

# fails_as REASON [STATUS] - it did, said so, and left nothing here
fails_as() {
	assert_failure "${2:-1}"
	holds '.status == "failed" and (.error | length) > 0'
	assert_equal "$(jq -r .reason <<<"$output")" "$1"
	nothing_left
}

nothing_left() {
	assert_equal "$(find "$TMPDIR" -mindepth 1)" ''
}

asked_nothing() {
	assert_equal "$(e2b_calls)" ''
}

# spec [N] - what this file's last build was, or the one N before it
spec() {
	e2b_ask GET builds | jq -S "[.[] | select(.spec)] | sort_by(.created) | .[-1 - ${1:-0}].spec"
}

rule() {
	e2b_switch "$(jq -cn --argjson rule "$1" '{rules: [$rule]}')"
}

@test "dry by default: it tells the plan, needs no key, stages and asks nothing" {
	unset E2B_API_KEY
	run --separate-stderr sbx-e2b template
	assert_success
	assert_equal "$(jq -c 'del(.hint)' <<<"$output")" \
	    '{"status":"dry_run","dockerfile":"share/image/Dockerfile.preview","template_name":"mozaiks-preview","cpu_count":2,"memory_mb":2048}'
	holds '.hint | contains("--confirm-paid-build")'
	assert_equal "$stderr" ''
	cp share/image/Dockerfile.preview other
	template --dockerfile other --cpu-count 8 --memory-mb 512
	assert_success
	holds '[.dockerfile, .template_name, .cpu_count, .memory_mb] == ["other", $name, 8, 512]'
	nothing_left
	asked_nothing
}

@test "arguments that can't be are usage errors, confirmed or not" {
	local wrong
	for wrong in --name=Upper '--name=a b' --name= --name=a/b --name=é --cpu-count=0 --cpu-count=-1 --cpu-count=1.5 --cpu-count=x \
	    --memory-mb=511 --memory-mb=513 --memory-mb=510 --memory-mb=1G --dockerfile= --dockerfile=/etc/passwd --dockerfile=../x \
	    --dockerfile=share//image '--dockerfile=a\b' operand --dry-run; do
		run --separate-stderr sbx-e2b template --confirm-paid-build "$wrong"
		assert_failure 2
		assert_output ''
		assert_equal "${#stderr_lines[@]}" 1
		assert_regex "$stderr" '^sbx-e2b template: .*see sbx-e2b template -h'
	done
	run --separate-stderr sbx-e2b template --confirm-paid
	assert_failure 2
	assert_regex "$stderr" 'must be written out'
	asked_nothing
}

@test "what is no part of the subset is refused with its place" {
	local line place text
	while IFS='|' read -r place text line; do
		printf '%b' "$line" >share/image/Dockerfile.preview
		template
		fails_as dockerfile_refused
		assert_regex "$(jq -r .error <<<"$output")" "^share/image/Dockerfile.preview:$place: .*$text"
	done <<-'END'
		2|ADD is not understood|FROM a\nADD x /y\nUSER a\nWORKDIR /\n
		3|ARG is not understood|\nFROM a\nARG x\n
		2|EXPOSE|FROM a\nEXPOSE 80\n
		2|SHELL|FROM a\nSHELL ["bash"]\n
		2|HEALTHCHECK|FROM a\nHEALTHCHECK NONE\n
		1|RUN before FROM|RUN x\nFROM a\n
		2|second FROM|FROM a\nFROM b\n
		1|FROM takes an image alone|FROM a AS b\n
		1|options|FROM --platform=linux/amd64 a\n
		1|understood in RUN and CMD alone|FROM $IMAGE\n
		2|options|FROM a\nCOPY --chown=x a /b\n
		2|one source|FROM a\nCOPY a b /c/\n
		2|plain name|FROM a\nCOPY ../a /b\n
		2|plain name|FROM a\nCOPY /a /b\n
		2|plain name|FROM a\nCOPY . /b\n
		2|plain name|FROM a\nCOPY a* /b\n
		2|absolute|FROM a\nCOPY a b\n
		2|plain name|FROM a\nCOPY ["a", "/b"]\n
		2|NAME=VALUE|FROM a\nENV A b\n
		2|NAME=VALUE|FROM a\nENV 1A=b\n
		2|RUN and CMD alone|FROM a\nENV A=$B\n
		2|RUN and CMD alone|FROM a\nENV A=b\\\\ c\n
		2|not closed|FROM a\nENV A="b\n
		2|absolute|FROM a\nWORKDIR b\n
		2|user's name|FROM a\nUSER a:b\n
		2|shell's line|FROM a\nRUN ["a"]\n
		2|shell's line|FROM a\nRUN --mount=type=cache a\n
		2|here-document|FROM a\nRUN cat <<EOF\nx\nEOF\n
		2|no quotes|FROM a\nCMD ["sh", "-c", "a b"]\n
		2|CMD|FROM a\nCMD ["sh"\n
		2|CMD is empty|FROM a\nCMD []\n
		2|nothing follows|FROM a\nRUN\n
		2|nothing follows|FROM a\nRUN \\\n
		2|no USER|FROM a\nWORKDIR /\n
		2|no WORKDIR|FROM a\nUSER a\n
		2|no FROM|# empty\n
		1|escape|# escape=`\nFROM a\n
		2|control|FROM a\nRUN a\rb\n
		1|not UTF-8|FROM \xff\n
	END
	rm share/image/Dockerfile.preview
	template
	fails_as dockerfile_unreadable
	ln -s /etc/passwd share/image/Dockerfile.preview
	template
	fails_as dockerfile_unreadable
	rm share/image/Dockerfile.preview
	mkdir share/image/Dockerfile.preview
	template
	fails_as dockerfile_unreadable
}

@test "a confirmed build: what is asked, sent and told" {
	local sha tar hash context_sha256
	build
	assert_success
	context_sha256=$(jq -r .context_sha256 <<<"$output")
	sha=$(git rev-parse HEAD)
	holds '.status == "built" and .template_name == $name and .dockerfile == "share/image/Dockerfile.preview"'
	holds '(keys | length) == 7'
	assert_equal "$(jq -r .source_sha <<<"$output")" "$sha"
	assert_equal "$(jq -r .build_id <<<"$output")" "$(e2b_ask GET builds | jq -r 'last | .id')"
	assert_equal "$(e2b_calls)" \
	    'template_request template_link template_put template_link template_put template_build template_status template_status'
	assert_equal "$(asked template_request)" "{\"cpuCount\":2,\"memoryMB\":2048,\"name\":\"$name\"}"
	assert_equal "$(jq -c '[.fromImage, .startCmd, .readyCmd, .force, [.steps[].type]]' <<<"$(spec)")" \
	    '["debian:bookworm-slim","sleep 1800","sleep 20",false,["USER","WORKDIR","RUN","COPY","COPY","ENV","WORKDIR","USER"]]'
	assert_equal "$(jq -r '.steps[2].args[0]' <<<"$(spec)")" "useradd sandbox &&     echo 'é  \"x\"' >/tmp/x"
	assert_equal "$(jq -c '[.steps[5].args, .steps[7].args]' <<<"$(spec)")" '[["A","1","B","two"],["sandbox"]]'

	mkdir "$BATS_TEST_TMPDIR/sent"
	cp share/image/Dockerfile.preview "$BATS_TEST_TMPDIR/sent"
	for hash in $(spec | jq -r '.steps[] | .filesHash // empty'); do
		tar=$BATS_TEST_TMPDIR/$hash.tar.gz
		e2b_ask GET uploads | jq -r --arg hash "$hash" '.[$hash].base64' | base64 -d >"$tar"
		tar -xzf "$tar" -C "$BATS_TEST_TMPDIR/sent"
		run tar -tvzf "$tar"
		refute_line --regexp '^[^d-]'
		refute_line --regexp '^[^ ]+ [^0]'
		assert_line --regexp '^.[^ ]+ 0/0 +[0-9]+ 1970-01-01 '
	done
	cmp "$BATS_TEST_TMPDIR/sent/tool" share/image/unique
	[ -x "$BATS_TEST_TMPDIR/sent/tool" ]
	[ -d "$BATS_TEST_TMPDIR/sent/files/empty" ]
	assert_equal "$(cd "$BATS_TEST_TMPDIR/sent" && digest)" "$context_sha256"
	nothing_left
}

# asked CALL - the body of the first such request
asked() {
	e2b_ask GET requests | jq -cS --arg call "$1" '[.[] | select(.call == $call)][0].body'
}

# The seeds' context_sha256 of the files here, in another language.
digest() {
	perl -MDigest::SHA -MFile::Find -e '
		find({no_chdir => 1, wanted => sub { push @files, substr $_, 2 if -f }}, ".");
		my $sha = Digest::SHA->new(256);
		for (sort @files) {
			open my $in, "<:raw", $_ or die;
			$sha->add($_, "\0", pack("Q>", -s $in))->addfile($in);
		}
		print $sha->hexdigest'
}

# sdk VERSION CONTEXT DOCKERFILE - the official client builds the same
sdk() {
	cd "$BUILD/e2b"
	run --separate-stderr "$E2B_NODE" "$TOP/tests/e2b/template-build.js" "$1" "$2" "$3" "$name"
	cd "$repo"
	assert_success
}

# White space between a command's words means nothing to a shell. We send it as Docker would; the official client does not, even within
# quotes, so a Dockerfile in which it is not all the same is not for both.
spaced() {
	jq -S '(.steps[] | select(.type == "RUN") | .args[0]) |= gsub("[ \t]+"; " ")'
}

# same_as_official DOCKERFILE - for both versions: the same steps, and files under names by which it has no need to send them again
same_as_official() {
	local version
	rm -rf "$repo"
	checkout "$repo" "$1"
	cd "$repo"
	build
	assert_success
	make -s BUILD="$BATS_TEST_TMPDIR/built" context
	for version in e2b e2b-2.45; do
		sdk "$version" "$BATS_TEST_TMPDIR/built/image/context" "$1"
		refute_line --partial Uploaded
		assert_equal "$(grep -c '^Skipping upload' <<<"$output")" "$(wc -l <share/image/sources)"
		diff <(spec 1 | spaced) <(spec | spaced)
		build
		assert_success
	done
}

@test "the image's own recipe means the same to us and to the official SDKs, and they find our files" {
	same_as_official "$TOP/share/image/Dockerfile.preview"
	assert [ "$(wc -l <share/image/sources)" -gt 0 ]
}

@test "so does a recipe with all that the subset has" {
	cat >"$BATS_TEST_TMPDIR/Dockerfile" <<-'END'
		# syntax=docker/dockerfile:1

		FROM registry.localhost:5000/some/image@sha256:0123
		env   A=b   C=d=e
		COPY dir /one
		USER root
		RUN 	set -e; \ 

		  # a comment
		  for x in 'a b' "c"; do echo $x # not one
		RUN one\
		two
		COPY dir/a-b /two/
		WORKDIR /three
		Run last \
		    # a comment
		    words
		CMD exec sleep   1
		USER nobody
		CMD ["/bin/sleep", "2"]
	END
	same_as_official "$BATS_TEST_TMPDIR/Dockerfile"
	assert_equal "$(spec | jq -c '[.steps[] | select(.type == "RUN") | .args[0]] | .[1:]')" '["onetwo","last     words"]'
	assert_equal "$(spec | jq -r .startCmd)" '/bin/sleep 2'
}

@test "where the official SDK changes what a recipe means, we keep it" {
	local command='printf "a  b\n" | sed "s/\./x/" \; echo \$HOME'
	printf '%s\n' 'FROM a' "RUN $command" 'ENV A="x y" B=" z"' 'WORKDIR /' 'USER x' >"$BATS_TEST_TMPDIR/Dockerfile"
	cp "$BATS_TEST_TMPDIR/Dockerfile" share/image/Dockerfile.preview
	echo >share/image/sources
	sed -i 's/for one in.*;/for one in;/' Makefile
	commit
	build
	assert_success
	assert_equal "$(spec | jq -r '.steps[2].args[0]')" "$command"
	assert_equal "$(spec | jq -c '.steps[3].args')" '["A","x y","B"," z"]'
}

@test "a checkout that is not the commit's is refused, and nothing is asked" {
	echo changed >>share/image/unique
	build
	fails_as checkout_refused
	holds '.error | endswith("M share/image/unique")'
	git checkout -q .
	touch new
	build
	fails_as checkout_refused
	holds '.error | endswith("?? new")'
	rm new
	cd share
	mkdir -p share/image
	cp image/Dockerfile.preview share/image
	build
	fails_as checkout_refused
	rm -r share
	cd ..
	printf 'other\n' >.gitignore
	cp share/image/Dockerfile.preview other
	commit
	build --dockerfile other
	fails_as dockerfile_untracked
	mv .git "$BATS_TEST_TMPDIR/git"
	build
	fails_as git_failed
	asked_nothing
}

@test "what may not be in a context is refused, and nothing is asked" {
	ln -s unique share/image/link
	commit
	build
	fails_as context_refused
	holds '.error == "share/image/link: is a link, not a file"'
	git rm -qf share/image/link
	touch 'share/image/back\slash'
	commit
	build
	fails_as context_refused
	git rm -qf 'share/image/back\\slash'
	commit
	git rm -rqf lib
	commit
	build
	fails_as context_refused
	holds '.error | startswith("lib: ")'
	git revert -n HEAD
	commit
	git update-index --add --cacheinfo "160000,$(git rev-parse HEAD),lib/module"
	git -c user.name=tester -c user.email=tester@localhost commit -qm module
	mkdir lib/module
	build
	fails_as context_refused
	holds '.error | contains("another repository")'
	git rm -qf lib/module
	commit
	mkdir -p .git/info
	echo 'share/image/unique export-ignore' >.git/info/attributes
	build
	fails_as context_refused
	holds '.error | contains("gitattributes")'
	asked_nothing
}

# made COMMAND - the context is made by this besides
made() {
	git checkout -q "$(git rev-list --max-parents=0 HEAD)" -- Makefile
	printf '>%s\n' "$1" >>Makefile
	commit
}

@test "what may not come of making a context is refused, and nothing is asked" {
	# shellcheck disable=SC2016
	while IFS='|' read -r reason error command; do
		made "$command"
		build
		fails_as "$reason"
		assert_regex "$(jq -r .error <<<"$output")" "$error"
	done <<-'END'
		context_refused|files/link: is a link|ln -s a-b $(CONTEXT)/files/link
		context_refused|empty: is a link|rm -r $(CONTEXT)/files/empty; ln -s / $(CONTEXT)/files/empty
		context_refused|files/pipe: is neither|mkfifo $(CONTEXT)/files/pipe
		context_refused|backslash|touch '$(CONTEXT)/files/a\b'
		context_refused|other: is there and nothing|touch $(CONTEXT)/other
		context_refused|.dockerignore: is there|touch $(CONTEXT)/.dockerignore
		context_refused|tool: is to be copied|rm $(CONTEXT)/tool
		stage_failed|make ended with 2: no room make|echo 'no room' >&2; exit 3
		stage_failed|image/context: No such file|rm -r $(CONTEXT)
		stage_failed|image/context: Not a directory|rm -r $(CONTEXT); ln -s / $(CONTEXT)
	END
	asked_nothing
}

@test "the key: needed, of the right form, and seen by nobody but the service" {
	local value
	for value in '' '   '; do
		E2B_API_KEY=$value build
		fails_as e2b_key_missing
	done
	E2B_API_KEY=nonsense build
	fails_as setting_invalid
	asked_nothing
	E2B_API_KEY=e2b_2222222222222222222222222222222222222222 build
	fails_as key_refused
	made 'env >$$HOME/env; cat /proc/$$PPID/cmdline >>$$HOME/env'
	mkdir "$BATS_TEST_TMPDIR/bin"
	for value in curl git tar; do
		printf '#!/bin/sh\n{ env; echo "$@"; } >>"%s"\nexec %s "$@"\n' "$HOME/env" "$(command -v "$value")" >"$BATS_TEST_TMPDIR/bin/$value"
		chmod 755 "$BATS_TEST_TMPDIR/bin/$value"
	done
	PATH=$BATS_TEST_TMPDIR/bin:$PATH build -v
	assert_success
	assert [ "$(grep -c -- --config "$HOME/env")" -gt 5 ]
	run grep -E 'E2B|e2b_|/upload/' "$HOME/env"
	assert_output ''
	refute_regex "$stderr" 'e2b_0000|/upload/'
}

@test "nothing is sent twice, and an address's own headers go with the files" {
	e2b_switch '{"upload_headers": {"x-some-check": "a\"b"}}'
	build
	assert_success
	assert_regex "$stderr" 'tool: uploading [0-9]+ bytes'
	e2b_ask DELETE requests
	build
	assert_success
	assert_regex "$stderr" 'tool: the service has it already'
	assert_equal "$(e2b_calls | grep -c template_put)" 0
}

@test "what the service refuses is told, and what there may be of it" {
	local rule reason state
	while IFS='|' read -r reason state rule; do
		new_run >share/image/unique
		commit
		rule "$rule"
		build
		fails_as "$reason"
		assert_equal "$(jq -r '.build_status // "none"' <<<"$output")" "$state"
		e2b_ask DELETE requests
	done <<-'END'
		template_refused|none|{"on": "template_request", "reply": {"status": 400, "json": {"code": 400, "message": "no"}}}
		rate_limited|none|{"on": "template_request", "reply": {"status": 429, "text": "slow down"}}
		access_refused|none|{"on": "template_request", "reply": {"status": 403, "json": {"code": 403, "message": "blocked"}}}
		template_refused|unknown|{"on": "template_request", "act": true, "reply": {"status": 500, "json": {"code": 500, "message": "x"}}}
		service_cut|unknown|{"on": "template_request", "act": true, "drop": true}
		e2b_reply_invalid|unknown|{"on": "template_request", "reply": {"status": 202, "json": {}}}
		e2b_reply_invalid|unknown|{"on": "template_request", "reply": {"status": 202, "json": {"templateID": "../x", "buildID": "y"}}}
		e2b_reply_invalid|unknown|{"on": "template_request", "reply": {"status": 202, "text": "<html>"}}
		upload_refused|waiting|{"on": "template_link", "reply": {"status": 500, "json": {"code": 500, "message": "x"}}}
		e2b_reply_invalid|waiting|{"on": "template_link", "reply": {"status": 201, "json": {"present": false}}}
		e2b_reply_invalid|waiting|{"on": "template_link", "reply": {"status": 201, "json": {"present": false, "url": "file:///etc/passwd"}}}
		upload_refused|waiting|{"on": "template_put", "reply": {"status": 403, "text": "<Error/>"}}
		service_cut|waiting|{"on": "template_put", "drop": true}
		template_refused|waiting|{"on": "template_build", "reply": {"status": 400, "json": {"code": 400, "message": "bad step"}}}
		build_unknown|building|{"on": "template_status", "reply": {"status": 404, "json": {"code": 404, "message": "gone"}}}
		e2b_reply_invalid|building|{"on": "template_status", "reply": {"status": 200, "json": {"status": "dancing"}}}
	END
}

@test "a build that fails: the step and the service's words, and that is the end of it" {
	e2b_switch '{"build_ms": 300, "build_error": {"step": "3", "message": "exit status 100"}}'
	build
	fails_as build_failed
	holds '.build_status == "error" and (.error | endswith("failed at step 3: exit status 100")) and (.template_id | length) == 20'
	refute_regex "$stderr" 'nothing here ends it'
}

@test "trouble while a build is followed passes, and a start that nobody answered is made sure of" {
	local rules
	for rules in '{"on": "template_status", "times": 2, "reply": {"status": 502, "text": "bad gateway"}}' \
	    '{"on": "template_status", "reply": {"status": 429, "text": "slow down"}}' \
	    '{"on": "template_status", "reply": {"status": 429, "headers": {"Retry-After": "1"}, "json": {"code": 429, "message": "Rate limit exceeded"}}}' \
	    '{"on": "template_status", "drop": true}' \
	    '{"on": "template_status", "reply": {"status": 200, "text": "<html>"}}' \
	    '{"on": "template_build", "drop": true}' \
	    '{"on": "template_build", "reply": {"status": 503, "json": {"code": 503, "message": "x"}}}' \
	    '{"on": "template_build", "act": true, "drop": true}' \
	    '{"on": "template_build", "act": true, "reply": {"status": 500, "json": {"code": 500, "message": "x"}}}'; do
		e2b_switch "{\"build_ms\": 500, \"rules\": [$rules]}"
		build
		assert_success
		holds '.status == "built"'
		assert_equal "$(e2b_ask GET builds | jq '[.[] | select(.status == "building")] | length')" 0
	done
	e2b_switch '{"rules": [{"on": "template_build", "times": 9, "reply": {"status": 503, "json": {"code": 503, "message": "x"}}}]}'
	build
	fails_as template_refused
	assert_equal "$(e2b_ask GET requests | jq '[.[] | select(.call == "template_build" and .status == 503)] | length')" 4
}

# interrupted PATTERN SIGNAL - starts a build, and sends the signal once it said so
interrupted() {
	sbx-e2b template --name "$name" --confirm-paid-build >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	local pid=$!
	until grep -q "$1" "$BATS_TEST_TMPDIR/err" "$HOME/env" 2>/dev/null; do
		kill -0 "$pid" || { cat "$BATS_TEST_TMPDIR/err"; return 1; }
		sleep 0.05
	done
	kill "-$2" "$pid"
	wait "$pid" || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/out")
	stderr=$(cat "$BATS_TEST_TMPDIR/err")
}

@test "a signal while it waits: nothing is left here, and what goes on there is told" {
	e2b_switch '{"build_ms": 60000}'
	status=0
	interrupted 'build [0-9a-f-]*: started' HUP
	fails_as stopped 129
	holds '.build_status == "building" and (.build_id | length) == 36'
	assert_regex "$stderr" "$name: the build is 'building' at the service, and nothing here ends it"
}

@test "a signal while the context is made: whoever made it is ended, and nothing is left" {
	local mark
	mark=$(new_run)
	made "echo begun >\$\$HOME/env; exec sh -c 'sleep 600; : $mark'"
	status=0
	interrupted begun TERM
	fails_as stopped 143
	run grep -rlsa "$mark" /proc/[0-9]*/cmdline
	refute_output --partial /proc/
	asked_nothing
}

# say_log TEXT-AS-JSON - the build's log is that
say_log() {
	e2b_switch "{\"rules\": [{\"on\": \"template_status\", \"skip\": 0, \"reply\": {\"status\": 200, \"json\":
	    {\"status\": \"building\", \"logEntries\": [{\"level\": \"info\", \"message\": $1}, {\"message\": 1}, 2]}}}]}"
}

@test "the log is shown as far as the terminal goes, and obeys nothing" {
	local text='"caf\u00e9 \u2713 \u001b[31mred\u001b[0m\u0007\u009b2J\ntwo\rthree"'
	say_log "$text"
	LC_ALL=C.UTF-8 build
	assert_success
	assert_regex "$stderr" $'\nsbx-e2b template: café ✓ red\\?\\?2J\nsbx-e2b template: two\nsbx-e2b template: three'
	say_log "$text"
	LC_ALL=C build
	assert_success
	assert_regex "$stderr" $'\nsbx-e2b template: caf\\? \\? red\\?\\?2J\n'
	say_log "$text"
	LC_ALL=nonsense build
	assert_success
	assert_regex "$stderr" $'\nsbx-e2b template: caf\\? \\? red\\?\\?2J\n'
	build -q
	assert_success
	assert_equal "$stderr" ''
}

@test "its help and its page know the same options" {
	sbx-e2b template -h | grep -oE -- '--[a-z-]+' | grep -vxE -- '--(help|quiet|verbose|version)' | sort -u >"$BATS_TEST_TMPDIR/helped"
	grep -oE 'Fl -[a-z][a-z0-9-]+' "$TOP/man/sbx-e2b-template.1" | sed 's/^Fl -/--/' | sort -u >"$BATS_TEST_TMPDIR/documented"
	diff "$BATS_TEST_TMPDIR/helped" "$BATS_TEST_TMPDIR/documented"
	run bash -c 'sbx-e2b template >/dev/full'
	assert_failure 2
	run sbx-e2b -qv --quiet template --memory-mb 512
	assert_success
	run sbx-e2b --json template
	assert_failure 2
	assert_output --partial "'template' has options of its own, which come after it"
}
