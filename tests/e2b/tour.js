// tour.js - the official SDK's round through all that sbx needs of the service; prints a line a step
//
// usage: node tour.js e2b | e2b-2.45     in the directory that install filled; E2B_* say where the service is

import assert from 'node:assert/strict'
import { request } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { end, step } from './step.js'

const { Sandbox, Template, CommandExitError, TimeoutError, NotFoundError, RateLimitError, AuthenticationError } =
	createRequire(join(process.cwd(), 'package.json'))(process.argv[2])

// What Node.js can't resolve, *.localhost, goes by address and Host.
function getPort(host, headers) {
	const { hostname, port } = new URL(process.env.E2B_SANDBOX_URL)
	return new Promise((done, fail) => {
		request({ hostname, port, path: '/', headers: { Host: host, ...headers } }, (res) => {
			let text = ''
			res.on('data', (data) => (text += data)).on('end', () => done([res.statusCode, text]))
		}).on('error', fail).end()
	})
}

const nonce = `tour & =+% ${process.pid}`
const metadata = { nonce, 'k&': 'v=1' }
let box

await step('create', async () => {
	box = await Sandbox.create('base', {
		timeoutMs: 61_500, metadata, envs: { FROM_CREATE: 'one' }, allowInternetAccess: false, network: { allowPublicTraffic: false },
	})
	assert.match(box.sandboxId, /^i[a-z0-9]{20}$/)
	assert.match(box.trafficAccessToken, /^[0-9a-f]{64}$/)
})

await step('getInfo', async () => {
	const info = await Sandbox.getInfo(box.sandboxId)
	assert.deepEqual(info.metadata, metadata)
	assert.equal(info.state, 'running')
	assert.equal(info.lifecycle.onTimeout, 'kill')
	assert.equal(info.allowInternetAccess, false)
	assert.equal(info.endAt - info.startedAt, 62_000) // whole seconds, rounded up
})

await step('list by metadata', async () => {
	const found = await Sandbox.list({ query: { metadata, state: ['running', 'paused'] }, limit: 10 }).nextItems()
	assert.deepEqual(found.map((one) => one.sandboxId), [box.sandboxId])
	assert.deepEqual(await Sandbox.list({ query: { metadata: { nonce: 'none' } } }).nextItems(), [])
})

await step('setTimeout', async () => {
	await box.setTimeout(120_000)
	const { endAt } = await box.getInfo()
	assert.ok(Math.abs(endAt - Date.now() - 120_000) < 10_000)
})

await step('isRunning', async () => assert.equal(await box.isRunning(), true))
await step('getMetrics', async () => assert.deepEqual(await box.getMetrics(), []))

await step('files.write', async () => {
	const { path, name } = await box.files.write('dir/hello.txt', 'hello')
	assert.deepEqual([path, name], ['/home/user/dir/hello.txt', 'hello.txt'])
})

await step('files.write, raw', async () => {
	const bytes = new Uint8Array(100_000).map((_, at) => at % 251)
	await box.files.write('/tmp/raw', bytes.buffer, { useOctetStream: true })
	assert.deepEqual(await box.files.read('/tmp/raw', { format: 'bytes' }), bytes)
})

await step('files.write, zipped', async () => {
	await box.files.write('/tmp/zipped', 'z'.repeat(10_000), { gzip: true, useOctetStream: true })
	assert.equal(await box.files.read('/tmp/zipped', { gzip: true }), 'z'.repeat(10_000))
})

await step('files.write, several', async () => {
	const written = await box.files.write([{ path: 'a/1', data: 'one' }, { path: '/tmp/b/2', data: 'two' }])
	assert.deepEqual(written.map((one) => one.path), ['/home/user/a/1', '/tmp/b/2'])
})

await step('files.read', async () => assert.equal(await box.files.read('dir/hello.txt'), 'hello'))
await step('files.read, nothing there', () => assert.rejects(box.files.read('none'), NotFoundError))

await step('files.makeDir', async () => {
	assert.equal(await box.files.makeDir('made/deep'), true)
	assert.equal(await box.files.makeDir('made/deep'), false)
})

await step('files.list', async () => {
	const entries = await box.files.list('dir')
	assert.deepEqual(entries.map(({ name, type, size }) => [name, type, size]), [['hello.txt', 'file', 5]])
})

await step('files.getInfo', async () => {
	const { owner, permissions, mode } = await box.files.getInfo('dir/hello.txt')
	assert.deepEqual([owner, permissions, mode], ['user', '-rw-r--r--', 0o644])
})

await step('files.rename', async () => assert.equal((await box.files.rename('a/1', 'a/one')).path, '/home/user/a/one'))

await step('files.exists, files.remove', async () => {
	assert.equal(await box.files.exists('a/one'), true)
	await box.files.remove('a/one')
	assert.equal(await box.files.exists('a/one'), false)
})

