// template-tour.js - the official SDK builds a template from a Dockerfile, tags it and starts a sandbox pinned to that build
//
// usage: node template-tour.js e2b DIRECTORY     DIRECTORY has a Dockerfile and what it copies

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { end, step } from './step.js'

const [, , sdk, directory] = process.argv
const { BuildError, Sandbox, Template } = createRequire(join(process.cwd(), 'package.json'))(sdk)

const template = () => Template({ fileContextPath: directory }).fromDockerfile(readFileSync(join(directory, 'Dockerfile'), 'utf8'))
const logs = []
const options = { cpuCount: 2, memoryMB: 1024, onBuildLogs: (entry) => logs.push(entry.message) }
let built

await step('build', async () => {
	built = await Template.build(template(), 'tour-template', { ...options, tags: ['first'] })
	assert.match(built.buildId, /^[0-9a-f-]{36}$/)
	assert.ok(logs.some((line) => line.startsWith('Uploaded')), 'files were uploaded')
	assert.ok(logs.some((line) => line.startsWith('RUN')), 'the steps were told')
})

await step('build again, files already there', async () => {
	logs.length = 0
	const again = await Template.build(template(), 'tour-template:second', options)
	assert.equal(again.templateId, built.templateId)
	assert.notEqual(again.buildId, built.buildId)
	assert.ok(logs.some((line) => line.startsWith('Skipping upload')))
})

await step('exists', async () => assert.equal(await Template.exists('tour-template'), true))
await step('getBuildStatus', async () => assert.equal((await Template.getBuildStatus(built)).status, 'ready'))

await step('tags', async () => {
	assert.equal((await Template.assignTags('tour-template:first', 'stable')).buildId, built.buildId)
	assert.ok((await Template.getTags('tour-template')).some((one) => one.tag === 'stable'))
	await Template.removeTags('tour-template', 'stable')
	await assert.rejects(Sandbox.create('tour-template:stable'), /tag 'stable' does not exist/)
})

await step('a sandbox of the pinned build', async () => {
	const box = await Sandbox.create(`tour-template:${built.buildId}`, { timeoutMs: 60_000 })
	const { stdout } = await box.commands.run('id -un; pwd; echo "$GREETING"')
	assert.equal(stdout, 'sandbox\n/workspace\nhello\n')
	await box.kill()
})

await step('a build that was never made', () =>
	assert.rejects(Sandbox.create('tour-template:00000000-0000-4000-8000-000000000000'), /does not exist/))

await step('a build that fails', async () => {
	const { E2B_API_URL: url } = process.env
	const put = (value) => fetch(`${url}/_standin/switches`, { method: 'PUT', body: JSON.stringify(value) })
	await put({ build_error: { step: '1', message: 'exit status 100' }, build_ms: 300 })
	await assert.rejects(Template.build(template(), 'tour-template:broken', options),
		(error) => error instanceof BuildError && error.message === 'exit status 100')
	await put({})
	await assert.rejects(Sandbox.create('tour-template:broken'), /does not exist/)
})

end()
