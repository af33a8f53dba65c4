// frames.js - a Connect stream to one client: enveloped JSON, kept alive, and cut where a rule says so

import { encode, refuse } from './http.js'

const endStream = 2

// The one message of a request, {…}, out of its envelope.
export function unwrap(bytes) {
	if (bytes.length < 5)
		refuse(400, 'the request has no envelope')
	if (bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - 5)
		refuse(400, 'the request is not one plain message')
	return JSON.parse(bytes.subarray(5))
}

export class EventStream {
	// set is that of the switches; cut, if there is one, is {how, after}: after so many events the stream breaks.
	constructor(req, res, set, cut) {
		Object.assign(this, { res, set, cut, events: 0 })
		res.writeHead(200, { 'Content-Type': 'application/connect+json' })
		res.flushHeaders()
		const seconds = Number(req.headers['keepalive-ping-interval']) || 90
		this.ping = setInterval(() => this.#frame(0, { event: { keepalive: {} } }), seconds * 1000)
		this.onGone(() => clearInterval(this.ping))
		this.held = new Set() // sources that wait for the client
		res.on('drain', () => this.#release())
		this.onGone(() => this.#release())
	}

	#release() {
		for (const source of this.held)
			source.resume()
		this.held.clear()
	}

	onGone(call) {
		this.res.on('close', call)
	}

	#bytes(flags, message) {
		const payload = Buffer.from(encode(message, this.set.spaces))
		const head = Buffer.alloc(5)
		head[0] = flags
		head.writeUInt32BE(payload.length, 1)
		return Buffer.concat([head, payload])
	}

	// Tells whether the client keeps up.
	#frame(flags, message) {
		if (this.res.destroyed)
			clearInterval(this.ping)
		if (this.broken || this.res.destroyed)
			return true
		const bytes = this.#bytes(flags, message)
		const piece = this.set.split || bytes.length
		let flows = true
		for (let at = 0; at < bytes.length; at += piece)
			flows = this.res.write(bytes.subarray(at, at + piece))
		return flows
	}

	// source is what the event came from; it waits while the client does not keep up.
	event(event, source) {
		if (this.cut && this.events >= (this.cut.after ?? 1))
			return this.#break(event)
		this.events++
		if (!this.#frame(0, { event }) && source) {
			source.pause()
			this.held.add(source)
		}
	}

	finish(error) {
		if (this.cut && !this.broken)
			return this.#break({ end: {} })
		this.#frame(endStream, error ? { error } : {})
		clearInterval(this.ping)
		if (!this.broken)
			this.res.end()
	}

	// The five ways in which a stream can stop before its end. Each leaves the client with the 200 that it has.
	#break(event) {
		if (this.broken)
			return
		const { res } = this
		const half = this.#bytes(0, { event }).subarray(0, 9)
		this.broken = true
		clearInterval(this.ping)
		switch (this.cut.how) {
		case 'fin': // amid a chunk
			res.socket.write(`40\r\n${half.toString('latin1')}`, 'latin1')
			return res.socket.end()
		case 'rst':
			return setTimeout(() => res.socket?.resetAndDestroy(), 50) // what was written shall arrive first
		case 'hang':
			return
		case 'clean': // between frames, as a proxy may
			return res.end()
		case 'short': // within one
			return res.end(half)
		}
	}
}
