// templates.js - templates, their tags and builds. What a build would run is recorded, not run

import { randomUUID } from 'node:crypto'
import { checkShape } from './checks.js'
import { refuse } from './http.js'
import { newId } from './sandbox.js'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const reference = /^(?:([a-z0-9_-]+)\/)?([a-z0-9_-]+)(?::([a-z0-9_.-]+))?$/
const fileMax = 1 << 20
const everybody = null // the team of templates that are anyone's

const notFound = (text) => refuse(404, `template '${text}' not found`)

function parse(text) {
	const [, namespace, name, tag] = reference.exec(text.toLowerCase()) ?? refuse(400, `invalid template reference '${text}'`)
	return { namespace, name, tag: tag ?? 'default' }
}

// What steps mean for those who start a sandbox: the last user and directory, and all variables.
function outcome(steps) {
	const last = (type) => steps.findLast((step) => step.type === type)?.args[0]
	const envs = {}
	for (const { args } of steps.filter((step) => step.type === 'ENV'))
		for (let at = 0; at + 1 < args.length; at += 2)
			envs[args[at]] = args[at + 1]
	return { user: last('USER') ?? 'user', workdir: last('WORKDIR') ?? '/home/user', envs }
}

class Template {
	constructor(team, name, { cpuCount = 2, memoryMB = 512 } = {}) {
		Object.assign(this, { team, names: [name], cpuCount, memoryMB, public: team === everybody })
		this.id = newId()
		this.builds = new Map()
		this.tags = new Map() // tag: builds that had it, the newest last
		Object.assign(this, outcome([]))
	}

	answersTo(text) {
		return text === this.id || this.names.includes(text)
	}

	addBuild(tags, status = 'waiting', id = randomUUID()) {
		const build = { id, status, tags, log: [], created: new Date().toISOString() }
		this.builds.set(id, build)
		tags.forEach((tag) => this.assign(tag, build))
		return build
	}

	assign(tag, build) {
		this.tags.set(tag, [...(this.tags.get(tag) ?? []), build])
	}

	// The build that a reference's tag means: a UUID is a build's own id, else the newest ready one.
	find(tag) {
		const builds = uuid.test(tag) ? [this.builds.get(tag)] : (this.tags.get(tag) ?? [])
		return builds.findLast((build) => build?.status === 'ready')
	}
}

export class Templates {
	constructor(switches) {
		this.switches = switches
		this.all = []
		this.files = new Map() // hash: {size, base64}, the latter of what is small
		this.#preset('base', '0ba5e000-0000-4000-8000-000000000001', {})
		this.#preset('mozaiks-preview', '0ba5e000-0000-4000-8000-000000000002', { user: 'sandbox', workdir: '/workspace' })
	}

	#preset(name, build, more) {
		const template = Object.assign(new Template(everybody, name, { cpuCount: 2, memoryMB: 2048 }), more)
		template.addBuild(['default'], 'ready', build)
		this.all.push(template)
	}

	// A bare name is the team's own first, then anyone's; an id is good in place of a name.
	lookup(team, text) {
		const { namespace, name, tag } = parse(text)
		const named = this.all.filter((one) => one.answersTo(name))
		const template = named.find((one) => one.team === team) ?? named.find((one) => one.public) ??
			(named.length > 0 ? refuse(403, `no access to template '${text}'`) : notFound(text))
		if (namespace !== undefined && namespace !== (template.team ?? 'public'))
			notFound(text)
		return { template, tag }
	}

	// The template that a sandbox is made from.
	resolve(team, text) {
		const { template, tag } = this.lookup(team, text)
		return template.find(tag) ? template : refuse(404, `tag '${tag}' does not exist for template '${text}'`)
	}

	own(team, id) {
		return this.all.find((one) => one.team === team && one.answersTo(id)) ?? notFound(id)
	}

	build(team, id, buildId) {
		if (!uuid.test(buildId))
			refuse(400, `invalid build id '${buildId}'`)
		return this.own(team, id).builds.get(buildId) ?? refuse(400, `build '${buildId}' does not exist`)
	}
}

function request({ templates, team, body }) {
	checkShape(body, { name: 'text', tags: 'texts', cpuCount: 'seconds', memoryMB: 'seconds' }, ['name'])
	const { name, tag } = parse(body.name)
	const tags = [...new Set([tag, ...(body.tags ?? [])])]
	if (tags.some((one) => uuid.test(one)))
		refuse(400, 'a tag may not be a UUID')
	let template = templates.all.find((one) => one.team === team && one.names.includes(name))
	if (!template)
		templates.all.push((template = new Template(team, name)))
	template.cpuCount = body.cpuCount ?? template.cpuCount
	template.memoryMB = body.memoryMB ?? template.memoryMB
	const { id } = template.addBuild(tags)
	return { status: 202, json: {
		templateID: template.id, buildID: id, public: false, names: template.names, tags, aliases: template.names,
	} }
}

function fileLink({ templates, team, params, base, set }) {
	templates.own(team, params.id)
	if (!/^[0-9a-f]{64}$/.test(params.hash))
		refuse(400, `invalid hash '${params.hash}'`)
	const present = templates.files.has(params.hash)
	return { status: 201, json: present ? { present } : { present, url: `${base}/upload/${params.hash}`, headers: set.upload_headers ?? undefined } }
}

