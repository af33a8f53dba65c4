// template-build.js - the official SDK builds a template from a Dockerfile, and says which of its files it had to send
//
// usage: node template-build.js SDK CONTEXT DOCKERFILE NAME

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [, , sdk, context, dockerfile, name] = process.argv
const { Template } = createRequire(join(process.cwd(), 'package.json'))(sdk)

const template = Template({ fileContextPath: context }).fromDockerfile(readFileSync(dockerfile, 'utf8'))
const onBuildLogs = ({ message }) => /upload/i.test(message) && console.log(message)
await Template.build(template, name, { cpuCount: 2, memoryMB: 2048, onBuildLogs })