await step('signed addresses', async () => {
	const headers = { 'E2b-Sandbox-Id': box.sandboxId, 'E2b-Sandbox-Port': '49983' }
	const url = await box.downloadUrl('dir/hello.txt', { useSignatureExpiration: 60 })
	assert.equal(await (await fetch(url, { headers })).text(), 'hello')
	assert.equal((await fetch(url.replace('hello.txt', 'other'), { headers })).status, 401)
	const form = new FormData()
	form.append('file', new Blob(['sent']), 'sent.txt')
	assert.equal((await fetch(await box.uploadUrl('sent.txt'), { method: 'POST', body: form, headers })).status, 200)
	assert.equal(await box.files.read('sent.txt'), 'sent')
})

await step('commands.run', async () => {
	let heard = ''
	const result = await box.commands.run('echo "$FROM_CREATE $FROM_RUN"; pwd; id -un; echo trouble >&2', {
		envs: { FROM_RUN: 'two' }, cwd: '/tmp', onStdout: (data) => (heard += data),
	})
	assert.deepEqual([result.exitCode, result.stdout, result.stderr], [0, 'one two\n/tmp\nuser\n', 'trouble\n'])
	assert.equal(heard, result.stdout)
})

await step('commands.run, much output', async () => {
	const { stdout } = await box.commands.run('seq 1 200000')
	assert.equal(stdout.length, 1_288_895)
})

await step('commands.run, a failure', () => assert.rejects(box.commands.run('echo out; exit 5'),
	(error) => error instanceof CommandExitError && error.exitCode === 5 && error.stdout === 'out\n'))

await step('commands.run, no such command', () => assert.rejects(box.commands.run('exec no-such-command'),
	(error) => error.exitCode === 127))

await step('commands.run, no such directory', () => assert.rejects(box.commands.run('true', { cwd: '/none' }), /cwd/))
await step('commands.run as root', async () => assert.equal((await box.commands.run('id -u', { user: 'root' })).stdout, '0\n'))
await step('commands.run, too long', () => assert.rejects(box.commands.run('sleep 60', { timeoutMs: 500 }), TimeoutError))

await step('commands in the background', async () => {
	const command = await box.commands.run('cat; echo done', { background: true, stdin: true, timeoutMs: 0 })
	assert.ok((await box.commands.list()).some((one) => one.pid === command.pid))
	await box.commands.sendStdin(command.pid, 'typed\n')
	await box.commands.closeStdin(command.pid)
	assert.equal((await command.wait()).stdout, 'typed\ndone\n')
})

await step('commands.connect, commands.kill', async () => {
	const { pid } = await box.commands.run('sleep 60', { background: true })
	const command = await box.commands.connect(pid)
	assert.equal(await box.commands.kill(pid), true)
	await assert.rejects(command.wait(), CommandExitError)
	assert.equal(await box.commands.kill(pid), false)
})

await step('getHost', async () => {
	await box.commands.run('cd /tmp/b && exec python3 -m http.server 8000 --bind 127.0.0.1', { background: true, timeoutMs: 0 })
	const headers = { 'e2b-traffic-access-token': box.trafficAccessToken }
	const [status, text] = await getPort(box.getHost(8000), headers)
	assert.equal(status, 200)
	assert.match(text, /href="2"/)
	assert.equal((await getPort(box.getHost(8000)))[0], 403)
})

await step('pause, connect', async () => {
	const counter = await box.commands.run('while sleep .1; do echo x >>/tmp/count; done', { background: true, timeoutMs: 0 })
	while (!await box.files.exists('/tmp/count'))
		await sleep(50)
	assert.equal(await box.pause(), true)
	assert.equal(await box.pause(), false)
	assert.equal(await box.isRunning(), false)
	assert.equal((await Sandbox.getInfo(box.sandboxId)).state, 'paused')
	const again = await Sandbox.connect(box.sandboxId, { timeoutMs: 30_000 })
	assert.equal(again.trafficAccessToken, box.trafficAccessToken)
	const before = (await again.files.read('/tmp/count')).length
	await sleep(500)
	assert.ok((await again.files.read('/tmp/count')).length > before, 'what ran goes on')
	assert.equal(await again.commands.kill(counter.pid), true)
	assert.equal(await again.files.read('dir/hello.txt'), 'hello')
})

await step('kill', async () => {
	assert.equal(await box.kill(), true)
	assert.equal(await Sandbox.kill(box.sandboxId), false)
	assert.equal(await box.isRunning(), false)
	await assert.rejects(Sandbox.getInfo(box.sandboxId), NotFoundError)
})

await step('a key that is not known', () => assert.rejects(Sandbox.create({ apiKey: `e2b_${'f'.repeat(40)}` }), AuthenticationError))

await step('Template.exists', async () => {
	assert.equal(await Template.exists('base'), true)
	assert.equal(await Template.exists('no-such-template'), false)
})

end()
