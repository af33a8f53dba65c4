// app-plugin - gives the shell the app that lies in the workspace, as the module virtual:app
//
// Every page file of the app is compiled, also one that app.json does not list, so that no fault in a page can hide.

const fs = require('node:fs');
const path = require('node:path');

const VIRTUAL = 'virtual:app';
const RESOLVED = '\0' + VIRTUAL;
const DEFAULT_THEME = 'brand/theme_config.json';

function readJson(root, name) {
	let text;

	try {
		text = fs.readFileSync(path.join(root, name), 'utf8');
	} catch (error) {
		throw new Error(`${name}: ${error.code === 'ENOENT' ? 'no such file in the app' : error.message}`);
	}
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new Error(`${name}: ${error.message}`);
	}
}

function appFile(root, place, name) {
	const file = path.resolve(root, String(name));

	if (!file.startsWith(root + path.sep))
		throw new Error(`app.json: ${place}: "${name}" leaves the app`);
	if (!fs.statSync(file, { throwIfNoEntry: false })?.isFile())
		throw new Error(`app.json: ${place}: no file "${name}" in the app`);
	return file;
}

function readPages(root, manifest) {
	if (!Array.isArray(manifest.pages) || manifest.pages.length === 0)
		throw new Error('app.json: pages: must list at least one page');
	return manifest.pages.map((page, i) => ({
		path: page.path,
		title: page.title,
		menu: page.menu !== false,
		file: appFile(root, `pages[${i}].component`, page.component),
	}));
}

function readTheme(root, manifest) {
	const name = manifest.theme ?? DEFAULT_THEME;

	if (manifest.theme === undefined && !fs.existsSync(path.join(root, name)))
		return null;
	return readJson(root, name);
}

function readWorkflows(workflows, manifest) {
	return (manifest.workflows ?? []).map((id) => ({ id, title: readJson(workflows, `${id}/workflow.json`).title }));
}

// What sign-in needs to know: where it leads back to, and what to ask for. A public app has none.
function readAuth(root, manifest) {
	if (manifest.authRequired === false)
		return null;
	if (manifest.authContract === undefined)
		return { callbackPath: '/auth/callback', permissions: [] };

	const { callbackPath, permissions = [] } = readJson(root, manifest.authContract);

	return { callbackPath, permissions };
}

function readApp(root, workflows) {
	const manifest = readJson(root, 'app.json');
	const theme = readTheme(root, manifest);

	return {
		manifest: {
			appId: manifest.appId,
			title: manifest.title,
			auth: readAuth(root, manifest),
			workflows: readWorkflows(workflows, manifest),
		},
		pages: readPages(root, manifest),
		theme,
		logo: theme?.logo ? appFile(root, 'theme.logo', theme.logo) : null,
	};
}

function moduleText(app) {
	const pages = app.pages.map(
		({ file, ...page }) => `\t{ ...${JSON.stringify(page)}, load: () => import(${JSON.stringify(file)}) },`,
	);

	return [
		app.logo ? `import logo from ${JSON.stringify(app.logo + '?url')};` : 'const logo = null;',
		`export const manifest = ${JSON.stringify(app.manifest)};`,
		`export const theme = ${JSON.stringify(app.theme)};`,
		'export const pages = [',
		...pages,
		'];',
		'export { logo };',
	].join('\n');
}

function pageFiles(root) {
	const dir = path.join(root, 'pages');

	if (!fs.existsSync(dir))
		return [];
	return fs
		.readdirSync(dir, { recursive: true })
		.filter((name) => /\.[jt]sx?$/.test(name) && !name.endsWith('.d.ts'))
		.sort()
		.map((name) => path.join(dir, name));
}

module.exports = function appPlugin() {
	const workspace = process.env.MOZAIKS_APP_WORKSPACE_PATH || '/workspace';
	const root = path.join(workspace, 'app');
	const workflows = process.env.MOZAIKS_WORKFLOWS_PATH || path.join(workspace, 'workflows');
	let command;

	return {
		name: 'sbx-app',

		configResolved(config) {
			command = config.command;
		},

		buildStart() {
			if (command === 'build')
				for (const id of pageFiles(root))
					this.emitFile({ type: 'chunk', id });
		},

		resolveId(id) {
			return id === VIRTUAL ? RESOLVED : null;
		},

		load(id) {
			return id === RESOLVED ? moduleText(readApp(root, workflows)) : null;
		},

		// A page is imported lazily, so the bundler itself never asks for its default export.
		buildEnd(error) {
			if (error)
				return;
			for (const { file } of readPages(root, readJson(root, 'app.json')))
				if (!this.getModuleInfo(file)?.exports.includes('default'))
					this.error({ id: file, message: 'a page must have a default export' });
		},
	};
};
