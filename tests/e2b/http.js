// http.js - replies and bodies, for both planes

import { gzipSync } from 'node:zlib'

// What a handler throws when the answer is no. The service's clients read the code in the body, so it is always there.
export class Refusal extends Error {
	constructor(status, message, more = {}) {
		super(message)
		this.reply = { status, json: { code: status, message, ...more } }
	}
}

// refuse(400, 'why') where an expression is wanted
export function refuse(status, message, more) {
	throw new Refusal(status, message, more)
}

// The whole body of a request; chunked ones too, which Node.js decodes.
export async function readBody(req, limit) {
	const parts = []
	let size = 0
	for await (const part of req) {
		size += part.length
		if (size > limit)
			refuse(413, `the body has more than ${limit} bytes`)
		parts.push(part)
	}
	return Buffer.concat(parts)
}

export function parseObject(bytes) {
	if (bytes.length === 0)
		return {}
	let value
	try {
		value = JSON.parse(bytes)
	} catch (error) {
		refuse(400, `the body is not JSON: ${error.message}`)
	}
	if (value === null || typeof value !== 'object' || Array.isArray(value))
		refuse(400, 'validation error: the body is not an object')
	return value
}

// JSON as an encoder may write it that puts a space where one is allowed.
function spaced(value) {
	if (Array.isArray(value))
		return `[${value.map(spaced).join(', ')}]`
	if (value === null || typeof value !== 'object')
		return JSON.stringify(value)
	const members = Object.entries(value).filter(([, member]) => member !== undefined)
	return `{${members.map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`).join(', ')}}`
}

export function encode(value, spaces) {
	return spaces ? spaced(value) : JSON.stringify(value)
}

// reply is {status, headers, json | text}; a body that the client may have compressed is, as the service's are.
export function send(req, res, reply, spaces) {
	if (res.headersSent || res.destroyed)
		return
	const headers = { ...reply.headers }
	let body = Buffer.from(reply.json === undefined ? (reply.text ?? '') : encode(reply.json, spaces))
	if (reply.json !== undefined)
		headers['Content-Type'] ??= 'application/json; charset=utf-8'
	if (reply.zip && body.length > 0 && /\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) {
		headers['Content-Encoding'] = 'gzip'
		body = gzipSync(body)
	}
	if (reply.status !== 204)
		headers['Content-Length'] = body.length
	res.writeHead(reply.status, headers)
	res.end(reply.status === 204 ? undefined : body)
}
