// look - what a person would try in a preview, by a browser, and what came of it as JSON
//
//     node look.mjs WHAT URL      WHAT is the name of a function of this file; PLAYWRIGHT names
// playwright-core's directory, CHROMIUM the browser

const { chromium } = await import(`${process.env.PLAYWRIGHT}/index.mjs`);

// Chromium drops its own requests whenever an interface of the machine comes or goes, so they are made here.
async function open(browser, options) {
	const page = await browser.newPage(options);

	await page.route('**/*', async (route) => route.fulfill({ response: await route.fetch({ maxRedirects: 0 }) }));
	return page;
}

// Runs in the page: the least contrast between a text and the ground that it stands on, and where.
function leastContrast() {
	const luminance = ([r, g, b]) => {
		const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));

		return 0.2126 * x + 0.7152 * y + 0.0722 * z;
	};
	const rgba = (color) => color.match(/[\d.]+/g).map(Number);
	const ground = (element) => {
		for (let at = element; at !== null; at = at.parentElement) {
			const [r, g, b, a = 1] = rgba(getComputedStyle(at).backgroundColor);

			if (a === 1)
				return [r, g, b];
		}
		throw new Error('nothing lies under it');
	};
	const own = (element) => [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim() !== '');
	const contrast = (element) => {
		const [low, high] = [luminance(rgba(getComputedStyle(element).color)), luminance(ground(element))].sort((a, b) => a - b);

		return (high + 0.05) / (low + 0.05);
	};
	const texts = [...document.querySelectorAll('body *')].filter((e) => e.checkVisibility() && (own(e) || e.matches('input, textarea')));

	return texts.map((e) => ({ least: contrast(e), where: e.tagName })).sort((a, b) => a.least - b.least)[0];
}

async function contrast(browser, url) {
	const found = {};

	for (const colorScheme of ['light', 'dark']) {
		const page = await open(browser, { colorScheme });

		await page.goto(url, { waitUntil: 'networkidle' });
		found[colorScheme] = {
			...(await page.evaluate(leastContrast)),
			background: await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
			surface: await page.evaluate(() => getComputedStyle(document.querySelector('header')).backgroundColor),
			primary: await page.evaluate(() => document.documentElement.computedStyleMap().get('--primary')?.toString()),
		};
	}
	return found;
}

// A button of the app lies under the mark, and somebody clicks where the mark is.
async function click(browser, url) {
	const page = await open(browser);

	await page.goto(url, { waitUntil: 'networkidle' });
	const { x, y, width, height } = await page.getByText('Draft preview').boundingBox();

	await page.evaluate(() => {
		const button = document.createElement('button');

		button.textContent = 'Under it';
		button.style = 'position:fixed;right:0;bottom:0;width:200px;height:60px';
		button.onclick = () => (button.textContent = 'Clicked');
		document.querySelector('main').append(button);
	});
	await page.mouse.click(x + width / 2, y + height / 2);
	return {
		clicked: await page.getByText('Clicked').isVisible(),
		visible: await page.getByText('Draft preview').isVisible(),
		covered: await page.evaluate(([a, b]) => document.elementFromPoint(a, b).textContent, [x + width / 2, y + height / 2]),
	};
}

// The mark while nobody knows yet who is there, and then while nobody is.
async function loading(browser, url) {
	const page = await open(browser);
	const session = () => page.locator('main').getAttribute('data-session');
	let go;

	const held = new Promise((resolve) => (go = resolve));

	await page.route('**/api/session', async (route) => {
		await held;
		await route.fallback();
	});
	await page.goto(url);
	await page.locator('main').waitFor();
	const before = { session: await session(), mark: await page.getByText('Draft preview').isVisible() };

	go();
	await page.getByRole('button', { name: 'Sign in' }).waitFor();
	return { before, after: { session: await session(), mark: await page.getByText('Draft preview').isVisible() } };
}

// Sign in from a deep link, write a note, export, sign out and in again, delete, and look whether it is gone.
async function account(browser, url) {
	const page = await open(browser);
	const signIn = () => page.getByRole('button', { name: 'Sign in' }).click();

	await page.goto(new URL('/?from=here', url).href);
	await signIn();
	await page.getByRole('link', { name: 'Ada' }).waitFor();
	const back = page.url();

	await page.getByRole('textbox', { name: 'Title' }).fill('Bread');
	await page.getByRole('button', { name: 'New note' }).click();
	await page.getByRole('heading', { name: 'Bread' }).waitFor();
	await page.getByRole('link', { name: 'Ada' }).click();

	const download = page.waitForEvent('download');

	await page.getByRole('button', { name: 'Export my records' }).click();
	const file = await download;
	const exported = JSON.parse(await (await import('node:fs/promises')).readFile(await file.path(), 'utf8'));

	await page.getByRole('button', { name: 'Sign out' }).click();
	await page.getByText('You are signed out.').waitFor();
	await page.reload();
	await signIn();
	await page.getByRole('button', { name: 'Delete my records' }).click();
	await page.getByRole('button', { name: 'Delete them' }).click();
	const said = await page.getByRole('status').innerText();

	await page.getByRole('link', { name: 'Notes' }).click();
	await page.getByText('No notes yet.').waitFor();
	return { back: back.slice(new URL(url).origin.length), name: file.suggestedFilename(), exported, said };
}

const [what, url] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });

try {
	console.log(JSON.stringify(await { contrast, click, loading, account }[what](browser, url)));
} finally {
	await browser.close();
}
