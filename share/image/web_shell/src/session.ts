// session - who is signed in: OpenID Connect's code flow with PKCE, and the token that calls carry

import { useSyncExternalStore } from 'react';
import type { UserManager } from 'oidc-client-ts';
import { manifest } from 'virtual:app';

export type Session =
	| { state: 'loading' }
	| { state: 'signed-out'; problem?: string }
	| { state: 'open'; user: { id: string; name: string | null } | null };

const { VITE_OIDC_AUTHORITY: authority, VITE_OIDC_CLIENT_ID: clientId, VITE_OIDC_REDIRECT_URI: redirectUri } = import.meta.env;

// In a public app everybody is in; only the others have somebody to ask for.
let session: Session = manifest.auth ? { state: 'loading' } : { state: 'open', user: null };
let token: string | undefined;
const listeners = new Set<() => void>();

function become(next: Session): void {
	session = next;
	listeners.forEach((listener) => listener());
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener);
	return () => listeners.delete(listener);
}

export function useSession(): Session {
	return useSyncExternalStore(subscribe, () => session);
}

export function bearer(): Record<string, string> {
	return token === undefined ? {} : { Authorization: `Bearer ${token}` };
}

// The library comes only to apps that have sign-in.
async function provider(): Promise<UserManager | null> {
	if (!authority || !manifest.auth)
		return null;

	const { UserManager } = await import('oidc-client-ts');

	return new UserManager({
		authority,
		client_id: clientId || manifest.appId!,
		redirect_uri: redirectUri || location.origin + manifest.auth.callbackPath,
		scope: ['openid', ...manifest.auth.permissions].join(' '),
		automaticSilentRenew: false,
	});
}

export async function signIn(): Promise<void> {
	try {
		const manager = await provider();

		if (manager === null)
			throw new Error('No identity provider is configured for this app.');
		await manager.signinRedirect({ state: location.pathname + location.search });
	} catch (error) {
		become({ state: 'signed-out', problem: (error as Error).message });
	}
}

// Of this app; the provider may go on knowing the user.
export async function signOut(): Promise<void> {
	token = undefined;
	await (await provider())?.removeUser();
	become({ state: 'signed-out' });
}

// The router looks again only when it is told.
function goTo(path: string): void {
	history.replaceState(null, '', path);
	dispatchEvent(new PopStateEvent('popstate'));
}

async function takeToken(): Promise<void> {
	const manager = await provider();

	if (manager && location.pathname === manifest.auth!.callbackPath) {
		// Away from here whatever comes of it: a second try with the same answer can't succeed.
		const user = await manager.signinRedirectCallback().finally(() => goTo('/'));

		goTo((user.state as string | undefined) ?? '/');
	}
	token = (await manager?.getUser())?.access_token;
}

// Ask who is there. Also when a call was refused, since a token's time may be over.
export async function startSession(): Promise<void> {
	if (!manifest.auth)
		return;
	try {
		await takeToken();

		const response = await fetch('/api/session', { headers: bearer() });

		if (response.ok)
			become({ state: 'open', user: (await response.json()).user });
		else
			become({ state: 'signed-out', problem: response.status === 401 ? undefined : `The app answered ${response.status}.` });
	} catch (error) {
		become({ state: 'signed-out', problem: (error as Error).message });
	}
}
