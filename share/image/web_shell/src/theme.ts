// theme - the shell's colours, with the app's own over them, and those that the host adds for this very app over both

type Name = 'primary' | 'background' | 'surface' | 'text';
type Colors = Record<Name, string>;
type Given = Partial<Colors>;

interface Theme {
	source?: unknown;
	app_id?: unknown;
	font?: unknown;
	colors?: { light?: Given; dark?: Given };
}

const LIGHT: Colors = { primary: '#2457c5', background: '#f6f7f9', surface: '#ffffff', text: '#1b1f24' };
const DARK: Colors = { primary: '#8fb4ff', background: '#14171c', surface: '#1e232b', text: '#eceff4' };

// WCAG 2 asks for this much between a text and its ground.
const READABLE = 4.5;

function luminance(color: string): number {
	const [r, g, b] = [1, 3, 5].map((at) => {
		const c = parseInt(color.slice(at, at + 2), 16) / 255;

		return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
	});

	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
	const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);

	return (high + 0.05) / (low + 0.05);
}

// The wanted colour where it can be read, else black or white: one of the two always can.
function readable(wanted: string, ground: string): string {
	if (contrast(wanted, ground) >= READABLE)
		return wanted;
	return contrast('#000000', ground) > contrast('#ffffff', ground) ? '#000000' : '#ffffff';
}

// The layers over the base: what none of them gives is the mode's own.
function merge(base: Colors, layers: (Given | undefined)[]): Colors {
	const given: Given = {};

	for (const layer of layers)
		for (const name of Object.keys(base) as Name[])
			if (/^#[0-9a-f]{6}$/i.test(layer?.[name] ?? ''))
				given[name] = layer![name]!;

	const colors = { ...base, ...given };

	// Texts run over both grounds, so a ground that nobody chose gives way to one that somebody did.
	if (!given.surface && contrast(readable(colors.text, colors.background), colors.surface) < READABLE)
		colors.surface = colors.background;
	if (!given.background && contrast(readable(colors.text, colors.surface), colors.background) < READABLE)
		colors.background = colors.surface;
	return colors;
}

function rules(colors: Colors): string {
	return [
		`--primary:${colors.primary}`,
		`--on-primary:${readable('#ffffff', colors.primary)}`,
		`--background:${colors.background}`,
		`--text:${readable(colors.text, colors.background)}`,
		`--surface:${colors.surface}`,
		`--on-surface:${readable(colors.text, colors.surface)}`,
	].join(';');
}

function fontOf(layers: Theme[]): string {
	const fonts = layers.map(({ font }) => font).filter((font) => typeof font === 'string' && /^[\w ,-]+$/.test(font));

	return (fonts.at(-1) as string | undefined) ?? 'system-ui';
}

function write(style: HTMLStyleElement, layers: Theme[]): void {
	const light = merge(LIGHT, layers.map(({ colors }) => colors?.light));
	const dark = merge(DARK, layers.map(({ colors }) => colors?.dark));

	style.textContent =
		`:root{color-scheme:light dark;${rules(light)};--font:${fontOf(layers)}}` +
		`@media (prefers-color-scheme:dark){:root{${rules(dark)}}}`;
}

// A host may answer with its defaults, or for another app. Neither may replace what this app's own brand says.
function isOverlay(theme: Theme | null, appId: string): theme is Theme {
	return theme?.source === 'custom' && theme.app_id === appId;
}

export function showTheme(brand: unknown, appId: string | null): void {
	const own = (brand ?? {}) as Theme;
	const layers = own.app_id === undefined || own.app_id === appId ? [own] : [];
	const style = document.head.appendChild(document.createElement('style'));

	write(style, layers);
	if (appId !== null)
		fetch(`/api/themes/${encodeURIComponent(appId)}`)
			.then((response) => (response.ok ? response.json() : null))
			.then((theme: Theme | null) => isOverlay(theme, appId) && write(style, [...layers, theme]))
			.catch((error: Error) => console.warn(`theme: ${error.message}`));
}
