/* usage: esbuild.mjs TOOLS - the errors and warnings of esbuild's build() */
import { createRequire } from "node:module";
import { esbuildLike, print } from "./common.mjs";

const { build } = createRequire(import.meta.url)(`${process.argv[2]}/esbuild`);
const options = { entryPoints: ["src/main.js"], bundle: true, write: false, outdir: "/tmp/out", logLevel: "silent" };
const result = await build(options).catch((failure) => failure);

print([
	...result.errors.map((one) => esbuildLike(one, "error")),
	...result.warnings.map((one) => esbuildLike(one, "warning")),
]);
