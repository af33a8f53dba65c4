// sandbox.js - one sandbox: what was asked for it, what state it is in, what the service tells of it

import { createHmac, randomBytes } from 'node:crypto'
import { Processes } from './processes.js'

// The tokens of a sandbox follow from its id, so they outlast a pause.
const secret = randomBytes(32)
const token = (kind, id) => createHmac('sha256', secret).update(`${kind} ${id}`).digest('hex')

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789'
export const newId = (first = '') => first + Array.from(randomBytes(20), (byte) => alphabet[byte % alphabet.length]).join('')

export class Sandbox {
	// state goes from running to pausing, paused and back, and by killing to dead from each of them.
	constructor(team, template, wanted, serverDomain) {
		Object.assign(this, { team, template, wanted, serverDomain })
		this.id = newId('i')
		this.state = 'starting'
		this.envdToken = wanted.secure ? token('envd', this.id) : undefined
		this.trafficToken = wanted.network?.allowPublicTraffic === false ? token('traffic', this.id) : null
		this.processes = new Processes(this)
		this.connections = new Set()
		this.log = []
	}

	begin(world, timeoutMs) {
		this.world = world
		this.started = Date.now()
		this.ends = this.started + timeoutMs
		this.state = 'running'
		this.note('sandbox started')
	}

	note(message) {
		this.log.push({ timestamp: new Date().toISOString(), level: 'info', message, fields: {} })
	}

	get alive() {
		return ['running', 'pausing', 'paused'].includes(this.state)
	}

	// What clients are told: a pause under way counts as paused.
	get shownState() {
		return this.state === 'running' ? 'running' : 'paused'
	}

	// Cuts what goes on with it at the moment, as its pause or its end does.
	disconnect() {
		for (const socket of this.connections)
			socket.destroy()
		this.connections.clear()
	}

	#common(envdVersion) {
		return {
			templateID: this.template.id, alias: this.template.names[0], sandboxID: this.id, clientID: 'standin', envdVersion,
		}
	}

	// The answer to create, connect and resume: the only one with the traffic token.
	granted(envdVersion) {
		return {
			...this.#common(envdVersion), envdAccessToken: this.envdToken, trafficAccessToken: this.trafficToken,
			domain: this.serverDomain,
		}
	}

	listed(envdVersion) {
		return {
			...this.#common(envdVersion),
			startedAt: new Date(this.started).toISOString(), endAt: new Date(this.ends).toISOString(), state: this.shownState,
			cpuCount: this.template.cpuCount, memoryMB: this.template.memoryMB, diskSizeMB: 10240,
			metadata: this.wanted.metadata, volumeMounts: [],
		}
	}

	detail(envdVersion) {
		const { allow_internet_access: internet, autoPause, autoResume, network } = this.wanted
		return {
			...this.listed(envdVersion), envdAccessToken: this.envdToken, allowInternetAccess: internet ?? null,
			domain: this.serverDomain, network: network && publicNetwork(network),
			lifecycle: { onTimeout: autoPause ? 'pause' : 'kill', autoResume: autoResume?.enabled === true },
		}
	}
}

// The proxy's password is never told.
function publicNetwork({ egressProxy, ...network }) {
	if (egressProxy)
		network.egressProxy = { address: egressProxy.address, username: egressProxy.username }
	return network
}
