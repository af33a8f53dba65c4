// sandboxes.js - the control plane's calls on sandboxes

import { checkCreate, checkEgress, checkShape, checkTimeout, metadataFilter } from './checks.js'
import { refuse } from './http.js'

const listMax = 100
const states = ['running', 'paused']

const seconds = (body, name, required) => {
	checkShape(body, { [name]: 'seconds' }, required ? [name] : [])
	return body[name]
}

const create = (version) => async ({ fleet, templates, team, body, set }) => {
	const wanted = checkCreate(body, version, set.plan_max_s)
	const template = templates.resolve(team, wanted.templateID)
	const sandbox = await fleet.create(team, template, wanted)
	return { status: 201, json: sandbox.granted(set.envd_version) }
}

function live({ fleet, team, params }) {
	const sandbox = fleet.find(team, params.id)
	return sandbox.alive ? sandbox : refuse(404, `Sandbox "${params.id}" doesn't exist or you don't have access to it`)
}

function get(call) {
	return { status: 200, json: { ...live(call).detail(call.set.envd_version), ...call.set.overlay } }
}

// The sandboxes that a list tells, which with a lag are those of a moment ago.
function known({ fleet, team, set }) {
	const then = Date.now() - set.list_lag_ms
	return [...fleet.all.values()].filter((one) =>
		one.team === team && one.started <= then && (one.alive || (set.list_lag_ms > 0 && one.over > then)))
}

function matching(call, wantedStates) {
	const { query } = call
	const pairs = metadataFilter(query.get('metadata'))
	return known(call).filter((one) => wantedStates.includes(one.shownState) &&
		pairs.every(([name, value]) => one.wanted.metadata?.[name] === value))
}

const listV1 = (call) => ({
	status: 200, json: matching(call, ['running']).map((one) => one.listed(call.set.envd_version)),
})

// What sorts a list, and what its next page begins after.
const position = (one) => `${new Date(one.started).toISOString()}__${one.id}`

function limitOf(query, name, most) {
	const text = query.get(name)
	if (text === null)
		return most
	const limit = Number(text)
	return Number.isInteger(limit) && limit >= 1 && limit <= most ? limit : refuse(400, `validation error: ${name} '${text}'`)
}

function pageAfter(query) {
	const token = query.get('nextToken')
	if (!token)
		return undefined
	const text = Buffer.from(token, 'base64url').toString()
	return /^\d{4}-[^_]+Z__[a-z0-9]+$/.test(text) ? text : refuse(400, 'invalid nextToken')
}

function list(call) {
	const { query, set } = call
	const wantedStates = query.get('state')?.split(',') ?? states
	if (!wantedStates.every((state) => states.includes(state)))
		refuse(400, `validation error: state '${query.get('state')}'`)
	const limit = limitOf(query, 'limit', listMax)
	const rising = query.get('order') === 'asc'
	const [after, since, template] = [pageAfter(query), Date.parse(query.get('startedAfter')), query.get('template')]
	const all = matching(call, wantedStates)
		.filter((one) => !(one.started <= since) && (!template || one.template.answersTo(template)))
		.sort((a, b) => (position(a) < position(b) ? -1 : 1) * (rising ? 1 : -1))
	const rest = after ? all.filter((one) => (rising ? position(one) > after : position(one) < after)) : all
	const page = rest.slice(0, limit)
	const headers = {}
	if (rest.length > limit)
		headers['X-Next-Token'] = Buffer.from(position(page.at(-1))).toString('base64url')
	if (wantedStates.includes('running'))
		headers['X-Total-Running'] = all.filter((one) => one.shownState === 'running').length
	return { status: 200, headers, json: page.map((one) => one.listed(set.envd_version)) }
}

function timeout(call) {
	const wanted = seconds(call.body, 'timeout', true)
	if (wanted < 0)
		refuse(400, 'validation error: timeout is below 0')
	call.fleet.setTimeout(call.fleet.find(call.team, call.params.id), wanted)
	return { status: 204 }
}

