#!/usr/bin/env bats
# accept-rules - what each acceptance rule finds and what it lets be, in bundles as somebody might write them to get past

load common
load accept
bats_require_minimum_version 1.5.0

# ---- app.json and its references, as somebody might write them to get past

@test "an app.json that is no app.json" {
	loose_profile
	lay todo
	while IFS='|' read -r text message; do
		printf '%b' "$text" >"$bundle/app.json"
		accept loose
		fails app_shape
		says "$message"
		holds '.acceptance.skipped | map(.rule) | index("page_references") and index("root_files")'
	done <<-'END'
		|not strict JSON
		[]|must be an object
		"x"|must be an object
		null|must be an object
		1|must be an object
		{"title":"a","title":"b"}|duplicate object key
		{"title":1e400}|not strict JSON
		{"title":12345678901234567890}|not strict JSON
		\xef\xbb\xbf{}|not strict JSON
		{"title":"\\ud800"}|not strict JSON
		{"title":"\\u0000"}|not strict JSON
		{"title":"\xff"}|not strict JSON
		{"title":"a"} x|not strict JSON
		{'title':"a"}|not strict JSON
		{"title":"a",}|not strict JSON
		{"title":NaN}|not strict JSON
		// no\n{}|not strict JSON
	END
	printf '{"title":%s1%s}' "$(printf '[%.0s' {1..40})" "$(printf ']%.0s' {1..40})" >"$bundle/app.json"
	accept loose
	fails app_shape
	says 'nested deeper than 32'
	printf '{"title":%s' "$(printf '[%.0s' {1..100000})" >"$bundle/app.json"
	accept loose
	fails app_shape
	rm "$bundle/app.json"
	accept loose
	fails app_shape
	says 'not in the bundle'
}

@test "members of app.json that are not what they should be" {
	local filter message
	while IFS='~' read -r filter message; do
		lay todo
		change app.json "$filter"
		accept
		assert_failure 1
		holds '.acceptance.failed[0] == "app_shape"'
		says "$message"
	done <<-'END'
		.extra = 1~unknown member "extra"
		.["a\u001bb"] = 1~unknown member
		del(.title)~has no title
		.title = " "~app.title: must be text
		.title = null~app.title
		.pages = []~app.pages: must be a list that is not empty
		.pages = {}~app.pages
		del(.pages)~has no pages
		.pages[0] = "x"~app.pages[0]: must be an object
		.pages[0].path = "open"~app.pages[0].path
		.pages[0].path = "/a//b"~app.pages[0].path
		.pages[0].path = "/a/../b"~app.pages[0].path
		.pages[0].path = "/*"~app.pages[0].path
		.pages[0].path = "/a/"~app.pages[0].path
		.pages[0].path = "/a\n"~app.pages[0].path
		.pages[0].path = "/done"~two are at /done
		.pages[0].path = "/a/:x" | .pages[1].path = "/a/:y"~two are at
		.pages[0].component = 7~app.pages[0].component
		.modules = "x"~app.modules
		.modules[0].id = "a.b"~app.modules[0].id
		.modules[0].actions = []~app.modules[0].actions
		.modules += .modules~stands there twice
		.modules[0].actions[0].name = "get"~app.modules[0].actions: "get" stands there twice
		.modules[0].actions[0].handler = "handlers.py"~a handler as file.py:function
		.modules[0].actions[0].handler = "handlers.py:a b"~a handler as file.py:function
		.modules[0].actions[0].handler = "handlers.py:create\n"~a handler as file.py:function
		.authRequired = "no"~app.authRequired: must be true or false
		.workflows = ["../x"]~app.workflows[0]
		.workflows = ["a", "a"]~app.workflows: "a" stands there twice
		.assets = [1]~app.assets[0]
		.appId = ""~app.appId
		.appId = "a/b"~app.appId
		.theme = []~app.theme
	END
}

@test "an app that is compiled only may have no identity" {
	local filter
	for filter in '.appId = null' 'del(.appId)'; do
		lay todo
		change app.json "$filter"
		accept
		fails
	done
}

