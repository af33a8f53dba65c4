/* What the judges share: each asks a tool's own API what is wrong, and prints it in the shape of sbx-diagnose's output. */
import { relative } from "node:path";

/* The first line of a message, without what the tool put before it: the place, the plugin, the file. */
export function headline(message, error = {}) {
	const { plugin, id, loc } = error;
	const file = loc?.file ?? id;
	const prefixes = ["Error: ", "[vite]: "];

	if (error.code) prefixes.push(`[${error.code}] `);
	if (plugin) prefixes.push(`[${plugin}] `, `[plugin ${plugin}] `);
	if (file) prefixes.push(`${relative(process.cwd(), file)}: `);
	if (file && loc) prefixes.push(`${relative(process.cwd(), file)} (${loc.line}:${loc.column}): `);
	let text = message.split("\n")[0];
	for (let again = true; again;) {
		again = false;
		for (const prefix of prefixes)
			if (text.startsWith(prefix)) {
				text = text.slice(prefix.length);
				again = true;
			}
	}
	return text;
}

/* An error of Rollup's kind: `loc` counts columns from 0, `id` is the module to blame. */
export function rollupLike(tool, error, severity = "error") {
	if (error.errors?.[0]?.location)
		return error.errors.map((one) => esbuildLike(one, "error"));
	if (error.errors?.length)
		return error.errors.flatMap((one) => rollupLike(tool, one, severity));
	const importer = / from "([^"]*)"\.?$/.exec(error.message.split("\n")[0]);
	return [{
		tool,
		code: error.code === "PLUGIN_ERROR" ? error.plugin : error.code,
		severity,
		file: error.loc?.file ?? error.id ?? importer?.[1],
		line: error.loc?.line,
		column: error.loc?.line === undefined ? undefined : error.loc.column + 1,
		message: headline(error.message, error),
	}];
}

/* esbuild's messages: columns from 0. */
export function esbuildLike(message, severity) {
	const at = message.location;

	return {
		tool: "esbuild",
		code: message.id || message.pluginName || undefined,
		severity,
		file: at?.file,
		line: at?.line,
		column: at ? at.column + 1 : undefined,
		message: message.text,
	};
}

export function print(list) {
	console.log(JSON.stringify(list));
}
