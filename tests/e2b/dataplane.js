// dataplane.js - the way into sandboxes: which one a request is for, whether it may, and envd or a port behind it

import { request as httpRequest } from 'node:http'
import { isIP } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { timingSafeEqual } from 'node:crypto'
import { download, signed, upload } from './files.js'
import { readBody, Refusal, refuse } from './http.js'
import { stream, unary } from './rpc.js'

const envdPort = 49983
const closedPaths = ['/init', '/freeze', '/unfreeze', '/collapse', '/fsfreeze', '/fsthaw', '/upgrade']
const bodyMax = 16 * 1024 * 1024
const dialsMs = [0, 100, 200, 300, 400] // a server that has just started gets a second
const wakeMs = 300_000 // how long a sandbox that a request woke lives at least

export const names = ['health', 'upload', 'download', 'envs', 'start', 'attach', 'rpc', 'port']

const hostOf = (req) => (req.headers.host ?? '').replace(/:\d+$/, '')

// Where a request wants to go, [port, id], if it is for this plane at all: by its Host, or by headers where Host is no name of a sandbox's.
function addressOf(req) {
	const host = hostOf(req)
	const [, port, id] = /^(\d+)-([a-z0-9]+)\./.exec(host) ?? []
	if (port)
		return [port, id]
	const [byId, byPort] = [req.headers['e2b-sandbox-id'], req.headers['e2b-sandbox-port']]
	if (byId === undefined && byPort === undefined)
		return undefined
	if (host !== 'localhost' && !isIP(host.replace(/[[\]]/g, '')) && !host.startsWith('sandbox.'))
		throw new Refusal(400, 'Invalid host')
	if (byId === undefined || byPort === undefined)
		throw new Refusal(400, 'missing header')
	return [byPort, byId]
}

// The proxy's own answers; people with a browser get a page.
function turnAway(req, status, id, message, port) {
	const error = new Refusal(status, message)
	if (/Mozilla/.test(req.headers['user-agent'] ?? ''))
		error.reply = { status, headers: { 'Content-Type': 'text/html' }, text: `<!doctype html><title>${status}</title><p>${message}` }
	else
		error.reply.json = { sandboxId: id, message, code: status, port }
	throw error
}

function same(given, wanted) {
	const [a, b] = [Buffer.from(given ?? ''), Buffer.from(wanted)]
	return a.length === b.length && timingSafeEqual(a, b)
}

function checkTraffic(req, sandbox) {
	const given = req.headers['e2b-traffic-access-token']
	const why = given === undefined ? 'missing' : 'invalid'
	if (sandbox.trafficToken && !same(given, sandbox.trafficToken))
		turnAway(req, 403, sandbox.id,
			`Sandbox is secured with traffic access token. Token header 'e2b-traffic-access-token' is ${why}`)
}

// A paused sandbox that wakes for requests does so for those that may pass.
async function wake(fleet, req, sandbox, port) {
	const may = port === envdPort
		? !sandbox.envdToken || same(req.headers['x-access-token'], sandbox.envdToken)
		: !sandbox.trafficToken || same(req.headers['e2b-traffic-access-token'], sandbox.trafficToken)
	if (!may)
		turnAway(req, 403, sandbox.id, "This sandbox can't be resumed with the credentials provided")
	await fleet.connect(sandbox, wakeMs)
}

// A connection to a port within the sandbox, through a process there: its loopback is not the machine's.
const tunnel = 'exec 9<>"/dev/tcp/127.0.0.1/$1" || exit; echo >&3; exec 3>&- 8<&0; cat <&8 >&9 & to=$!; cat <&9; kill $to'

function dialOnce(sandbox, port) {
	const child = sandbox.world.enter(sandbox.world.users[0], sandbox.world.environment(sandbox.world.users[0]),
		['/bin/bash', '-c', tunnel, 'tunnel', port], 'pipe')
	return new Promise((done) => {
		child.on('close', () => done(undefined))
		child.stdin.on('error', () => {})
		child.stdio[3].once('data', () => {
			const socket = Duplex.from({ readable: child.stdout, writable: child.stdin })
			socket.on('error', () => {}).on('close', () => child.kill('SIGKILL'))
			done(socket)
		})
	})
}

async function dial(sandbox, port) {
	for (const wait of dialsMs) {
		await sleep(wait)
		const socket = await dialOnce(sandbox, port)
		if (socket)
			return socket
	}
	return undefined
}

