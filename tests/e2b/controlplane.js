// controlplane.js - who may call the REST interface, which call it is, and at what rate

import { parseObject, readBody, Refusal, refuse } from './http.js'
import { routes as sandboxRoutes } from './sandboxes.js'
import { routes as templateRoutes } from './templates.js'

const bodyMax = 16 * 1024 * 1024
const uploadMax = 256 * 1024 * 1024

// Made-up keys of two teams; whoever runs the stand-in has no other.
export const keys = {
	[`e2b_${'0'.repeat(40)}`]: 'standin-team',
	[`e2b_${'1'.repeat(40)}`]: 'other-team',
}

const table = [
	['GET', '/health', 'api_health', () => ({ status: 204 }), 'open'],
	...sandboxRoutes,
	...templateRoutes,
].map(([method, path, name, run, open]) => ({
	method, name, run, open,
	pattern: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

// What a server from before them lacks. Its list had moved already.
const newer = ['create', 'connect']

export const names = table.map((route) => route.name)

function teamOf(req) {
	const key = req.headers['x-api-key']
	if (!key)
		refuse(401, 'authorization header is missing')
	if (!key.startsWith('e2b_'))
		refuse(401, 'authorization header is malformed')
	return keys[key] ?? refuse(401, 'Invalid API key, please visit the dashboard\nthe key is not known')
}

// A blocked team may still look, and tidy up.
function checkBlocked(set, team, method) {
	if (set.blocked_teams.includes(team) && !['GET', 'DELETE'].includes(method))
		refuse(403, `team '${team}' is blocked`)
}

export class ControlPlane {
	constructor(fleet, templates, switches) {
		Object.assign(this, { fleet, templates, switches })
	}

	// A path that a route has under another method is 405, as on servers that know the path and not the call.
	#find(method, path) {
		const known = table.filter((route) => route.pattern.test(path) && (this.switches.set.v2 || !newer.includes(route.name)))
		const route = known.find((one) => one.method === method)
		if (!route)
			throw new Refusal(known.length > 0 ? 405 : 404, known.length > 0 ? 'method not allowed' : 'no matching operation was found')
		return route
	}

	// The call that a request is, {name, body, run()}.
	async match(req, url, base) {
		const route = this.#find(req.method, url.pathname)
		const bytes = await readBody(req, route.name === 'template_put' ? uploadMax : bodyMax)
		return { name: route.name, body: route.name === 'template_put' ? undefined : bytes, run: () => this.#run(route, req, url, bytes, base) }
	}

	async #run(route, req, url, bytes, base) {
		const { fleet, templates, switches } = this
		const { set } = switches
		const encoded = route.pattern.exec(url.pathname).groups ?? {}
		const params = Object.fromEntries(Object.entries(encoded).map(([name, text]) => [name, decodeURIComponent(text)]))
		const call = { fleet, templates, set, req, query: url.searchParams, params, bytes, base }
		if (route.open)
			return route.run(call)
		call.team = teamOf(req)
		checkBlocked(set, call.team, req.method)
		const { limited, ...headers } = switches.count(call.team, route.name)
		if (limited)
			return { status: 429, headers, json: { code: 429, message: 'Rate limit exceeded' } }
		call.body = parseObject(bytes)
		const reply = await route.run(call)
		return { ...reply, headers: { ...headers, ...reply.headers } }
	}
}
