// checks.js - what the service refuses in a request, with 400

import { isIP } from 'node:net'
import { refuse } from './http.js'

const kinds = {
	text: (value) => typeof value === 'string',
	flag: (value) => typeof value === 'boolean',
	seconds: (value) => Number.isInteger(value),
	texts: (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
	list: Array.isArray,
	object: (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
	strings: (value) => kinds.object(value) && Object.values(value).every((one) => typeof one === 'string'),
}

// Holds the members that shape names against their kinds. Others are ignored, as the service ignores them.
export function checkShape(body, shape, required = []) {
	for (const name of required)
		if (body[name] === undefined)
			refuse(400, `validation error: ${name} is missing`)
	for (const [name, kind] of Object.entries(shape))
		if (body[name] !== undefined && body[name] !== null && !kinds[kind](body[name]))
			refuse(400, `validation error: ${name} is not of kind ${kind}`)
}

const createShape = {
	templateID: 'text', timeout: 'seconds', metadata: 'strings', envVars: 'strings', secure: 'flag', allow_internet_access: 'flag',
	autoPause: 'flag', autoPauseMemory: 'flag', autoResume: 'object', network: 'object', volumeMounts: 'list',
}
const networkShape = {
	allowPublicTraffic: 'flag', allowOut: 'texts', denyOut: 'texts', egressProxy: 'object', maskRequestHost: 'text', rules: 'object',
}

// What a timeout may be. The maximum is refused here; where the service clamps instead, nobody asks this.
export function checkTimeout(seconds, planMax) {
	if (seconds <= 0)
		refuse(400, 'Timeout must be greater than 0')
	if (seconds > planMax)
		refuse(400, `Timeout cannot be greater than ${Math.floor(planMax / 3600)} hours`)
}

function isCidr(text) {
	const [address, bits] = text.split('/')
	const family = isIP(address)
	return family !== 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
}

// Names may be let out only where everything else is not.
export function checkEgress(network) {
	checkShape(network, networkShape)
	const { allowOut = [], denyOut = [] } = network
	const looksNumeric = (text) => /^[\d.:/]+$/.test(text)
	for (const place of [...denyOut, ...allowOut.filter(looksNumeric)])
		if (!isCidr(place))
			refuse(400, `invalid CIDR '${place}'`)
	if (allowOut.some((place) => !looksNumeric(place)) && !denyOut.includes('0.0.0.0/0'))
		refuse(400, "allowOut names domains, which needs '0.0.0.0/0' in denyOut")
}

// The body of a create as the service understands it. version is 1 or 2.
export function checkCreate(body, version, planMax) {
	checkShape(body, createShape, ['templateID'])
	const timeout = body.timeout ?? (version === 1 ? 15 : 300)
	checkTimeout(timeout, planMax)
	const secure = version === 2 || body.secure === true
	checkEgress(body.network ?? {})
	if (body.network?.allowPublicTraffic === false && !secure)
		refuse(400, 'allowPublicTraffic can only be off in a secure sandbox')
	if (body.autoPauseMemory === false && (!body.autoPause || body.autoResume?.enabled))
		refuse(400, 'autoPauseMemory can only be off with autoPause and without autoResume')
	if (body.volumeMounts?.length > 0)
		refuse(403, 'volumes are not enabled for the team')
	return { ...body, timeout, secure }
}

function unescape(text) {
	try {
		return decodeURIComponent(text.replace(/\+/g, ' '))
	} catch {
		refuse(400, `metadata: '${text}' is badly encoded`)
	}
}

// The pairs of a metadata filter, whose first layer of encoding the query's own parser took off: one lies around the whole
// and one around each name and value.
export function metadataFilter(text) {
	if (!text)
		return []
	return unescape(text).split('&').map((pair) => pair.split('=').map(unescape))
}
