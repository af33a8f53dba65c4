// app - what app-plugin.cjs makes of the app in the workspace

declare module 'virtual:app' {
	import type { ComponentType } from 'react';

	export interface Page {
		path: string;
		title: string;
		menu: boolean;
		load: () => Promise<{ default: ComponentType }>;
	}

	export const manifest: {
		appId: string | null;
		title: string;
		authRequired: boolean;
		workflows: { id: string; title: string }[];
	};
	export const pages: Page[];
	export const theme: unknown;
	export const logo: string | null;
}
