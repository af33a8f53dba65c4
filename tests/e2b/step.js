// step.js - the steps of a tour: a line for each, and the exit status

let failed = 0

// Runs one step. A later one runs even if this one failed, and may fail for that.
export async function step(name, run) {
	try {
		await run()
		console.log(`ok ${name}`)
	} catch (error) {
		failed++
		console.log(`not ok ${name}: ${error.stack}`)
	}
}

export const end = () => process.exit(failed ? 1 : 0)
