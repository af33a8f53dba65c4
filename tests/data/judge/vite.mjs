/* usage: vite.mjs TOOLS - what Vite's build() throws, and what it warns of */
import { print, rollupLike } from "./common.mjs";

const { build } = await import(`${process.argv[2]}/vite/dist/node/index.js`);
const found = [];

try {
	await build({
		logLevel: "silent",
		build: {
			outDir: "/tmp/out",
			emptyOutDir: true,
			rollupOptions: {
				/* Vite's own handler first: it throws where a warning is an error to it. */
				onwarn(warning, warn) {
					warn(warning);
					found.push(...rollupLike("vite", warning, "warning"));
				},
			},
		},
	});
} catch (error) {
	found.push(...rollupLike("vite", error));
}
print(found);
