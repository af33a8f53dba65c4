// files.js - files over HTTP: POST and GET /files

import { createHash, timingSafeEqual } from 'node:crypto'
import { constants, createReadStream, createWriteStream } from 'node:fs'
import { chown, mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { readBody, refuse } from './http.js'
import { meant, outside, resolve } from './places.js'

const multipartMax = 256 * 1024 * 1024 // raw bodies have no such limit, for they are never held whole
const status = { ENOENT: 404, EISDIR: 400, ENOTDIR: 400, ELOOP: 400, EACCES: 403, EROFS: 403, ENOSPC: 507 }

// An error of the file system as envd would tell it.
export function tell(error, path) {
	if (!error.code)
		throw error
	refuse(status[error.code] ?? 500, `${path}: ${error.message.replace(/'\/proc\/\d+\/root/g, "'")}`)
}

function userOf(sandbox, query) {
	const name = query.get('username') ?? sandbox.template.user
	return sandbox.world.user(name) ?? refuse(401, `invalid username: '${name}'`)
}

// A signed address needs no token: its signature binds path, operation and user, and when it ends.
export function signed(sandbox, query, operation) {
	const told = query.get('signature')
	if (!told)
		return false
	const expires = query.get('signature_expiration')
	if (expires !== null && !(Number(expires) * 1000 > Date.now()))
		refuse(401, 'the signature has expired')
	const text = [query.get('path') ?? '', operation, query.get('username') ?? '', sandbox.envdToken]
	if (expires !== null)
		text.push(expires)
	const digest = createHash('sha256').update(text.join(':')).digest('base64').replace(/=+$/, '')
	const wanted = Buffer.from(`v1_${digest}`)
	const given = Buffer.from(told)
	return (wanted.length === given.length && timingSafeEqual(wanted, given)) || refuse(401, 'invalid signature')
}

// Makes what is missing of a directory, each part of it the user's.
export async function makeParents(world, user, path) {
	let made = ''
	for (const part of (await resolve(world, path)).split('/').filter(Boolean)) {
		made += `/${part}`
		const place = join(world.base, made)
		const there = await stat(place).catch(() => undefined)
		if (there)
			continue
		await mkdir(place, { mode: 0o755 })
		await chown(place, user.uid, user.uid)
	}
}

async function write(sandbox, user, path, source) {
	const { world } = sandbox
	try {
		await makeParents(world, user, dirname(path))
		const place = await outside(world, path)
		const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
		await pipeline(source, createWriteStream(place, { flags, mode: 0o644 }))
		await chown(place, user.uid, user.uid)
	} catch (error) {
		source.resume?.()
		tell(error, path)
	}
	return { path, name: basename(path), type: 'file' }
}

// The file parts of a form, each with the name that it goes by.
async function parts(req) {
	const bytes = await readBody(req, multipartMax)
	const form = await new Response(bytes, { headers: { 'content-type': req.headers['content-type'] } }).formData()
		.catch((error) => refuse(400, `the form can't be read: ${error.message}`))
	return Promise.all(form.getAll('file').map(async (file) => ({ name: file.name, bytes: Buffer.from(await file.arrayBuffer()) })))
}

export async function upload({ sandbox, req, url }) {
	const user = userOf(sandbox, url.searchParams)
	const path = url.searchParams.get('path')
	const type = (req.headers['content-type'] ?? '').split(';')[0].trim()
	const target = (name) => meant(sandbox, user, name)
	if (type === 'application/octet-stream') {
		if (!path)
			refuse(400, 'a raw body needs a path')
		const source = req.headers['content-encoding'] === 'gzip' ? req.pipe(createGunzip()) : req
		return { status: 200, json: [await write(sandbox, user, target(path), source)] }
	}
	if (type !== 'multipart/form-data')
		refuse(400, `content type ${type || 'missing'}: neither a form nor application/octet-stream`)
	const written = []
	for (const { name, bytes } of await parts(req))
		written.push(await write(sandbox, user, target(path || name), Readable.from([bytes])))
	if (written.length === 0)
		refuse(400, 'the form has no part named file')
	return { status: 200, json: written }
}

// bytes=FROM-TO of a file of that size, as [from, to]; undefined for the whole of it.
function rangeOf(header, size) {
	const [, from, to] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? []
	if (from === undefined || (from === '' && to === ''))
		return undefined
	const range = from === '' ? [Math.max(0, size - to), size - 1] : [Number(from), Math.min(to === '' ? size - 1 : to, size - 1)]
	return range[0] < size && range[0] <= range[1] ? range : refuse(416, `no such range in ${size} bytes`)
}

export async function download({ sandbox, req, res, url }) {
	const user = userOf(sandbox, url.searchParams)
	const path = meant(sandbox, user, url.searchParams.get('path'))
	const place = await outside(sandbox.world, path)
	const found = await stat(place).catch((error) => tell(error, path))
	if (!found.isFile())
		refuse(400, `path '${path}' is ${found.isDirectory() ? 'a directory' : 'no regular file'}`)
	const headers = { 'Content-Type': 'application/octet-stream', 'Accept-Ranges': 'bytes', 'Last-Modified': found.mtime.toUTCString() }
	const since = Date.parse(req.headers['if-modified-since'])
	if (Math.floor(found.mtimeMs / 1000) * 1000 <= since)
		return { status: 304, headers }
	const range = rangeOf(req.headers.range, found.size)
	if (!range && /\bgzip\b/.test(req.headers['accept-encoding'] ?? '')) {
		res.writeHead(200, { ...headers, 'Content-Encoding': 'gzip' })
		return pipeline(createReadStream(place), createGzip(), res)
	}
	const [start, end] = range ?? [0, found.size - 1]
	if (range)
		headers['Content-Range'] = `bytes ${start}-${end}/${found.size}`
	res.writeHead(range ? 206 : 200, { ...headers, 'Content-Length': end - start + 1 })
	return found.size === 0 ? void res.end() : pipeline(createReadStream(place, { start, end }), res)
}