// Only ever lengthens.
function refresh(call) {
	const wanted = seconds(call.body, 'duration', false) ?? 0
	if (wanted < 0 || wanted > 3600)
		refuse(400, 'validation error: duration is not in 0 to 3600')
	const sandbox = call.fleet.find(call.team, call.params.id)
	const left = (sandbox.ends - Date.now()) / 1000
	call.fleet.setTimeout(sandbox, Math.max(left, wanted, 15))
	return { status: 204 }
}

const connect = (version) => async (call) => {
	const wanted = seconds(call.body, 'timeout', version === 1) ?? 300
	checkTimeout(wanted, call.set.plan_max_s)
	const sandbox = call.fleet.find(call.team, call.params.id)
	const resumed = await call.fleet.connect(sandbox, wanted * 1000)
	return { status: resumed ? 201 : 200, json: sandbox.granted(call.set.envd_version) }
}

async function resume(call) {
	const sandbox = live(call)
	const wanted = seconds(call.body, 'timeout', false) ?? 15
	checkTimeout(wanted, call.set.plan_max_s)
	if (sandbox.state === 'running')
		refuse(409, `Sandbox "${sandbox.id}" is running already`)
	await call.fleet.connect(sandbox, wanted * 1000)
	return { status: 201, json: sandbox.granted(call.set.envd_version) }
}

async function pause(call) {
	await call.fleet.pause(live(call))
	return { status: 204 }
}

async function kill(call) {
	await call.fleet.kill(call.fleet.find(call.team, call.params.id))
	return { status: 204 }
}

// Replaces what egress was asked for; what goes unsaid is cleared.
function network(call) {
	const { allowOut, denyOut, egressProxy, rules, allow_internet_access: internet } = call.body
	const egress = { allowOut, denyOut, egressProxy, rules }
	checkEgress(egress)
	const { wanted } = live(call)
	const { allowPublicTraffic, maskRequestHost } = wanted.network ?? {}
	wanted.network = { ...egress, allowPublicTraffic, maskRequestHost }
	wanted.allow_internet_access = internet
	return { status: 204 }
}

function logsOf(call) {
	const { query } = call
	const [level, search, cursor] = [query.get('level'), query.get('search'), Number(query.get('cursor'))]
	const rising = query.get('direction') === 'forward'
	const all = live(call).log.filter((line) => (!level || line.level === level) && (!search || line.message.includes(search)) &&
		(!cursor || (rising ? Date.parse(line.timestamp) >= cursor : Date.parse(line.timestamp) <= cursor)))
	return (rising ? all : all.reverse()).slice(0, limitOf(query, 'limit', 1000))
}

const logs = (call) => ({ status: 200, json: { logs: logsOf(call) } })

function logsV1(call) {
	const { log } = live(call)
	const logs = log.map((entry) => ({ timestamp: entry.timestamp, line: JSON.stringify(entry) }))
	return { status: 200, json: { logs, logEntries: log } }
}

// The stand-in measures nothing, so its metrics are those of a sandbox that none were taken of yet.
const metrics = (call) => ({ status: 200, json: live(call) && [] })

export const routes = [
	['POST', '/v2/sandboxes', 'create', create(2)],
	['POST', '/sandboxes', 'create_v1', create(1)],
	['GET', '/v2/sandboxes', 'list', list],
	['GET', '/sandboxes', 'list_v1', listV1],
	['GET', '/sandboxes/{id}', 'get', get],
	['DELETE', '/sandboxes/{id}', 'kill', kill],
	['POST', '/sandboxes/{id}/timeout', 'timeout', timeout],
	['POST', '/sandboxes/{id}/refreshes', 'refresh', refresh],
	['POST', '/v2/sandboxes/{id}/connect', 'connect', connect(2)],
	['POST', '/sandboxes/{id}/connect', 'connect_v1', connect(1)],
	['POST', '/sandboxes/{id}/pause', 'pause', pause],
	['POST', '/sandboxes/{id}/resume', 'resume', resume],
	['PUT', '/sandboxes/{id}/network', 'network', network],
	['GET', '/v2/sandboxes/{id}/logs', 'logs', logs],
	['GET', '/sandboxes/{id}/logs', 'logs_v1', logsV1],
	['GET', '/sandboxes/{id}/metrics', 'metrics', metrics],
]
