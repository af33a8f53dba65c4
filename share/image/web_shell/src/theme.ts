// theme - the shell's colours, with those of the app's brand/theme_config.json laid over them

type Colors = Record<'primary' | 'background' | 'surface' | 'text', string>;

interface Overlay {
	source?: unknown;
	app_id?: unknown;
	font?: unknown;
	colors?: { light?: Partial<Colors>; dark?: Partial<Colors> };
}

const LIGHT: Colors = { primary: '#2457c5', background: '#f6f7f9', surface: '#ffffff', text: '#1b1f24' };
const DARK: Colors = { primary: '#8fb4ff', background: '#14171c', surface: '#1e232b', text: '#eceff4' };

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

// The wanted text colour where it can be read (4.5:1, as WCAG 2 asks), else black or white.
function readable(wanted: string, ...grounds: string[]): string {
	const worst = (color: string) => Math.min(...grounds.map((ground) => contrast(color, ground)));

	if (worst(wanted) >= 4.5)
		return wanted;
	return worst('#000000') > worst('#ffffff') ? '#000000' : '#ffffff';
}

function merge(base: Colors, overlay: Partial<Colors> = {}): Colors {
	const colors = { ...base };

	for (const name of Object.keys(base) as (keyof Colors)[])
		if (/^#[0-9a-f]{6}$/i.test(overlay[name] ?? ''))
			colors[name] = overlay[name]!;
	return colors;
}

function rules(colors: Colors): string {
	return [
		`--primary:${colors.primary}`,
		`--on-primary:${readable('#ffffff', colors.primary)}`,
		`--background:${colors.background}`,
		`--surface:${colors.surface}`,
		`--text:${readable(colors.text, colors.background, colors.surface)}`,
	].join(';');
}

// An overlay counts only when it was made for this very app; the shared default carries another source.
export function applyTheme(theme: unknown, appId: string | null): void {
	const given = (theme ?? {}) as Overlay;
	const overlay = given.source === 'custom' && given.app_id === appId ? given : {};
	const style = document.createElement('style');
	const font = typeof overlay.font === 'string' && /^[\w ,-]+$/.test(overlay.font) ? overlay.font : 'system-ui';

	style.textContent =
		`:root{${rules(merge(LIGHT, overlay.colors?.light))};--font:${font}}` +
		`@media (prefers-color-scheme:dark){:root{${rules(merge(DARK, overlay.colors?.dark))}}}`;
	document.head.append(style);
}
