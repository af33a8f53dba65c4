// world.js - where a sandbox's processes live: a private root directory, and namespaces of their own around it
//
// bubblewrap makes the namespaces and holds them with one idle process; whatever runs is entered there with nsenter, so that
// all commands of a sandbox see each other and none sees the machine. There is no network but the sandbox's own loopback.
// When the holder ends, the kernel ends all the rest.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
// What the sandbox's root may do, which is nothing to the machine.
const rootMay = ['chown', 'dac_override', 'fowner', 'fsetid', 'kill', 'setgid', 'setuid', 'net_bind_service']

// Who there is: [{name, uid, home}].
function knownUsers(template) {
	const users = [{ name: 'user', uid: 1000, home: '/home/user' }, { name: 'root', uid: 0, home: '/root' }]
	if (!users.some((user) => user.name === template.user))
		users.push({ name: template.user, uid: 10001, home: `/home/${template.user}` })
	return users
}

function makeRoot(root, users, owner) {
	const own = (name, user) => chownSync(join(root, name), user.uid, user.uid)
	mkdirSync(root, { recursive: true, mode: 0o755 })
	for (const name of ['dev', 'etc', 'home', 'opt', 'proc', 'run', 'tmp', 'usr', 'var', 'workspace'])
		mkdirSync(join(root, name), { mode: 0o755 })
	for (const name of ['bin', 'lib', 'lib64', 'sbin'])
		symlinkSync(`usr/${name}`, join(root, name))
	chmodSync(join(root, 'tmp'), 0o1777)
	own('workspace', owner)
	for (const user of users) {
		mkdirSync(join(root, user.home), { mode: 0o755 })
		own(user.home, user)
	}
	const line = (user) => `${user.name}:x:${user.uid}:${user.uid}::${user.home}:/bin/bash\n`
	writeFileSync(join(root, 'etc/passwd'), users.map(line).join(''))
	writeFileSync(join(root, 'etc/group'), users.map((user) => `${user.name}:x:${user.uid}:\n`).join(''))
	writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
}

function privileges(user) {
	const bounds = user.uid === 0 ? `-all,${rootMay.map((cap) => `+${cap}`).join(',')}` : '-all'
	const ids = user.uid === 0 ? [] : ['--reuid', user.uid, '--regid', user.uid, '--clear-groups', '--no-new-privs']
	return ['/usr/bin/setpriv', ...ids, '--bounding-set', bounds, '--inh-caps', '-all', '--']
}

export class World {
	// binds are pairs of a directory of the machine and where the sandbox has it, read-only. Resolves when processes can be
	// started in it.
	static async make(directory, hostname, template, binds) {
		const world = new World()
		world.directory = directory
		world.users = knownUsers(template)
		makeRoot(directory, world.users, world.user(template.user))
		world.holder = spawn('bwrap', [
			'--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--new-session',
			'--bind', directory, '/', '--ro-bind', '/usr', '/usr', '--ro-bind', '/etc/alternatives', '/etc/alternatives',
			...binds.flatMap(([source, target]) => ['--ro-bind', source, target]),
			'--proc', '/proc', '--dev', '/dev', '--hostname', hostname, '--cap-drop', 'ALL', '--info-fd', '3',
			'/bin/sh', '-c', 'echo ready; exec sleep infinity',
		], { stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: { PATH: path } })
		world.gone = once(world.holder, 'close')
		await world.wait()
		return world
	}

	async wait() {
		let told = '', trouble = ''
		this.holder.stderr.on('data', (data) => (trouble += data))
		const info = new Promise((done) => this.holder.stdio[3].on('data', (data) => (told += data).includes('}') && done()))
		await Promise.race([Promise.all([info, once(this.holder.stdout, 'data')]), this.gone])
		if (this.holder.exitCode !== null)
			throw new Error(`bwrap: ${trouble || 'ended at once'}`)
		this.pid = JSON.parse(told)['child-pid']
		// The holder's files as its processes see them, /usr and /proc included.
		this.base = `/proc/${this.pid}/root`
	}

	user(name) {
		return this.users.find((user) => user.name === name)
	}

	// Starts argv as user with nothing in its environment but envs, and no descriptor but the three and 3, on which it can tell us things.
	enter(user, envs, argv, stdin = 'ignore') {
		return spawn('/usr/bin/nsenter', [
			'-t', this.pid, '-m', '-p', '-n', '-i', '-u', '--', ...privileges(user),
			'/usr/bin/env', '-i', ...Object.entries(envs).map(([name, value]) => `${name}=${value}`), ...argv,
		].map(String), { env: { PATH: path }, detached: true, stdio: [stdin, 'pipe', 'pipe', 'pipe'] })
	}

	// Sends a signal to everything in the sandbox but its holder.
	async signalAll(signal) {
		const child = this.enter(this.user('root'), {}, ['/bin/sh', '-c', `kill -${signal} -1 2>/dev/null; :`])
		await once(child, 'close')
	}

	freeze() {
		return this.signalAll('STOP')
	}

	thaw() {
		return this.signalAll('CONT')
	}

	// Ends everything in it and removes its files.
	async end() {
		this.holder.kill('SIGKILL')
		await this.gone
		rmSync(this.directory, { recursive: true, force: true })
	}

	// The names and owners that a listing tells.
	owner(uid) {
		return this.users.find((user) => user.uid === uid)?.name ?? String(uid)
	}

	environment(user) {
		return { PATH: path, HOME: user.home, USER: user.name, LOGNAME: user.name, SHELL: '/bin/bash' }
	}
}

// The pid, seen from outside, of what a process of enter() runs.
export function leaderOf(child) {
	try {
		return Number(readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').split(' ')[0]) || undefined
	} catch {
		return undefined
	}
}
