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
		auth: { callbackPath: string; permissions: string[] } | null;
		workflows: { id: string; title: string }[];
	};
	export const pages: Page[];
	export const theme: unknown;
	export const logo: string | null;
}

interface ImportMetaEnv {
	readonly VITE_MOZAIKS_PREVIEW?: string;
	readonly VITE_OIDC_AUTHORITY?: string;
	readonly VITE_OIDC_CLIENT_ID?: string;
	readonly VITE_OIDC_REDIRECT_URI?: string;
}
