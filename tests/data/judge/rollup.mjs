/* usage: rollup.mjs TOOLS - what Rollup's rollup() throws */
import { createRequire } from "node:module";
import { print, rollupLike } from "./common.mjs";

const { rollup } = createRequire(import.meta.url)(`${process.argv[2]}/rollup`);

try {
	const bundle = await rollup({ input: "src/main.js", onwarn() {} });
	await bundle.generate({ format: "es" });
	print([]);
} catch (error) {
	/* Rollup 2 tells the importer in the message alone, without quotes. */
	const importer = / from ([^"]*)$/.exec(error.message.split("\n")[0]);
	print(rollupLike("rollup", error).map((one) => ({ ...one, file: one.file ?? importer?.[1] })));
}