async function forward({ req, res, sandbox, port }) {
	checkTraffic(req, sandbox)
	const socket = await dial(sandbox, port)
	if (!socket)
		turnAway(req, 502, sandbox.id, 'The sandbox is running but port is not open', port)
	const mask = sandbox.wanted.network?.maskRequestHost?.replace('${PORT}', port)
	const headers = { ...req.headers, connection: 'close', ...(mask && { host: mask }) }
	const inner = httpRequest({ method: req.method, path: req.url, headers, createConnection: () => socket })
	req.pipe(inner)
	return new Promise((done) => {
		inner.on('response', (answer) => {
			const { connection, 'transfer-encoding': coding, ...rest } = answer.headers
			res.writeHead(answer.statusCode, rest)
			answer.pipe(res).on('close', () => done(socket.destroy()))
		})
		inner.on('error', () => done(res.destroy()))
	})
}

// envd's own address space. Whoever has its token, or a signature where that counts, may use it.
function envdCall(req, url, sandbox) {
	const [, service, method] = /^\/(process\.Process|filesystem\.Filesystem)\/(\w+)$/.exec(url.pathname) ?? []
	const route = `${req.method} ${url.pathname}`
	const call = { 'GET /health': 'health', 'POST /files': 'upload', 'GET /files': 'download', 'GET /envs': 'envs' }[route]
	if (call)
		return { name: call }
	if (!service || closedPaths.includes(url.pathname))
		return { name: 'rpc', reply: { status: 404, text: '404 page not found\n' } }
	if (req.method !== 'POST')
		return { name: 'rpc', reply: { status: 405 } }
	const name = service === 'process.Process' ? { Start: 'start', Connect: 'attach' }[method] : undefined
	return { name: name ?? 'rpc', service, method }
}

function checkToken(call, { sandbox, req, url }) {
	if (call.name === 'health' || !sandbox.envdToken || same(req.headers['x-access-token'], sandbox.envdToken))
		return
	const operation = { upload: 'write', download: 'read' }[call.name]
	if (!operation || !signed(sandbox, url.searchParams, operation))
		refuse(401, 'the access token is missing or wrong')
}

async function runEnvd(call, context) {
	checkToken(call, context)
	switch (call.name) {
	case 'health': return { status: 204 }
	case 'envs': return { status: 200, json: context.sandbox.wanted.envVars ?? {}, zip: true }
	case 'upload': return upload(context)
	case 'download': return download(context)
	case 'start':
	case 'attach': return stream(context, call.method)
	default: return call.reply ?? unary(context, call.service, call.method)
	}
}

export class DataPlane {
	constructor(fleet, switches) {
		Object.assign(this, { fleet, switches })
	}

	// The call that a request is, {name, run(rule)}; undefined where it is not for this plane.
	async match(req, res, url) {
		const address = addressOf(req)
		if (!address)
			return undefined
		const [portText, id] = address
		const port = Number(portText)
		if (!/^[a-z0-9]+$/.test(id))
			throw new Refusal(400, 'Invalid sandbox ID')
		if (!/^\d+$/.test(portText) || port > 65535)
			return { name: 'port', run: () => ({ status: 500, text: `invalid port ${portText}` }) }
		const call = port === envdPort ? envdCall(req, url) : { name: 'port' }
		const body = call.service ? await readBody(req, bodyMax) : undefined
		const run = async (rule) => {
			const sandbox = await this.#enter(req, id, port)
			sandbox.connections.add(req.socket)
			res.on('close', () => sandbox.connections.delete(req.socket))
			const context = { req, res, url, sandbox, port, body, set: this.switches.set, cut: rule?.cut }
			return call.name === 'port' ? forward(context) : runEnvd(call, context)
		}
		return { name: call.name, body, run }
	}

	// The sandbox behind an address, running.
	async #enter(req, id, port) {
		const sandbox = this.fleet.all.get(id)
		if (sandbox?.state === 'pausing')
			turnAway(req, 409, id, 'The sandbox is still transitioning to another state')
		if (sandbox?.state === 'paused' && sandbox.wanted.autoResume?.enabled)
			await wake(this.fleet, req, sandbox, port)
		if (sandbox?.state !== 'running')
			turnAway(req, 502, id, 'The sandbox was not found')
		return sandbox
	}
}
