// pages - loads an app, follows its navigation, judges each page and takes its picture

import { join } from 'node:path';

// How long a page may take to show something once it is asked for.
const PAGE_MS = 15000;
const PAGES_MOST = 20;
const QUIET_MS = 500;
const STEP_MS = 50;

// Is it the app that it should be? The frontend's own answer counts, as a browser would get it. False: there is nothing to look at.
export async function identify(request, report) {
	const url = new URL('/api/shell-config', request.url);
	let response;

	try {
		response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(request.left(PAGE_MS)) });
	} catch (error) {
		report.add('unreachable', `${report.origin}: ${error.cause?.code ?? error.cause?.message ?? error.message}`);
		return false;
	}

	const config = await response.json().catch(() => null);

	if (response.ok && typeof config?.appId === 'string')
		report.app_id = config.appId;
	if (report.app_id === undefined)
		report.add('wrong_app', `GET ${url.pathname}: answered ${response.status} and names no app`);
	else if (request.app_id && config.appId !== request.app_id)
		report.add('wrong_app', `the preview says that it is "${config.appId}", not "${request.app_id}"`);
	request.title = config?.title;
	return true;
}

// Runs in the page. Whether the shell shows that path and waits for nothing. A click changes the address first, and the navigation's
// mark only with the page itself.
function isThere(path) {
	const current = document.querySelector('nav [aria-current=page]');

	return (
		(path === null || location.pathname === path) &&
		(current === null || current.pathname === location.pathname) &&
		document.querySelector('main') !== null &&
		document.querySelector('main [aria-busy=true]') === null
	);
}

// The page is there when the shell shows it and nothing was asked for any more for a while. PATH null: wherever the app goes first.
async function settle(page, path, request, report) {
	const end = Date.now() + request.left(PAGE_MS);

	while (Date.now() < end) {
		if (report.quietFor() >= QUIET_MS && (await page.evaluate(isThere, path).catch(() => false)))
			return;
		await page.waitForTimeout(STEP_MS);
	}
	report.add('not_ready', 'the page did not come to rest in time');
}

// Runs in the page. Whether there is anything for an eye, and how the mark of a draft stands.
function inspect() {
	const main = document.querySelector('main') ?? document.body;
	const seen = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
	const marks = [...document.querySelectorAll('body *')].filter(
		(element) => element.children.length === 0 && /^\s*draft preview\s*$/i.test(element.textContent) && seen(element),
	);
	const over = (mark) => {
		const { left, top, width, height } = mark.getBoundingClientRect();

		return document.elementFromPoint(left + width / 2, top + height / 2) === mark;
	};

	return {
		title: document.title.slice(0, 100),
		heading: (main.querySelector('h1')?.innerText ?? '').slice(0, 100),
		blank:
			main.innerText.trim() === '' &&
			![...main.querySelectorAll('img, svg, canvas, video, input, button')].some(seen),
		session: main.dataset.session ?? 'open',
		indicator: marks.length > 0,
		blocks: marks.some(over),
	};
}

// One colour from edge to edge is no page, whatever its elements say.
async function isOneColour(page, png) {
	return page.evaluate(async (data) => {
		const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
		const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
		const context = new OffscreenCanvas(image.width, image.height).getContext('2d');

		context.drawImage(image, 0, 0);
		return new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer).every((p, i, all) => p === all[0]);
	}, png.toString('base64'));
}

async function picture(page, view, path, request, report) {
	const file = `${view}-${report.screenshots.filter((each) => each.view === view).length + 1}.png`;

	await page.screenshot({ path: join(request.dir, file), animations: 'disabled', scale: 'css', timeout: request.left(PAGE_MS) });
	report.screenshots.push({ file, view, page: path });
}

async function isBlank(page, found, request) {
	if (found.blank)
		return true;
	return isOneColour(page, await page.locator('main').screenshot({ animations: 'disabled', timeout: request.left(PAGE_MS) }));
}

async function judge(page, view, path, request, report) {
	const found = await page.evaluate(inspect);

	await picture(page, view, path, request, report);
	if (await isBlank(page, found, request))
		report.add('blank', 'there is nothing to see on the page');
	if (found.session === 'signed-out')
		report.add('signed_out', 'the app asks for sign-in, so its pages were not seen');
	if (request.title && found.title !== request.title)
		report.add('wrong_title', `the page's title is "${found.title}", not "${request.title}"`);
	if (!found.indicator)
		report.add('indicator_missing', 'nothing on the page says that it is a draft preview');
	if (found.blocks)
		report.add('indicator_blocks', 'the mark of the draft preview takes clicks that are meant for the app');
	report.pages.push({ view, path, title: found.title, heading: found.heading, indicator: found.indicator });
}

// Where the navigation leads, in its order, without the page that is there already.
async function linksOf(page, first, report) {
	const links = await page.locator('nav').first().locator('a[href]').evaluateAll((all) => all.map((a) => a.href));
	const paths = links.map((href) => new URL(href)).filter(({ origin }) => origin === report.origin).map(({ pathname }) => pathname);

	return [...new Set(paths)].filter((path) => path !== first).slice(0, PAGES_MOST);
}

// The first page, and then each that the navigation leads to, by a click as a user would.
export async function visit(page, view, request, report) {
	const first = new URL(request.url).pathname;

	report.at(view, first);
	await page.goto(request.url, { waitUntil: 'commit', timeout: request.left(PAGE_MS) });
	await settle(page, null, request, report);
	await judge(page, view, first, request, report);
	for (const path of await linksOf(page, first, report)) {
		report.at(view, path);
		report.stir();
		await page.locator(`nav a[href="${path}"]`).first().click({ timeout: request.left(PAGE_MS) });
		await settle(page, path, request, report);
		await judge(page, view, path, request, report);
	}
}
