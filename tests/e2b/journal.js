// journal.js - what was asked, for tests that want to know what a client really sent

const bodyMax = 64 * 1024
const entriesMax = 10_000

// The JSON of a body, out of its envelope if it has one.
function bodyOf(bytes) {
	if (!bytes || bytes.length === 0 || bytes.length > bodyMax)
		return undefined
	try {
		return JSON.parse(bytes[0] === 0 ? bytes.subarray(5) : bytes)
	} catch {
		return undefined
	}
}

export class Journal {
	constructor() {
		this.clear()
	}

	clear() {
		this.entries = []
	}

	open(req) {
		const entry = { time: Date.now(), method: req.method, url: req.url, headers: req.headers }
		this.entries.push(entry)
		if (this.entries.length > entriesMax)
			this.entries.shift()
		return entry
	}

	// Which call it turned out to be.
	tell(entry, call) {
		entry.call = call.name
		entry.body = bodyOf(call.body)
	}

	// status is what the client was told, 0 where it left or was left before that.
	close(entry, res) {
		entry.status = res.headersSent ? res.statusCode : 0
		entry.complete = res.writableFinished
	}
}
