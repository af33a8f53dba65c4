// switches.js - how the stand-in misbehaves: lasting settings, and rules that strike single calls

import { refuse } from './http.js'

// Every setting with the value that it has when nobody says otherwise, which is the service at its best.
export const defaults = Object.freeze({
	plan_max_s: 3600, // the longest lifetime; what is above is refused at create and connect, clamped at timeout
	concurrency: 20, // running sandboxes of one team
	rate: null, // {limit, window_s}: calls of one kind by one team
	v2: true, // false: a server from before the v2 routes of create and connect
	blocked_teams: [], // may only GET and DELETE
	pausing_ms: 0, // how long a pause takes
	killing_ms: 0, // how long a kill takes
	vanish_ms: 0, // above 0: a new sandbox is gone after that time, whatever its lifetime
	list_lag_ms: 0, // how long a list goes on telling what was
	overlay: {}, // members that GET tells instead of the true ones
	envd_version: '0.6.13',
	domain: null, // what create and GET tell as the sandbox's domain
	spaces: false, // JSON with spaces
	split: 0, // above 0: streams are written in pieces of so many bytes
	deadline_end: false, // a command that its deadline ended tells an exit first
	upload_headers: null, // {name: value}: what an address for files wants to be sent along
	build_ms: 0, // how long a template build takes
	build_error: null, // {step, message}: how each build ends
})

const ruleMembers = ['on', 'skip', 'times', 'delay_ms', 'act', 'late_ms', 'reply', 'drop', 'cut']
const cuts = ['fin', 'rst', 'hang', 'clean', 'short']

function checkSetting(name, value) {
	if (!(name in defaults))
		refuse(400, `no such switch: ${name}`)
	const wanted = defaults[name]
	if (wanted !== null && (typeof value !== typeof wanted || Array.isArray(value) !== Array.isArray(wanted)))
		refuse(400, `${name}: not of the kind of ${JSON.stringify(wanted)}`)
}

function checkRule(rule, names) {
	for (const member of Object.keys(rule))
		if (!ruleMembers.includes(member))
			refuse(400, `a rule has no member ${member}`)
	if (!names.includes(rule.on))
		refuse(400, `a rule is on one of ${names.join(', ')}, not on ${rule.on}`)
	if (rule.reply && !Number.isInteger(rule.reply.status))
		refuse(400, 'the reply of a rule has no status')
	if (rule.cut && !cuts.includes(rule.cut.how))
		refuse(400, `a stream is cut by one of ${cuts.join(', ')}, not by ${rule.cut.how}`)
	return { skip: 0, times: 1, ...rule }
}

export class Switches {
	// names are those of the calls that a rule can be on.
	constructor(names) {
		this.names = names
		this.replace({})
	}

	// value is an object of settings, and of rules under that name. It replaces all that was set.
	replace({ rules = [], ...settings }) {
		if (!Array.isArray(rules))
			refuse(400, 'rules: not an array')
		Object.entries(settings).forEach(([name, value]) => checkSetting(name, value))
		this.rules = rules.map((rule) => checkRule(rule, this.names))
		this.set = { ...defaults, ...settings }
		this.counts = new Map()
	}

	toJSON() {
		return { ...this.set, rules: this.rules }
	}

	// The rule that strikes this call, if one does.
	take(name) {
		for (const rule of this.rules) {
			if (rule.on !== name || rule.times === 0)
				continue
			if (rule.skip > 0) {
				rule.skip--
				continue
			}
			rule.times--
			return rule
		}
		return undefined
	}

	// Counts a call of a team against the rate limit, and tells how it stands in headers; 429 once there are too many.
	count(team, name) {
		const rate = this.set.rate
		if (!rate)
			return {}
		const now = Date.now()
		const key = `${team} ${name}`
		let window = this.counts.get(key)
		if (!window || now >= window.ends)
			this.counts.set(key, (window = { ends: now + rate.window_s * 1000, calls: 0 }))
		const wait = Math.max(1, Math.ceil((window.ends - now) / 1000))
		const headers = {
			'RateLimit-Limit': rate.limit,
			'RateLimit-Remaining': Math.max(0, rate.limit - ++window.calls),
			'RateLimit-Reset': wait,
		}
		if (window.calls <= rate.limit)
			return headers
		return { ...headers, 'Retry-After': wait, limited: true }
	}
}
