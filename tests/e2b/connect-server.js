// connect-server.js - the official Connect server with envd's process service: judges a client's framing, and the stand-in's
//
// usage: node connect-server.js [--ready FILE]     in the directory that install filled
//
// It shares no code with the stand-in. Commands run on the machine itself, as whoever started it: give it harmless ones.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { file } from './process-proto.js'

const need = createRequire(join(process.cwd(), 'package.json'))
const { create, createFileRegistry } = need('@bufbuild/protobuf')
const { FileDescriptorProtoSchema } = need('@bufbuild/protobuf/wkt')
const { Code, ConnectError } = need('@connectrpc/connect')
const { compressionGzip, connectNodeAdapter } = need('@connectrpc/connect-node')

const registry = createFileRegistry(create(FileDescriptorProtoSchema, file), () => undefined)
const service = registry.getService('process.Process')
const signals = { 9: 'SIGKILL', 15: 'SIGTERM' }
const known = new Map()

const event = (name, value) => ({ event: { event: { case: name, value } } })

// What happens to a child, one after the other, for one listener.
function listenTo(child) {
	const queue = []
	let wake = () => {}
	const tell = (one) => {
		queue.push(one)
		wake()
	}
	for (const name of ['stdout', 'stderr'])
		child[name].on('data', (data) => tell(event('data', { output: { case: name, value: data } })))
	child.on('close', (code, signal) => {
		const status = signal ? 'signal: killed' : `exit status ${code}`
		tell(event('end', { exitCode: signal ? -1 : code, exited: !signal, status, error: code === 0 ? '' : status }))
		tell(undefined)
	})
	return async function* () {
		for (;;) {
			while (queue.length === 0)
				await new Promise((done) => (wake = done))
			const one = queue.shift()
			if (!one)
				return
			yield one
		}
	}()
}

const runs = (child) => child.exitCode === null && child.signalCode === null

function find({ process: selector }) {
	const child = known.get(selector?.selector.value)
	if (!child || !runs(child))
		throw new ConnectError('no such process', Code.NotFound)
	return child
}

const implementation = {
	list: () => ({ processes: [...known].filter(([, child]) => runs(child)).map(([pid, { config }]) => ({ pid, config })) }),

	async *start(request, context) {
		const { cmd, args, envs, cwd } = request.process
		if (cwd && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
			throw new ConnectError(`cwd '${cwd}' does not exist`, Code.InvalidArgument)
		const child = spawn(cmd, args, {
			cwd: cwd || undefined, env: { PATH: process.env.PATH, HOME: '/nonexistent', ...envs },
			stdio: [request.stdin === false ? 'ignore' : 'pipe', 'pipe', 'pipe'],
		})
		await once(child, 'spawn')
		child.config = request.process
		known.set(child.pid, child)
		context.signal.addEventListener('abort', () => child.kill('SIGKILL'))
		yield event('start', { pid: child.pid })
		yield* listenTo(child)
		context.signal.throwIfAborted()
	},

	async *connect(request) {
		const child = find(request)
		yield event('start', { pid: child.pid })
		yield* listenTo(child)
	},

	sendInput(request) {
		find(request).stdin.write(request.input.input.value)
		return {}
	},

	closeStdin(request) {
		find(request).stdin.end()
		return {}
	},

	sendSignal(request) {
		find(request).kill(signals[request.signal])
		return {}
	},
}

const { values: { ready } } = parseArgs({ options: { ready: { type: 'string' } } })
const server = createServer(connectNodeAdapter({
	routes: (router) => router.service(service, implementation),
	acceptCompression: [compressionGzip],
	fallback: (req, res) => res.writeHead(req.url === '/health' ? 204 : 404).end(),
}))
server.listen(0, '127.0.0.1', () => {
	const line = `${JSON.stringify({ url: `http://127.0.0.1:${server.address().port}`, pid: process.pid })}\n`
	process.stdout.write(line)
	if (ready) {
		writeFileSync(`${ready}.new`, line)
		renameSync(`${ready}.new`, ready)
	}
})
setTimeout(() => process.exit(), 1_800_000).unref() // should whoever started it forget it
process.once('SIGTERM', () => process.exit(0))
