// places.js - paths of a sandbox's files, seen from outside and never leading there

import { lstat, readlink } from 'node:fs/promises'
import { join } from 'node:path'

const linksMax = 40

const pieces = (path) => path.split('/').filter((piece) => piece !== '' && piece !== '.')

async function linkAt(place) {
	try {
		return await readlink(place)
	} catch {
		return undefined // no link, or nothing at all
	}
}

// Follows the links of path as the sandbox would, so that none leads to the machine's files; the last one only if follow.
// path is absolute within the sandbox, and so is what comes back; it need not exist.
export async function resolve(world, path, follow = true) {
	const ahead = pieces(path)
	let behind = []
	let links = 0
	while (ahead.length > 0) {
		const piece = ahead.shift()
		if (piece === '..') {
			behind.pop()
			continue
		}
		const target = ahead.length > 0 || follow ? await linkAt(join(world.base, ...behind, piece)) : undefined
		if (target === undefined) {
			behind.push(piece)
			continue
		}
		if (++links > linksMax)
			throw Object.assign(new Error(`${path}: too many links`), { code: 'ELOOP' })
		if (target.startsWith('/'))
			behind = []
		ahead.unshift(...pieces(target))
	}
	return `/${behind.join('/')}`
}

// What a user means by path: relative and ~ are his home's, nothing is the template's directory.
export function meant(sandbox, user, path) {
	if (!path)
		return sandbox.template.workdir
	const bare = path.replace(/^~(\/|$)/, '')
	return bare.startsWith('/') ? bare : join(user.home, bare)
}

// Where a path of the sandbox is on the machine.
export async function outside(world, path, follow = true) {
	return join(world.base, await resolve(world, path, follow))
}

const kinds = [
	['isFile', 'FILE_TYPE_FILE', '-'], ['isDirectory', 'FILE_TYPE_DIRECTORY', 'd'], ['isSymbolicLink', 'FILE_TYPE_SYMLINK', 'l'],
]

function permissions(mode) {
	return Array.from('rwxrwxrwx', (letter, at) => ((mode >> (8 - at)) & 1 ? letter : '-')).join('')
}

// The entry that the filesystem service tells of the file at path, which is absolute within the sandbox.
export async function entryOf(world, path) {
	const place = await outside(world, path, false)
	const stat = await lstat(place)
	const [, type, letter] = kinds.find(([is]) => stat[is]()) ?? ['', undefined, '?']
	return {
		name: path.split('/').pop() || '/', type, path, size: stat.size ? String(stat.size) : undefined, mode: stat.mode & 0o7777,
		permissions: letter + permissions(stat.mode), owner: world.owner(stat.uid), group: world.owner(stat.gid),
		modifiedTime: stat.mtime.toISOString(), symlinkTarget: stat.isSymbolicLink() ? await readlink(place) : undefined,
	}
}
