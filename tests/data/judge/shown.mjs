/*
 * usage: shown.mjs LOG - keep of what a judge says (on standard input) what its log can show
 *
 * A code is expected where the log has it; a file where the log names it. Names become relative to the app's root.
 */
import { readFileSync } from "node:fs";
import { basename, resolve } from "node:path";

const root = "/workspace/app";
const log = readFileSync(process.argv[2], "utf8");
const seen = new Set();

for (const one of JSON.parse(readFileSync(0, "utf8"))) {
	if (one.code && !log.includes(one.code)) delete one.code;
	if (one.file && !log.includes(basename(one.file))) delete one.file;
	if (!one.file) delete one.line, delete one.column;
	if (one.file) {
		one.file = resolve(root, one.file);
		if (one.file.startsWith(`${root}/`)) one.file = one.file.slice(root.length + 1);
	}
	const { tool, code, severity, file, line, column, message } = one;
	const text = JSON.stringify({ tool, code, severity, file, line, column, message });
	if (!seen.has(text)) console.log(text);
	seen.add(text);
}
