/* usage: typescript.mjs TOOLS - ts.getPreEmitDiagnostics of the project in this directory */
import { createRequire } from "node:module";
import { print } from "./common.mjs";

const ts = createRequire(import.meta.url)(`${process.argv[2]}/typescript`);
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} };
const config = ts.getParsedCommandLineOfConfigFile("tsconfig.json", {}, host);
const program = ts.createProgram(config.fileNames, config.options);

print(ts.sortAndDeduplicateDiagnostics([...config.errors, ...ts.getPreEmitDiagnostics(program)]).map((one) => {
	const at = one.file && ts.getLineAndCharacterOfPosition(one.file, one.start);

	return {
		tool: "typescript",
		code: `TS${one.code}`,
		severity: ts.DiagnosticCategory[one.category].toLowerCase(),
		file: one.file?.fileName,
		line: at && at.line + 1,
		column: at && at.character + 1,
		message: ts.flattenDiagnosticMessageText(one.messageText, "\n"),
	};
}));
