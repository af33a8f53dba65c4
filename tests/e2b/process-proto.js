// process-proto.js - envd's process service as its messages look on the wire, in a description of our own
//
// Connect's JSON names members, so field numbers matter to nobody here. Only what sbx uses is described.

// message: {member: kind}; [kind] is a list, {kind} a map from strings; members under `oneof NAME` exclude each other.
export const messages = {
	Size: { cols: 'uint32', rows: 'uint32' },
	Pty: { size: 'Size' },
	Config: { cmd: 'string', args: ['string'], envs: { of: 'string' }, cwd: 'string' },
	Selector: { 'oneof selector': { pid: 'uint32', tag: 'string' } },
	Input: { 'oneof input': { stdin: 'bytes', pty: 'bytes' } },

	StartEvent: { pid: 'uint32' },
	DataEvent: { 'oneof output': { stdout: 'bytes', stderr: 'bytes', pty: 'bytes' } },
	EndEvent: { exit_code: 'sint32', exited: 'bool', status: 'string', error: 'string' },
	KeepAlive: {},
	Event: { 'oneof event': { start: 'StartEvent', data: 'DataEvent', end: 'EndEvent', keepalive: 'KeepAlive' } },

	StartRequest: { process: 'Config', pty: 'Pty', tag: 'string', stdin: 'optional bool' },
	ConnectRequest: { process: 'Selector' },
	EventResponse: { event: 'Event' },
	InputRequest: { process: 'Selector', input: 'Input' },
	SignalRequest: { process: 'Selector', signal: 'Signal' },
	SelectRequest: { process: 'Selector' },
	ListResponse: { processes: ['Info'] },
	Info: { config: 'Config', pid: 'uint32', tag: 'string' },
	Empty: {},
}

export const enums = { Signal: { SIGNAL_UNSPECIFIED: 0, SIGNAL_SIGKILL: 9, SIGNAL_SIGTERM: 15 } }

// method: [request, response, whether the response is a stream]
export const methods = {
	List: ['Empty', 'ListResponse', false],
	Start: ['StartRequest', 'EventResponse', true],
	Connect: ['ConnectRequest', 'EventResponse', true],
	SendInput: ['InputRequest', 'Empty', false],
	CloseStdin: ['SelectRequest', 'Empty', false],
	SendSignal: ['SignalRequest', 'Empty', false],
}

const types = { bool: 8, string: 9, message: 11, bytes: 12, uint32: 13, enum: 14, sint32: 17 }
const [optional, repeated] = [1, 3]

// One field of a message; nested collects the map entries that it needs.
function field(name, kind, number, nested) {
	if (Array.isArray(kind))
		return { ...field(name, kind[0], number, nested), label: repeated }
	if (kind.of) {
		const entry = `${name[0].toUpperCase()}${name.slice(1)}Entry`
		const members = [field('key', 'string', 1), field('value', kind.of, 2)]
		nested.push({ name: entry, field: members, options: { mapEntry: true } })
		return { name, jsonName: name, number, label: repeated, type: types.message, typeName: entry }
	}
	const jsonName = name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
	const [bare, present] = kind.startsWith('optional ') ? [kind.slice('optional '.length), true] : [kind, false]
	if (types[bare])
		return { name, jsonName, number, label: optional, type: types[bare], ...(present && { proto3Optional: true, oneofIndex: 0 }) }
	return { name, jsonName, number, label: optional, type: enums[bare] ? types.enum : types.message, typeName: `.process.${bare}` }
}

function message([name, members]) {
	const nestedType = []
	const oneofDecl = []
	const fields = []
	for (const [member, kind] of Object.entries(members)) {
		const [, group] = /^oneof (\w+)$/.exec(member) ?? []
		for (const [one, type] of group ? Object.entries(kind) : [[member, kind]])
			fields.push({ ...field(one, type, fields.length + 1, nestedType), ...(group && { oneofIndex: oneofDecl.length }) })
		if (group)
			oneofDecl.push({ name: group })
		else if (fields.at(-1).proto3Optional)
			oneofDecl.push({ name: `_${member}` })
	}
	for (const one of fields)
		if (one.typeName && !one.typeName.startsWith('.'))
			one.typeName = `.process.${name}.${one.typeName}`
	return { name, field: fields, nestedType, oneofDecl }
}

// The file descriptor, as an initializer for @bufbuild/protobuf's FileDescriptorProto.
export const file = {
	name: 'process.proto',
	package: 'process',
	syntax: 'proto3',
	messageType: Object.entries(messages).map(message),
	enumType: Object.entries(enums).map(([name, values]) =>
		({ name, value: Object.entries(values).map(([value, number]) => ({ name: value, number })) })),
	service: [{
		name: 'Process',
		method: Object.entries(methods).map(([name, [input, output, stream]]) =>
			({ name, inputType: `.process.${input}`, outputType: `.process.${output}`, serverStreaming: stream })),
	}],
}