// Where signed addresses lead. They take no chunks, as storage services don't.
function putFile({ templates, req, params, bytes, set }) {
	if (req.headers['content-length'] === undefined)
		return { status: 411, headers: { 'Content-Type': 'application/xml' }, text: '<Error><Code>MissingContentLength</Code></Error>' }
	if (Object.entries(set.upload_headers ?? {}).some(([name, value]) => req.headers[name.toLowerCase()] !== value))
		return { status: 403, headers: { 'Content-Type': 'application/xml' }, text: '<Error><Code>SignatureDoesNotMatch</Code></Error>' }
	templates.files.set(params.hash, { size: bytes.length, base64: bytes.length <= fileMax ? bytes.toString('base64') : undefined })
	return { status: 200 }
}

function checkSteps(templates, { steps = [], fromImage, fromTemplate }) {
	if ((fromImage === undefined) === (fromTemplate === undefined))
		refuse(400, 'validation error: a build is either from an image or from a template')
	for (const step of steps) {
		checkShape(step, { type: 'text', args: 'texts', filesHash: 'text', force: 'flag' }, ['type'])
		if (step.type === 'COPY' && !templates.files.has(step.filesHash))
			refuse(400, `validation error: the files of ${step.args} were not uploaded`)
	}
}

function finish(template, build, error) {
	const say = (message) => build.log.push({ timestamp: new Date().toISOString(), level: 'info', message, step: 'base' })
	for (const step of build.spec.steps ?? [])
		say(`${step.type} ${(step.args ?? []).join(' ')}`)
	build.status = error ? 'error' : 'ready'
	build.reason = error ?? undefined
	if (!error)
		Object.assign(template, outcome(build.spec.steps ?? []))
}

function start({ templates, team, params, body, set }) {
	const build = templates.build(team, params.id, params.build)
	if (build.status !== 'waiting')
		refuse(400, `build '${build.id}' is ${build.status}`)
	checkShape(body, { fromImage: 'text', fromTemplate: 'text', force: 'flag', steps: 'list', startCmd: 'text', readyCmd: 'text' })
	checkSteps(templates, body)
	build.status = 'building'
	build.spec = body
	setTimeout(() => finish(templates.own(team, params.id), build, set.build_error), set.build_ms)
	return { status: 202 }
}

function status({ templates, team, params, query }) {
	const build = templates.build(team, params.id, params.build)
	const from = Number(query.get('logsOffset') ?? 0)
	const logEntries = build.log.slice(from, from + Math.min(Number(query.get('limit') ?? 100), 100))
	return { status: 200, json: {
		templateID: templates.own(team, params.id).id, buildID: build.id, status: build.status, logEntries,
		logs: logEntries.map((entry) => entry.message), reason: build.reason,
	} }
}

function alias({ templates, team, params }) {
	const { template } = templates.lookup(team, params.alias)
	return { status: 200, json: { templateID: template.id, public: template.public } }
}

const told = (template) => ({
	templateID: template.id, buildID: [...template.builds.keys()].at(-1), names: template.names, aliases: template.names,
	public: template.public, cpuCount: template.cpuCount, memoryMB: template.memoryMB, diskSizeMB: 10240, buildCount: template.builds.size,
	buildStatus: [...template.builds.values()].at(-1).status, envdVersion: '0.6.13', spawnCount: 0, lastSpawnedAt: null, createdBy: null,
	createdAt: [...template.builds.values()][0].created, updatedAt: [...template.builds.values()].at(-1).created,
})

function list({ templates, team }) {
	return { status: 200, json: templates.all.filter((one) => one.team === team).map(told) }
}

function remove({ templates, fleet, team, params }) {
	const template = templates.own(team, params.id)
	if ([...fleet.all.values()].some((one) => one.template === template && one.alive))
		refuse(400, `template '${params.id}' is in use by sandboxes, paused ones included`)
	templates.all.splice(templates.all.indexOf(template), 1)
	return { status: 204 }
}

function addTags({ templates, team, body }) {
	checkShape(body, { target: 'text', tags: 'texts' }, ['target', 'tags'])
	const { template, tag } = templates.lookup(team, body.target)
	const build = template.find(tag) ?? refuse(404, `tag '${tag}' does not exist for template '${body.target}'`)
	if (body.tags.some((one) => uuid.test(one)))
		refuse(400, 'a tag may not be a UUID')
	body.tags.forEach((one) => template.assign(one, build))
	return { status: 201, json: { tags: body.tags, buildID: build.id } }
}

function dropTags({ templates, team, body }) {
	checkShape(body, { name: 'text', tags: 'texts' }, ['name', 'tags'])
	if (body.tags.includes('default'))
		refuse(400, "the tag 'default' can't be removed")
	const template = templates.own(team, parse(body.name).name)
	body.tags.forEach((one) => template.tags.delete(one))
	return { status: 204 }
}

function tags({ templates, team, params }) {
	const { template } = templates.lookup(team, params.id)
	return { status: 200, json: [...template.tags].map(([tag, builds]) =>
		({ tag, buildID: builds.at(-1).id, createdAt: builds.at(-1).created })) }
}

export const routes = [
	['POST', '/v3/templates', 'template_request', request],
	['GET', '/templates/{id}/files/{hash}', 'template_link', fileLink],
	['PUT', '/upload/{hash}', 'template_put', putFile, 'open'],
	['POST', '/v2/templates/{id}/builds/{build}', 'template_build', start],
	['GET', '/templates/{id}/builds/{build}/status', 'template_status', status],
	['GET', '/templates/aliases/{alias}', 'template_alias', alias],
	['GET', '/v2/templates', 'template_list', list],
	['GET', '/templates', 'template_list_v1', list],
	['POST', '/templates/tags', 'template_tag', addTags],
	['DELETE', '/templates/tags', 'template_untag', dropTags],
	['GET', '/templates/{id}/tags', 'template_tags', tags],
	['DELETE', '/templates/{id}', 'template_remove', remove],
]