@test "references that leave the bundle, or find nothing in it" {
	local name message
	mkdir -p "$BATS_TEST_TMPDIR/outside"
	while IFS='|' read -r name message; do
		lay todo
		jq --arg name "$(printf '%b' "$name")" '.pages[0].component = $name' "$bundle/app.json" >"$BATS_TEST_TMPDIR/app" &&
		    mv "$BATS_TEST_TMPDIR/app" "$bundle/app.json"
		accept
		fails page_references
		says "$message"
	done <<-'END'
		../app/pages/Open.tsx|no plain path
		/workspace/app/pages/Open.tsx|no plain path
		pages/../pages/Open.tsx|no plain path
		pages/./Open.tsx|no plain path
		./pages/Open.tsx|no plain path
		pages//Open.tsx|no plain path
		pages/Open.tsx/|no plain path
		pages\\\\Open.tsx|no plain path
		C:pages/Open.tsx|no plain path
		pages/Open.tsx\nx|no plain path
		pages/open.tsx|a name that differs in case is
		pages/Open|is not in the bundle
		pages|is a directory
		pages/Ope\u0301n.tsx|is not in the bundle
		components/TaskList.tsx|is not a source of TypeScript or JavaScript below pages
		app.json|is not a source
		modules/tasks/handlers.py|is not a source
	END
	lay todo
	mkdir "$bundle/pages/Deep.tsx"
	echo x >"$bundle/pages/Deep.tsx/x.css"
	echo x >"$bundle/pages/types.d.ts"
	change app.json '.pages[0].component = "pages/Deep.tsx"'
	accept
	says 'is a directory'
	change app.json '.pages[0].component = "pages/types.d.ts"'
	accept
	says 'is not a source'
}

@test "modules, assets, documents and workflows that lead elsewhere" {
	local filter rule message
	while IFS='|' read -r filter rule message; do
		lay inventory
		change app.json "$filter"
		accept
		assert_failure 1
		holds ".acceptance.failures[0] | .rule == \"$rule\""
		says "$message"
	done <<-'END'
		.modules[0].path = "../modules/items"|module_references|no plain path
		.modules[0].path = "modules/Items"|module_references|differs in case
		.modules[0].path = "/etc"|module_references|no plain path
		.modules[0].actions[0].handler = "../orders/handlers.py:draft"|module_references|no plain path
		.modules[0].actions[0].handler = "lib/handlers.py:create"|module_references|is not in the bundle
		.assets = ["../app.json"]|asset_references|no plain path
		.assets = ["modules"]|asset_references|is a directory
		.theme = "brand/theme.json"|declared_documents|is not in the bundle
		.theme = "../theme.json"|declared_documents|no plain path
		.dataContract = "contracts"|declared_documents|is a directory
		.dataContract = "modules/items/handlers.py"|declared_documents|is not named *.json
		.dataContract = "app.json"|data_contract|has no entities
		.theme = "app.json"|theme|has no source
		.workflows = ["restock", "again"]|declared_documents|"workflows/again/workflow.json" is not in the bundle
	END
}

@test "documents that can't be read fail once, and what depends on them is skipped" {
	lay notes
	printf '{"permissions":[],"permissions":[]}' >"$bundle/contracts/auth.json"
	accept
	fails declared_documents
	says 'contracts/auth.json: is not strict JSON: duplicate object key'
	holds '[.acceptance.skipped[].rule] | index("permissions") and index("auth_contract")'
	echo '[]' >"$bundle/contracts/auth.json"
	accept
	fails declared_documents
	says 'contracts/auth.json: is not an object'
}

@test "a bundle that is laid out as the workspace is judged as well" {
	lay inventory
	mkdir "$bundle/app"
	mv "$bundle"/{app.json,components,contracts,modules,pages} "$bundle/app"
	accept
	fails
	sed -i 's/"sku"\]\]/"sku"],["nothing"]]/' "$bundle/app/contracts/data.json"
	accept
	fails data_contract
	holds '.acceptance.failures[0].path == "app/contracts/data.json"'
}

