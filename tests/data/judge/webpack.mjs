/* usage: webpack.mjs TOOLS [CONFIG] - the errors and warnings of a webpack compilation, as its error objects tell them */
import { createRequire } from "node:module";
import { print } from "./common.mjs";

const require = createRequire(import.meta.url);
const webpack = require(`${process.argv[2]}/webpack`);
const config = process.argv[3]
	? require(`${process.cwd()}/${process.argv[3]}`)
	: { mode: "production", entry: "./src/main.js", output: { path: "/tmp/out" } };

/* ts-loader passes on what TypeScript said. */
function checked(error) {
	const [, code, message] = /(TS\d+): ([^]*?)\s*$/.exec(error.message.replace(/\u001b\[[0-9;]*m/g, ""));
	const at = error.loc.start;

	return { tool: "typescript", code, file: error.file, line: at.line, column: at.column + 1, message };
}

/* A loader's own error: Babel's has `loc` with columns from 0, PostCSS's error counts from 1. */
function loaded(error, lines) {
	const cause = error.error;
	const [, line, column] = /\((\d+):(\d+)\)/.exec(cause.message) ?? [];
	const at = cause.loc
		? { line: cause.loc.line, column: cause.loc.column + 1 }
		: { line: Number(line), column: Number(column) };

	return { ...at, message: lines.slice(1).find((text) => text !== "" && text !== "SyntaxError") };
}

function tell(error, severity) {
	const lines = error.message.split("\n");
	const missing = error.name === "ModuleNotFoundError" ? error.dependencies?.[0] : undefined;
	const loc = error.loc ?? missing?.loc;
	const at = loc?.start ?? loc;
	const one = {
		tool: "webpack",
		severity,
		file: error.module?.resource,
		line: at?.line,
		column: at && at.column + 1,
		message: lines[0],
	};

	if (/\[tsl\]/.test(error.message))
		return { ...one, ...checked(error) };
	if (lines[0].startsWith("Module build failed (from "))
		return { ...one, ...loaded(error, lines) };
	return one;
}

webpack(config, (failure, stats) => {
	if (failure) throw failure;
	print([
		...stats.compilation.warnings.map((one) => tell(one, "warning")),
		...stats.compilation.errors.map((one) => tell(one, "error")),
	]);
});
