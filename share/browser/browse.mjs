// browse - looks at a preview with Chromium and tells what it saw: what sbx-browse(1) runs
//
// Reads one request, a JSON object, from standard input: url, app_id, token, deadline_ms, chromium, dir. Writes one report to
// standard output, {"pages": [...], "problems": [...], "screenshots": [...]}, and the pictures into dir. Ends with 2 and a sentence
// when there is no report. sbx-browse ends what is left of it, Chromium too.

import { text } from 'node:stream/consumers';
import { chromium } from 'playwright-core';
import { fence } from './fence.mjs';
import { identify, visit } from './pages.mjs';
import { Report } from './report.mjs';

const VIEWS = {
	desktop: { viewport: { width: 1280, height: 800 } },
	mobile: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true },
};
const SWITCHES = [
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
];

// Requests are made here and not by Chromium, which drops all of its own whenever an interface of the machine comes or goes, as with
// each container. What can't be handed over in one piece takes Chromium's way, through the fence. The token of a test user goes to
// the preview's own routes and nowhere else.
async function hand(route, request, origin) {
	const asked = route.request();
	const { origin: target, pathname } = new URL(asked.url());
	const signed = request.token && pathname.startsWith('/api/');

	if (target !== origin)
		return route.abort('blockedbyclient');

	const headers = { ...(await asked.allHeaders()), ...(signed && { authorization: `Bearer ${request.token}` }) };

	if (asked.resourceType() === 'eventsource')
		return route.continue({ headers });
	return route.fulfill({ response: await route.fetch({ headers, maxRedirects: 0, timeout: request.left() }) });
}

async function look(browser, view, request, report) {
	const context = await browser.newContext({
		...VIEWS[view],
		colorScheme: 'light',
		locale: 'en-US',
		reducedMotion: 'reduce',
		serviceWorkers: 'block',
		timezoneId: 'UTC',
	});

	context.setDefaultTimeout(request.left());
	await context.route('**/*', (route) => hand(route, request, report.origin).catch(() => route.abort('failed').catch(() => undefined)));
	report.listen(context, view);
	await visit(await context.newPage(), view, request, report);
	await context.close();
}

async function browse(request) {
	const report = new Report(new URL(request.url).origin);
	const proxy = await fence(report.origin);

	if (!(await identify(request, report)))
		return report;

	const browser = await chromium.launch({
		executablePath: request.chromium,
		chromiumSandbox: true,
		args: SWITCHES,
		proxy: { server: proxy },
		timeout: request.left(),
	});

	try {
		for (const view of Object.keys(VIEWS))
			await look(browser, view, request, report);
	} catch (error) {
		report.add(error.name === 'TimeoutError' ? 'not_ready' : 'browser_lost', error.message.split('\n')[0]);
	}
	return report;
}

// The request as it came, and how much of MOST is left for one more thing. 0 would mean "wait for ever" to the browser.
function read(json) {
	const request = JSON.parse(json);
	const deadline = Date.now() + request.deadline_ms;

	return { ...request, left: (most = Infinity) => Math.max(1, Math.min(most, deadline - Date.now())) };
}

try {
	const report = await browse(read(await text(process.stdin)));

	process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
} catch (error) {
	console.error(error.message);
	process.exit(2);
}