# ---- single rules

@test "data_contract: fields, defaults and indexes" {
	local filter message
	while IFS='|' read -r filter message; do
		lay inventory
		change contracts/data.json "$filter"
		accept
		fails data_contract
		says "$message"
	done <<-'END'
		.entities = []|contract.entities: must be a list that is not empty
		.entities[0].fields[0].type = "text"|one of string, integer
		.entities[0].fields[0].name = "id"|not the store's own "id"
		.entities[0].fields[0].name = "a-b"|a name of letters, digits and underscores
		.entities[0].fields[0].unique = true|unknown member "unique"
		.entities[0].fields[2].default = "0"|its default does not fit its type integer
		.entities[0].fields[2].default = 1.5|does not fit
		.entities[0].fields[2].default = null|does not fit
		.entities[0].fields[2].default = 9007199254740993|does not fit
		.entities[0].fields[2].default = true|does not fit
		.entities[0].fields[2].required = true|is required, so its default would never be filled in
		.entities[0].fields[1].name = "sku"|"sku" stands there twice
		.entities[1].name = "item"|"item" stands there twice
		.entities[0].uniqueIndexes = [[]]|a list of fields that is not empty
		.entities[0].uniqueIndexes = ["sku"]|contract.entities[0].uniqueIndexes[0]
		.entities[0].uniqueIndexes = [["sku", "sku"]]|"sku" stands there twice
		.entities[0].uniqueIndexes = [["id"]]|there is no field "id"
		.entities[0].fields[0].type = "object"|the values of an object can't be compared
	END
	lay inventory
	change contracts/data.json '.entities[0].uniqueIndexes = [["place"], ["sku", "place"]]'
	accept
	fails
	holds '.acceptance.warnings | length == 1 and (.[0].message | contains("one record alone"))'
	change contracts/data.json '.entities[0].fields += [
	    {name: "a", type: "number", default: 1.5}, {name: "b", type: "boolean", default: false},
	    {name: "c", type: "object", default: {}}, {name: "d", type: "array", default: []}, {name: "e", type: "string"}]'
	accept
	fails
}

@test "auth: posture, contract and permissions" {
	local file filter rule message
	while IFS='~' read -r file filter rule message; do
		lay notes
		change "$file" "$filter"
		accept
		assert_failure 1
		holds ".acceptance.failed | index(\"$rule\")"
		says "$message"
	done <<-'END'
		app.json~.authRequired = false~auth_posture~authRequired is false, and yet
		app.json~del(.authContract)~permissions~the app's authContract has no permission
		app.json~.authRequired = true | del(.authContract, .modules[].actions[].permission)~auth_posture~there is no authContract
		app.json~del(.authRequired, .authContract, .modules[].actions[].permission)~auth_posture~there is no authContract
		app.json~.modules[0].actions[0].permission = "notes.admin"~permissions~has no permission "notes.admin"
		contracts/auth.json~.callbackPath = "https://elsewhere/"~auth_contract~contract.callbackPath
		contracts/auth.json~.callbackPath = "//elsewhere"~auth_contract~contract.callbackPath
		contracts/auth.json~del(.callbackPath)~auth_contract~has no callbackPath
		contracts/auth.json~.permissions += ["notes.read"]~auth_contract~stands there twice
		contracts/auth.json~.roles.writer = "all"~auth_contract~roles."writer"
		contracts/auth.json~.roles.writer += ["all"]~permissions~has no permission "all"
	END
	lay notes
	change app.json 'del(.authRequired)'
	accept
	fails
}

@test "theme: shape, and whose it is" {
	local filter message
	while IFS='|' read -r filter message; do
		lay todo
		change brand/theme_config.json "$filter"
		accept
		fails theme
		says "$message"
	done <<-'END'
		.source = "default"|theme.source: must be "custom"
		.app_id = "notes"|is not the app's own, "todo"
		.colors.light.primary = "#fff"|a color as #rrggbb
		.colors.light.accent = "#ffffff"|unknown member "accent"
		.colors.dim = {}|unknown member "dim"
		.font = "x;} body{"|a font's name
		.logo = 1|theme.logo
	END
	lay todo
	change brand/theme_config.json '.logo = "app.json"'
	accept
	fails asset_references
	says 'brand/theme_config.json: theme.logo: "app.json" is not an image'
}

