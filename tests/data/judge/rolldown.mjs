/* usage: rolldown.mjs TOOLS - what Rolldown's rolldown() throws, and what it warns of */
import { print, rollupLike } from "./common.mjs";

const { rolldown } = await import(`${process.argv[2]}/rolldown/dist/index.mjs`);
const found = [];

try {
	const bundle = await rolldown({
		input: "src/main.js",
		onLog: (level, log) => level === "warn" && found.push(...rollupLike("rolldown", log, "warning")),
	});
	await bundle.generate();
} catch (error) {
	/* The command prints errors without their backquotes. */
	for (const one of rollupLike("rolldown", error)) found.push({ ...one, message: one.message.replaceAll("`", "") });
}
print(found);
