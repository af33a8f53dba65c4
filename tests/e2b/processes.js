// processes.js - the commands of one sandbox: started, listened to, signalled, remembered for a while

import { once } from 'node:events'
import { leaderOf } from './world.js'

const chunkMax = 32 * 1024
const keptMs = 30_000 // how long the end of a command can still be asked for

// Says its pid on descriptor 3, goes where it should and becomes the command, which may turn out not to be there: 127.
const starter = 'echo $$ >&3; exec 3>&-; cd -- "$1" && shift && exec "$@"'

const number = { SIGHUP: 'hangup', SIGINT: 'interrupt', SIGKILL: 'killed', SIGTERM: 'terminated', SIGABRT: 'aborted' }

class Process {
	constructor(child, config, tag) {
		Object.assign(this, { child, config, tag })
		this.listeners = new Set()
		this.early = [] // what it wrote before anybody could listen
		child.stdout.on('data', (data) => this.#tellData('stdout', data))
		child.stderr.on('data', (data) => this.#tellData('stderr', data))
		child.stdin?.on('error', () => {}) // a command need not read its input
		// Both outputs closed, whoever held them, and the command over.
		child.on('close', (code, signal) => this.#finish(code, signal))
	}

	// What nobody listens to any more is lost. A listener that is slow slows the command down.
	#tellData(name, data) {
		for (let at = 0; at < data.length; at += chunkMax) {
			const event = { data: { [name]: data.subarray(at, at + chunkMax).toString('base64') } }
			this.early?.push(event)
			for (const listener of this.listeners)
				listener.event(event, this.child[name])
		}
	}

	#finish(code, signal) {
		clearTimeout(this.deadline)
		this.ended = signal
			? { exitCode: -1, status: `signal: ${number[signal] ?? signal}`, error: `signal: ${number[signal] ?? signal}` }
			: { exitCode: code || undefined, exited: true, status: `exit status ${code}`, error: code ? `exit status ${code}` : undefined }
		for (const listener of this.listeners)
			this.#tellEnd(listener)
		this.listeners.clear()
		this.onEnd?.()
	}

	#tellEnd(listener) {
		if (!this.late || this.tellsEnd)
			listener.event({ end: this.ended })
		listener.finish(this.late && { code: 'deadline_exceeded', message: 'the deadline of the stream has passed' })
	}

	// listener has event() and finish(). The first one misses nothing.
	listen(listener) {
		listener.event({ start: { pid: this.pid } })
		for (const event of this.early ?? [])
			listener.event(event)
		this.early = undefined
		if (this.ended)
			return this.#tellEnd(listener)
		this.listeners.add(listener)
		listener.onGone(() => this.listeners.delete(listener))
	}

	// Reaches the command alone, not what it started. False where it is gone.
	signal(name) {
		const leader = leaderOf(this.child)
		try {
			return leader !== undefined && process.kill(leader, name)
		} catch {
			return false // it ended between the two
		}
	}

	// Kills it at the deadline of the stream that started it, whether anyone still listens to that or not. What keeps the
	// outputs open is no reason to wait longer.
	endAfter(ms, tellsEnd) {
		this.deadline = setTimeout(() => {
			this.late = true
			this.tellsEnd = tellsEnd
			this.signal('SIGKILL')
			this.child.stdout.destroy()
			this.child.stderr.destroy()
		}, ms)
	}
}

export class Processes {
	constructor(sandbox) {
		this.sandbox = sandbox
		this.known = new Map()
	}

	// wanted is {cmd, args, envs, cwd}, with cwd a path that is there. Resolves once the command has a pid.
	async start(user, wanted, { tag, stdin = true }) {
		const { world, template } = this.sandbox
		const envs = { ...world.environment(user), ...template.envs, ...this.sandbox.wanted.envVars, ...wanted.envs }
		const argv = ['/bin/sh', '-c', starter, 'sh', wanted.cwd, wanted.cmd, ...(wanted.args ?? [])]
		const child = world.enter(user, envs, argv, stdin ? 'pipe' : 'ignore')
		const process = new Process(child, wanted, tag)
		const [told] = await Promise.race([once(child.stdio[3], 'data'), once(child.stdio[3], 'end')])
		process.pid = Number.parseInt(told, 10)
		child.stdio[3].destroy()
		if (!process.pid)
			throw new Error('the command could not be started')
		this.known.set(process.pid, process)
		const remember = () => setTimeout(() => this.#forget(process), keptMs).unref()
		if (process.ended)
			remember()
		process.onEnd = remember
		return process
	}

	// Its pid may be another's by now.
	#forget(process) {
		if (this.known.get(process.pid) === process)
			this.known.delete(process.pid)
	}

	running() {
		return [...this.known.values()].filter((process) => !process.ended)
	}

	// selector is {pid} or {tag}.
	find(selector = {}) {
		if (selector.pid !== undefined)
			return this.known.get(selector.pid)
		return [...this.known.values()].find((process) => selector.tag !== undefined && process.tag === selector.tag)
	}

	// nsenter stops when its command is stopped, and only we can let it go on.
	wake() {
		for (const process of this.running())
			process.child.kill('SIGCONT')
	}
}
