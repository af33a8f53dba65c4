// api - what an app's pages import as @mozaiks/shell: they reach their modules' actions through it

import { useCallback, useEffect, useState } from 'react';
import { bearer, startSession } from './session';

export class ActionError extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}

export async function request<T>(method: string, url: string, body?: object): Promise<T> {
	const response = await fetch(url, {
		method,
		headers: { ...bearer(), ...(body && { 'Content-Type': 'application/json' }) },
		body: body && JSON.stringify(body),
	});
	const answer = await response.json().catch(() => null);

	if (response.status === 401)
		void startSession();
	if (!response.ok)
		throw new ActionError(response.status, answer?.detail ?? `the app answered ${response.status}`);
	return answer as T;
}

export function callAction<T>(module: string, action: string, payload: object = {}): Promise<T> {
	return request('POST', `/api/modules/${encodeURIComponent(module)}/${encodeURIComponent(action)}`, payload);
}

export interface ActionState<T> {
	data: T | undefined;
	error: string | undefined;
	reload: () => void;
}

// Calls an action when the page appears, when its payload changes, and on reload.
export function useAction<T>(module: string, action: string, payload: object = {}): ActionState<T> {
	const [state, setState] = useState<{ data?: T; error?: string }>({});
	const [turn, setTurn] = useState(0);
	const key = JSON.stringify(payload);

	useEffect(() => {
		let current = true;

		callAction<T>(module, action, JSON.parse(key)).then(
			(data) => current && setState({ data }),
			(error: Error) => current && setState({ error: error.message }),
		);
		return () => {
			current = false;
		};
	}, [module, action, key, turn]);
	return { data: state.data, error: state.error, reload: useCallback(() => setTurn((n) => n + 1), []) };
}