@test "workflows: shape, and those that nobody lists" {
	lay inventory
	change workflows/restock/workflow.json '.id = "other"'
	accept
	fails workflow_shape
	says "is not its directory's name"
	lay inventory
	change app.json 'del(.workflows)'
	accept
	fails
	holds '.acceptance.warnings == [{rule: "workflow_shape", path: "workflows/restock/workflow.json",
	    message: "app.json does not list this workflow, so nobody can start it"}]'
}

# with_handler TEXT - the todo example, whose action get is in a file of its own
with_handler() {
	lay todo
	change app.json '.modules[0].actions[2].handler = "own.py:get"'
	printf '%b' "$1" >"$bundle/modules/tasks/own.py"
	accept
}

@test "handlers_implemented: ways to define a function, and ways not to" {
	local text
	while read -r text; do
		with_handler "$text"
		fails
	done <<-'END'
		async def get(ctx, payload):\n    return 1\n
		def get(ctx, payload):\n    return 1
		\xef\xbb\xbfasync def get(ctx, payload):\r\n    return 1\r\n
		@cached\nasync   def get (\n    ctx,\n    payload,\n):\n    return 1\n
		get = make("get")\n
		get: Handler = make("get")\n
		from .impl import get\n
		from .impl import fetch as get  # as it was called\n
		from .impl import (\n    create,\n    fetch as get,  # it was fetch\n)\n
		from .impl import *\n
		async def get(ctx, payload):\n    "The task."\n    ...\n    return 1\n
		async def get(ctx, payload):\n    raise NotImplementedError\n\n\nasync def get(ctx, payload):\n    return 1\n
		async def get(ctx, payload): return {}\n
	END
	while read -r text; do
		with_handler "$text"
		fails handlers_implemented
		says 'modules/tasks/own.py: get() is not defined'
	done <<-'END'
		\n
		# async def get(ctx, payload):\n
		class Tasks:\n    async def get(ctx, payload):\n        return 1\n
		async def get_all(ctx, payload):\n    return 1\n
		get == 1\n
		print(get)\n
		from .get import other\n
	END
	while read -r text; do
		with_handler "$text"
		fails handlers_implemented
		says 'get() is a stub'
	done <<-'END'
		async def get(ctx, payload):\n    pass\n
		async def get(ctx, payload): ...\n
		async def get(ctx, payload) -> dict:\n    """Gets it: "all" of it.\n\n    Later."""\n    # TODO\n    raise NotImplementedError("later")  # soon\n
		def get(\n    ctx,\n    payload,\n):\n    '''x'''\n    pass\n\n\n# end\n
	END
	lay todo
	printf 'async def get(ctx, payload):\n    return 1\0\n' >"$bundle/modules/tasks/own.py"
	change app.json '.modules[0].actions[2].handler = "own.py:get"'
	accept
	waits
	holds '.acceptance.skipped[] | select(.rule == "handlers_implemented").reason | contains("own.py") and contains("is no text")'
}

@test "page_actions: calls that are looked at, and those that are not" {
	local text
	page() {
		lay todo
		printf 'import { callAction, useAction } from "@mozaiks/shell";\n%b\n' "$1" >"$bundle/components/calls.ts"
		accept
	}
	while read -r text; do
		page "$text"
		fails page_actions
		says 'components/calls.ts: line 3: app.json declares no action "tasks.lost"'
	done <<-'END'
		\ncallAction('tasks', 'lost');
		\nuseAction<Task[]>("tasks", "lost", { done: true });
		\nawait callAction<Record<string, number>>(\n\t'tasks',\n\t'lost',\n);
		\nreturn [callAction('tasks', 'get'), callAction('tasks', 'lost')];
	END
	while read -r text; do
		page "$text"
		fails
	done <<-'END'
		callAction('tasks', 'get');
		callAction('tasks', name);
		// callAction('tasks', 'lost');
		 * useAction('tasks', 'lost')
		recallActions('tasks', 'lost');
		const callActionLater = 'tasks';
	END
	echo "callAction('tasks', 'lost')" >"$bundle/components/calls.ts"
	accept
	fails
}

@test "root_files: what the root may hold" {
	local name
	for name in README.md index.html setup.cfg .eslintrc .vscode/settings.json .git/config; do
		lay todo
		mkdir -p "$(dirname "$bundle/$name")"
		echo x >"$bundle/$name"
		accept
		fails root_files
		holds ".acceptance.failures[0].path == \"$name\""
	done
	lay todo
	mkdir -p "$bundle/.github/workflows" "$bundle/anything"
	for name in requirements.txt Dockerfile docker-compose.yml .env.example deployment.manifest.json .github/workflows/x.yml \
	    anything/x logo.png theme.json; do
		echo '{}' >"$bundle/$name"
	done
	cp "$bundle/brand/theme_config.json" "$bundle/theme.json"
	change app.json '.assets += ["logo.png"] | .theme = "theme.json"'
	accept
	fails
}

@test "no_npm_project: wherever it lies" {
	local name
	for name in components/package.json modules/tasks/yarn.lock components/node_modules/x/index.js pages/.npmrc brand/bun.lockb; do
		lay todo
		mkdir -p "$(dirname "$bundle/$name")"
		echo '{}' >"$bundle/$name"
		accept
		fails no_npm_project
	done
	lay todo
	echo x >"$bundle/components/package.json.ts"
	echo x >"$bundle/components/mypackage.json"
	accept
	fails
}

# text LENGTH - that many letters and digits
text() {
	printf 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7%.0s' {1..8} | cut -c1-"$1"
}

@test "no_credentials: shapes of keys, one by one" {
	local lower key
	lower=$(text 200 | tr 'A-Z' 'a-z')
	hex=$(text 100 | tr 'A-Zg-z' 'a-f0-9a-f0-9a-f0-9a-f0' | tr -cd 'a-f0-9' | cut -c1-64)
	lay static
	while read -r key; do
		printf 'before\nkey: "%s"\n' "$key" >"$bundle/notes.txt"
		accept static
		fails no_credentials
		says 'notes.txt: line 2: looks like'
		[[ $output != *"$key"* && $stderr != *"$key"* ]]
	done <<-END
		AK$(printf IA)QWERTYUIOPASDFGH
		AS$(printf IA)QWERTYUIOPASDFGH
		gh$(printf p_)$(text 36)
		github_$(printf pat_)$(text 22)_$(text 59)
		gl$(printf pat-)$(text 20)
		xo$(printf xb-)123456789012-123456789012-$(text 24)
		sk_$(printf live_)$(text 24)
		sk-$(printf proj-)$(text 40)T3Blbk$(printf FJ)$(text 40)
		sk-$(printf ant-)api03-$(text 93)
		e2$(printf b_)$(printf '%.40s' "$hex$hex")
		hf$(printf _)abcdefghijklmnopqrstuvwxyzABCDEFGH
		GOC$(printf SPX-)$(text 28)
		np$(printf m_)$(text 36)
		py$(printf pi-)AgEIcHlwaS5vcmc$(text 60)
		dckr_$(printf pat_)$(text 27)
		S$(printf G.)$(text 22).$(text 43)
		dop_$(printf v1_)$(printf '%.64s' "$hex$hex$hex")
	END
	for key in RSA EC OPENSSH ENCRYPTED ''; do
		printf -- '-----BEGIN %s%s KEY-----\n%s\n' "${key:+$key }" PRIVATE "$(text 64)" >"$bundle/notes.txt"
		accept static
		fails no_credentials
		says 'a private key'
	done
	printf '{"private_key": "-----BEGIN %s KEY-----\\n%s\\n"}' PRIVATE "$(text 64)" >"$bundle/notes.txt"
	accept static
	fails no_credentials
}

@test "no_credentials: files that are for secrets, and what only looks like it" {
	local name
	for name in .env .env.local .env.production certs/id_rsa certs/site.p12 .netrc; do
		lay static
		mkdir -p "$bundle/certs"
		echo x >"$bundle/$name"
		accept static
		fails no_credentials
		says "$name: is a file for secrets"
	done
	lay static
	for name in .env.example .env.staging.example .env.sample environment.env.txt id_rsa.pub; do
		echo x >"$bundle/$name"
	done
	cat >"$bundle/notes.txt" <<-END
		AK$(printf IA)IOSFODNN7EXAMPLE is the one from the manual
		-----BEGIN $(printf PRIVATE) KEY----- goes here
		-----BEGIN PUBLIC KEY-----
		$(text 64)
		sk_test_$(text 24) sk-your-key-here ghp_xxxx hf_model npm_config_registry pypi-server SG.x.y
		sha512-$(text 86)==
		$(printf '%s' "$(text 40)" | tr 'A-Z' 'a-z')
		xoxb-your-token e2b_your_key glpat-TOKEN
	END
	accept static
	assert_success
}

@test "no_provider_code: imports and requirements, and words that are none" {
	local text
	while IFS='|' read -r file text; do
		lay python
		printf '%b\n' "$text" >"$bundle/$file"
		accept python
		fails no_provider_code
		says "$file: line"
	done <<-'END'
		a.py|import docker
		a.py|import os, docker.client as d
		a.py|    from e2b_code_interpreter import Sandbox
		a.py|x = 1\nfrom kubernetes.client import Api
		a.py|importlib.import_module("modal")
		a.py|__import__('podman')
		a.ts|import { Sandbox } from '@e2b/code-interpreter';
		a.mjs|import Docker from "dockerode"
		a.js|const d = require('dockerode/lib/docker');
		a.tsx|const m = await import( '@vercel/sandbox' );
		a.js|export * from 'e2b';
		requirements.txt|fastapi\ne2b-code-interpreter>=1.0
		requirements-dev.txt|Docker
	END
	lay python
	echo '{"devDependencies": {"@kubernetes/client-node": "1"}}' >"$bundle/package.json"
	accept python
	fails no_provider_code
	while IFS='|' read -r file text; do
		lay python
		printf '%b\n' "$text" >"$bundle/$file"
		accept python
		assert_success
	done <<-'END'
		a.py|import dockerlike, modality
		a.py|from . import docker
		a.py|# we do not import docker
		a.py|docker = "import docker"
		a.py|import boto3
		a.js|import { e2b } from './e2b';
		a.js|import modal from 'modal';
		a.js|from "dockerode-like"
		requirements.txt|docker-pretty-ps\n# docker
		README.md|import docker
	END
	lay todo
	printf 'import boto3\n' >"$bundle/modules/tasks/cloud.py"
	accept
	fails no_provider_code
}

@test "no_policy_template: marks of Jinja in settings, and braces elsewhere" {
	local file text
	while IFS='|' read -r file text; do
		lay static
		printf '%b\n' "$text" >"$bundle/$file"
		accept python
		fails no_policy_template
	done <<-'END'
		policy.yaml|network: {{ network }}
		policy.json|{"memory": "{{ memory }}"}
		policy.toml|{% if strict %}\nx = 1\n{% endif %}
		Dockerfile|FROM {{ image }}
		policy.j2|x
		settings.yml.jinja|x
	END
	while IFS='|' read -r file text; do
		lay static
		printf '%b\n' "$text" >"$bundle/$file"
		accept python
		assert_success
	done <<-'END'
		ci.yml|key: ${{ secrets.KEY }}
		a.json|{"a": {"b": {"c": {}}}}
		a.tsx|<p style={{ color: "red" }} />
		page.html|{{ name }}
		README.md|{{ x }}
		a.yaml|a: {b: {c: 1}}
	END
}
