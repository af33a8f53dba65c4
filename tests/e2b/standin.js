// standin.js - stands in for the E2B service on one loopback port; README tells how to use it

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ControlPlane, keys, names as controlNames } from './controlplane.js'
import { DataPlane, names as dataNames } from './dataplane.js'
import { Fleet } from './fleet.js'
import { parseObject, readBody, refuse, send } from './http.js'
import { Journal } from './journal.js'
import { Switches } from './switches.js'
import { Templates } from './templates.js'

function die(message) {
	console.error(`e2b stand-in: ${message}`)
	process.exit(2)
}

function options() {
	try {
		return parseArgs({ options: {
			listen: { type: 'string', default: '127.0.0.1' }, port: { type: 'string', default: '0' }, dir: { type: 'string' },
			ready: { type: 'string' }, life: { type: 'string', default: '1800' }, bind: { type: 'string', multiple: true, default: [] },
		} }).values
	} catch (error) {
		return die(error.message)
	}
}

// Nothing but this machine may ever reach it, for it gives its commands to whoever asks.
const isLoopback = (address) => (isIP(address) === 4 && address.startsWith('127.')) || address === '::1'

class StandIn {
	constructor(directory, binds) {
		this.switches = new Switches([...controlNames, ...dataNames])
		this.templates = new Templates(this.switches)
		this.fleet = new Fleet(directory, this.switches, binds)
		this.control = new ControlPlane(this.fleet, this.templates, this.switches)
		this.data = new DataPlane(this.fleet, this.switches)
		this.journal = new Journal()
	}

	// Acts, or does not, as a rule wants. Undefined where the connection was dropped or the reply is already written.
	async #perform(call, rule) {
		await sleep(rule?.delay_ms ?? 0)
		let reply
		if (!rule || rule.act || !(rule.reply || rule.drop))
			reply = await call.run(rule)
		await sleep(rule?.late_ms ?? 0)
		return rule?.reply ?? reply
	}

	async handle(req, res) {
		const url = new URL(req.url, 'http://standin')
		if (url.pathname.startsWith('/_standin/'))
			return this.#own(req, url)
		const entry = this.journal.open(req)
		res.on('close', () => this.journal.close(entry, res))
		const call = await this.data.match(req, res, url) ?? await this.control.match(req, url, this.base)
		this.journal.tell(entry, call)
		const rule = this.switches.take(call.name)
		const reply = await this.#perform(call, rule)
		return rule?.drop ? void req.socket.destroy() : reply
	}

	// The stand-in's own interface, for those who set it up and ask it what happened.
	async #own(req, url) {
		const { switches, journal, fleet, templates } = this
		switch (`${req.method} ${url.pathname.slice('/_standin/'.length)}`) {
		case 'GET switches': return { status: 200, json: switches }
		case 'PUT switches':
			switches.replace(parseObject(await readBody(req, 1 << 20)))
			return { status: 200, json: switches }
		case 'GET requests': return { status: 200, json: journal.entries }
		case 'DELETE requests':
			journal.clear()
			return { status: 204 }
		case 'GET sandboxes': return { status: 200, json: [...fleet.all.values()].map(inside) }
		case 'DELETE sandboxes':
			await fleet.endAll()
			return { status: 204 }
		case 'GET builds': return { status: 200, json: templates.all.flatMap((one) => [...one.builds.values()]) }
		case 'GET uploads': return { status: 200, json: Object.fromEntries(templates.files) }
		default: return refuse(404, 'the stand-in has no such page')
		}
	}

	async answer(req, res) {
		let reply
		try {
			reply = await this.handle(req, res)
		} catch (error) {
			if (!error.reply)
				console.error(error)
			reply = error.reply ?? { status: 500, json: { code: 500, message: error.message } }
		}
		if (reply)
			send(req, res, reply, this.switches.set.spaces)
	}
}

// What only the stand-in knows of a sandbox, the dead ones too.
const inside = (one) => ({
	id: one.id, team: one.team, state: one.state, startedAt: one.started, endAt: one.ends, over: one.over, wanted: one.wanted,
	directory: one.world?.directory, processes: one.processes.running().map(({ pid, config }) => ({ pid, config })),
})

function announce(standIn, server, { ready }) {
	const { port, address } = server.address()
	const host = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`
	standIn.base = `http://${host}`
	const [key, other] = Object.keys(keys)
	const line = `${JSON.stringify({ url: standIn.base, host, port, pid: process.pid, key, other_key: other })}\n`
	process.stdout.write(line)
	if (!ready)
		return
	writeFileSync(`${ready}.new`, line)
	renameSync(`${ready}.new`, ready)
}

const given = options()
if (!isLoopback(given.listen))
	die(`${given.listen}: not a loopback address, and it listens on no other`)
if (process.getuid() !== 0)
	die('only root can give the users of a sandbox their own')
for (const program of ['bwrap', 'nsenter', 'setpriv'])
	if (spawnSync(program, ['--version']).error)
		die(`${program}: not found`)
process.umask(0o022)
if (given.dir)
	mkdirSync(given.dir, { recursive: true })
const directory = mkdtempSync(join(given.dir ?? tmpdir(), 'e2b-'))
const standIn = new StandIn(directory, given.bind.map((bind) => bind.split(':')))
const server = createServer((req, res) => standIn.answer(req, res))

async function end() {
	server.close()
	server.closeAllConnections()
	await standIn.fleet.end()
	rmSync(directory, { recursive: true, force: true })
	process.exit(0)
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
	process.once(signal, end)
setTimeout(end, Number(given.life) * 1000) // should whoever started it forget it
server.on('error', (error) => die(error.message))
server.listen(Number(given.port), given.listen, () => announce(standIn, server, given))
