// fleet.js - all sandboxes and their lifetimes, which really end

import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'node:path'
import { refuse } from './http.js'
import { Sandbox } from './sandbox.js'
import { World } from './world.js'

const pollMs = 50 // how often the service looks for lifetimes that are over

export class Fleet {
	constructor(directory, switches, binds) {
		this.directory = directory
		this.binds = binds
		this.switches = switches
		this.all = new Map() // the dead too, so that a test can ask what became of them
		this.timer = setInterval(() => this.#evict(), pollMs)
	}

	#evict() {
		const now = Date.now()
		for (const sandbox of this.all.values()) {
			if (sandbox.state !== 'running' || sandbox.busy || now < Math.min(sandbox.ends, sandbox.vanishes ?? Infinity))
				continue
			const pauses = sandbox.wanted.autoPause && now >= sandbox.ends
			const done = pauses ? this.pause(sandbox) : this.kill(sandbox)
			done.catch((error) => console.error(`e2b stand-in: ${sandbox.id}: ${error.message}`))
		}
	}

	running(team) {
		return [...this.all.values()].filter((one) => one.team === team && ['starting', 'running'].includes(one.state))
	}

	// What an idle place costs: 429 of the kind that no waiting is promised for.
	#takePlace(team) {
		const limit = this.switches.set.concurrency
		if (this.running(team).length >= limit)
			refuse(429, `the team runs its maximum of ${limit} concurrent sandboxes; end one of them or ask for more`)
	}

	async create(team, template, wanted) {
		this.#takePlace(team)
		const set = this.switches.set
		const sandbox = new Sandbox(team, template, wanted, set.domain)
		this.all.set(sandbox.id, sandbox)
		try {
			sandbox.busy = World.make(join(this.directory, sandbox.id), sandbox.id, template, this.binds)
			sandbox.begin(await sandbox.busy, wanted.timeout * 1000)
			sandbox.busy = undefined
		} catch (error) {
			sandbox.state = 'dead'
			refuse(500, `Failed to place sandbox: ${error.message}`, { error_code: 'sandbox_create_failed' })
		}
		if (set.vanish_ms > 0)
			sandbox.vanishes = sandbox.started + set.vanish_ms
		sandbox.world.gone.then(() => this.#dead(sandbox))
		return sandbox
	}

	// A team's sandbox that is alive; what is foreign, over or unknown is all the same to it. 409 where it is on its way out.
	find(team, id) {
		const bare = id.replace(/-[^-]*$/, '')
		if (!/^[a-z0-9]+$/.test(bare))
			refuse(400, 'Invalid sandbox ID')
		const sandbox = this.all.get(bare)
		if (!sandbox || sandbox.team !== team || !(sandbox.alive || sandbox.state === 'killing'))
			refuse(404, `Sandbox "${bare}" doesn't exist or you don't have access to it`)
		return sandbox
	}

	// Idempotent: whoever asks while it is being killed waits for the same end.
	kill(sandbox) {
		sandbox.killed ??= this.#kill(sandbox)
		return sandbox.killed
	}

	async #kill(sandbox) {
		sandbox.state = 'killing'
		sandbox.disconnect()
		await sleep(this.switches.set.killing_ms)
		await sandbox.world.end()
		this.#dead(sandbox)
	}

	#dead(sandbox) {
		sandbox.state = 'dead'
		sandbox.over ??= Date.now()
		sandbox.disconnect()
	}

	async pause(sandbox) {
		if (sandbox.state !== 'running')
			refuse(409, `Sandbox "${sandbox.id}" is already paused`)
		sandbox.state = 'pausing'
		sandbox.ends = Date.now()
		sandbox.busy = (async () => {
			await sandbox.world.freeze()
			sandbox.disconnect()
			await sleep(this.switches.set.pausing_ms)
			if (sandbox.state === 'pausing')
				sandbox.state = 'paused'
			sandbox.note('sandbox paused')
		})()
		await sandbox.busy
		sandbox.busy = undefined
	}

	// Lengthens the life of a running one, or resumes a paused one. Tells whether it was resumed.
	async connect(sandbox, timeoutMs) {
		if (sandbox.state === 'pausing')
			await sandbox.busy
		if (!sandbox.alive)
			refuse(409, `Sandbox "${sandbox.id}" is being killed`)
		if (sandbox.state === 'running') {
			sandbox.ends = Math.max(sandbox.ends, Date.now() + timeoutMs)
			return false
		}
		this.#takePlace(sandbox.team)
		sandbox.state = 'running'
		sandbox.started = Date.now()
		sandbox.ends = sandbox.started + timeoutMs
		await sandbox.world.thaw()
		sandbox.processes.wake()
		sandbox.note('sandbox resumed')
		return true
	}

	// Sets the end, from now; the plan's maximum silently wins.
	setTimeout(sandbox, seconds) {
		if (sandbox.state === 'paused')
			refuse(404, `Sandbox "${sandbox.id}" doesn't exist or you don't have access to it`)
		if (sandbox.state !== 'running')
			refuse(409, `Sandbox "${sandbox.id}" is changing its state`)
		const last = sandbox.started + this.switches.set.plan_max_s * 1000
		if (Date.now() >= last)
			refuse(400, 'Max instance length exceeded')
		sandbox.ends = Math.min(Date.now() + seconds * 1000, last)
	}

	async end() {
		clearInterval(this.timer)
		await this.endAll()
	}

	// Ends every sandbox and forgets it.
	async endAll() {
		const live = [...this.all.values()].filter((one) => one.state !== 'dead')
		await Promise.allSettled(live.map(async (one) => {
			await one.busy
			await this.kill(one)
		}))
		this.all.clear()
	}
}
