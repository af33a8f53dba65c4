// serve - the shell as a preview's frontend: serves the app's sources on PORT, hands /api to the backend
//
//     node serve.mjs [PORT]       serves on all addresses, 3000 when no port is named, a free one for 0
//     node serve.mjs prebundle    fills the cache that serving starts from, when an image is made
//
// The image is read-only: what is written goes to a directory of our own below the one for temporary files. Nothing is watched, as
// a changed app is started anew.

import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer, optimizeDeps, resolveConfig } from 'vite';

const HERE = dirname(fileURLToPath(import.meta.url));
const PREBUNDLED = join(HERE, 'node_modules/.vite');
const DEPENDENCIES = [
	'react',
	'react-dom',
	'react-dom/client',
	'react/jsx-runtime',
	'react/jsx-dev-runtime',
	'react-router',
	'oidc-client-ts',
];

const workspace = process.env.MOZAIKS_APP_WORKSPACE_PATH || '/workspace';
const config = createRequire(import.meta.url)('./vite.config.cjs');

// Vite's own client reloads the page over and over where its WebSocket does not get through. Nothing is updated in place here, so
// this is all of it that pages need.
const CLIENT = `
const sheets = new Map();
export function updateStyle(id, text) {
	const sheet = sheets.get(id) ?? document.head.appendChild(document.createElement('style'));
	sheet.textContent = text;
	sheets.set(id, sheet);
}
export function removeStyle(id) {
	sheets.get(id)?.remove();
	sheets.delete(id);
}
const ignore = () => undefined;
export const createHotContext = () => ({ accept: ignore, prune: ignore, dispose: ignore, on: ignore, off: ignore, send: ignore });
export const injectQuery = (url) => url;
export class ErrorOverlay {}
`;

const quietClient = {
	name: 'sbx-quiet-client',

	configureServer(server) {
		server.middlewares.use((request, response, next) => {
			if (request.url.split('?')[0] !== '/@vite/client')
				return next();
			response.setHeader('Content-Type', 'text/javascript');
			response.end(CLIENT);
		});
	},
};

// Vite takes its list from the environment as it is, and a name with a dot before it would let in all below it.
function checkHosts() {
	for (const host of (process.env.__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS ?? '').split(','))
		if (host !== '' && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(host))
			throw new Error(`__VITE_ADDITIONAL_SERVER_ALLOWED_HOSTS: "${host}" is not the exact name of a host`);
}

// The cache is good for one set of options only, so both uses go by the same.
function options(cacheDir, port) {
	return {
		...config,
		configFile: false,
		mode: 'development',
		cacheDir,
		clearScreen: false,
		plugins: [...config.plugins, quietClient],
		optimizeDeps: { include: DEPENDENCIES, noDiscovery: true },
		server: {
			host: '0.0.0.0',
			port,
			strictPort: true,
			hmr: false,
			ws: false,
			watch: null,
			fs: { allow: [HERE, dirname(config.resolve.alias['@mozaiks/chat-ui']), join(workspace, 'app')], deny: ['*.py', '.*'] },
			proxy: { '/api': { target: process.env.MOZAIKS_BACKEND_URL || 'http://127.0.0.1:8000' } },
		},
	};
}

async function prebundle() {
	await optimizeDeps(await resolveConfig(options(PREBUNDLED), 'serve'), true);
}

async function serve(port) {
	const cache = join(tmpdir(), 'mozaiks-preview/vite');

	checkHosts();
	rmSync(cache, { recursive: true, force: true });
	mkdirSync(cache, { recursive: true, mode: 0o700 });
	if (existsSync(PREBUNDLED))
		cpSync(PREBUNDLED, cache, { recursive: true });

	const { httpServer } = await (await createServer(options(cache, port))).listen();

	console.log(`serve: listening on port ${httpServer.address().port}`);
}

async function main([what = '3000', ...more]) {
	if (more.length > 0 || !/^(prebundle|[0-9]{1,5})$/.test(what))
		throw new Error('usage: serve.mjs [PORT | prebundle]');
	return what === 'prebundle' ? prebundle() : serve(Number(what));
}

main(process.argv.slice(2)).catch((error) => {
	console.error(`serve: ${error.message}`);
	process.exit(1);
});
