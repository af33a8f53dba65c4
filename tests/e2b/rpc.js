// rpc.js - what envd offers as Connect procedures: processes and files

import { chown, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { EventStream, unwrap } from './frames.js'
import { makeParents } from './files.js'
import { parseObject } from './http.js'
import { entryOf, meant, outside } from './places.js'

const statuses = {
	invalid_argument: 400, failed_precondition: 400, unauthenticated: 401, permission_denied: 403, not_found: 404,
	already_exists: 409, resource_exhausted: 429, unknown: 500, internal: 500, unimplemented: 501,
}
const codes = { ENOENT: 'not_found', EACCES: 'permission_denied', EROFS: 'permission_denied', EEXIST: 'already_exists',
	ENOTDIR: 'invalid_argument', EINVAL: 'invalid_argument', ELOOP: 'invalid_argument' }

class RpcError extends Error {
	constructor(code, message) {
		super(message)
		this.code = code
	}
}

function fail(code, message) {
	throw new RpcError(code, message)
}

function asRpcError(error) {
	if (error instanceof RpcError)
		return error
	if (codes[error.code])
		return new RpcError(codes[error.code], error.message.replace(/\/proc\/\d+\/root/g, ''))
	return error.reply ? new RpcError('invalid_argument', error.message) : new RpcError('internal', error.message)
}

// The user is the name in Basic authorization, whose password is empty; else the template's own.
function userOf({ sandbox, req }) {
	const [, basic] = /^Basic (\S+)$/i.exec(req.headers.authorization ?? '') ?? []
	const name = basic ? Buffer.from(basic, 'base64').toString().split(':')[0] : sandbox.template.user
	return sandbox.world.user(name) ?? fail('unauthenticated', `invalid username: '${name}'`)
}

const processOf = ({ sandbox, message }) =>
	sandbox.processes.find(message.process) ?? fail('not_found', 'no such process')

const processes = {
	List: ({ sandbox }) => ({
		processes: sandbox.processes.running().map(({ config, pid, tag }) => ({ config, pid, tag })),
	}),

	SendInput(call) {
		const { child } = processOf(call)
		if (call.message.input?.stdin === undefined || !child.stdin)
			fail('failed_precondition', 'the process takes no such input')
		child.stdin.write(Buffer.from(call.message.input.stdin, 'base64'))
		return {}
	},

	CloseStdin(call) {
		const { child } = processOf(call)
		if (!child.stdin)
			fail('failed_precondition', 'the process has no open input')
		child.stdin.end()
		return {}
	},

	SendSignal(call) {
		const name = { SIGNAL_SIGTERM: 'SIGTERM', SIGNAL_SIGKILL: 'SIGKILL', 15: 'SIGTERM', 9: 'SIGKILL' }[call.message.signal]
		const process = processOf(call)
		if (!name)
			fail('invalid_argument', 'SIGTERM and SIGKILL can be sent, nothing else')
		if (process.ended || !process.signal(name))
			fail('not_found', 'the process has ended')
		return {}
	},
}

// The two that answer with a stream of events.
const streams = {
	async Start(call) {
		const { sandbox, message, req, set } = call
		const wanted = message.process
		if (!wanted?.cmd)
			fail('invalid_argument', 'no command')
		if (message.pty)
			fail('unimplemented', 'the stand-in has no terminals')
		const user = userOf(call)
		const cwd = wanted.cwd ? meant(sandbox, user, wanted.cwd) : sandbox.template.workdir
		const there = await stat(await outside(sandbox.world, cwd)).catch(() => undefined)
		if (!there?.isDirectory())
			fail('invalid_argument', `cwd '${cwd}' does not exist`)
		for (const name of Object.keys(wanted.envs ?? {}))
			if (!/^[A-Za-z_]\w*$/.test(name))
				fail('invalid_argument', `'${name}' names no environment variable`)
		const process = await sandbox.processes.start(user, { ...wanted, cwd }, message)
		const limit = Number(req.headers['connect-timeout-ms'])
		if (limit > 0)
			process.endAfter(limit, set.deadline_end)
		return process
	},

	Connect: processOf,
}

const filesystem = {
	async Stat(call) {
		return { entry: await entryOf(call.sandbox.world, call.path(call.message.path)) }
	},

	async MakeDir(call) {
		const { sandbox: { world }, user } = call
		const path = call.path(call.message.path)
		const place = await outside(world, path)
		if (await lstat(place).catch(() => undefined))
			fail('already_exists', `${path} is there already`)
		await makeParents(world, user, join(path, '..'))
		await mkdir(place, { mode: 0o755 })
		await chown(place, user.uid, user.uid)
		return { entry: await entryOf(world, path) }
	},

	async Remove(call) {
		await rm(await outside(call.sandbox.world, call.path(call.message.path), false), { recursive: true, force: true })
		return {}
	},

	async Move(call) {
		const { sandbox: { world } } = call
		const [from, to] = [call.path(call.message.source), call.path(call.message.destination)]
		await makeParents(world, call.user, join(to, '..'))
		await rename(await outside(world, from, false), await outside(world, to, false))
		return { entry: await entryOf(world, to) }
	},

	async ListDir(call) {
		const { world } = call.sandbox
		const entries = []
		const list = async (path, depth) => {
			for (const name of (await readdir(await outside(world, path))).sort()) {
				const entry = await entryOf(world, join(path, name))
				entries.push(entry)
				if (entry.type === 'FILE_TYPE_DIRECTORY' && depth > 1)
					await list(entry.path, depth - 1)
			}
		}
		await list(call.path(call.message.path), call.message.depth || 1)
		return { entries }
	},
}

const services = { 'process.Process': processes, 'filesystem.Filesystem': filesystem }

// Answers a plain call. service and method are the path's.
export async function unary(call, service, method) {
	const run = services[service]?.[method]
	if (!run)
		return { status: 404 }
	if (!/^application\/json\b/.test(call.req.headers['content-type'] ?? ''))
		return { status: 415 }
	try {
		call.message = parseObject(call.body)
		call.user = userOf(call)
		call.path = (path) => meant(call.sandbox, call.user, path)
		return { status: 200, json: await run(call), zip: true }
	} catch (error) {
		const { code, message } = asRpcError(error)
		return { status: statuses[code], json: { code, message } }
	}
}

// Answers a streaming call, with 200 whatever comes of it: the last frame tells.
export async function stream(call, method) {
	if (!/^application\/connect\+json\b/.test(call.req.headers['content-type'] ?? ''))
		return { status: 415 }
	let process, trouble
	try {
		call.message = unwrap(call.body)
		process = await streams[method](call)
	} catch (error) {
		const { code, message } = asRpcError(error)
		trouble = { code, message }
	}
	const events = new EventStream(call.req, call.res, call.set, call.cut)
	if (trouble)
		events.finish(trouble)
	else
		process.listen(events)
	return undefined
}
