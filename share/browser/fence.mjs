// fence - a proxy through which the browser reaches one origin and nothing else, redirects and WebSockets included

import { createServer, request as send } from 'node:http';
import { connect } from 'node:net';

function hand(origin, request, response) {
	const url = URL.canParse(request.url) ? new URL(request.url) : null;

	if (url?.origin !== origin)
		return response.writeHead(403).end();

	const onward = send(url, { method: request.method, headers: request.headers }, (answer) => {
		response.writeHead(answer.statusCode, answer.headers);
		answer.pipe(response);
	});

	// The browser is to see a connection that fails, not an answer that the preview never gave.
	onward.on('error', () => response.destroy());
	request.pipe(onward);
}

function tunnel(origin, request, socket) {
	const { protocol, hostname, port } = new URL(origin);
	const number = port || (protocol === 'https:' ? '443' : '80');

	if (request.url !== `${hostname}:${number}`)
		return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');

	const onward = connect(Number(number), hostname.replace(/^\[|\]$/g, ''), () => {
		socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
		socket.pipe(onward).pipe(socket);
	});

	onward.on('error', () => socket.destroy());
	socket.on('error', () => onward.destroy());
}

// The proxy's URL. It ends with the process.
export function fence(origin) {
	const proxy = createServer((request, response) => hand(origin, request, response));

	proxy.on('connect', (request, socket) => tunnel(origin, request, socket));
	return new Promise((resolve, reject) => {
		proxy.on('error', reject);
		proxy.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${proxy.address().port}`));
	});
}
