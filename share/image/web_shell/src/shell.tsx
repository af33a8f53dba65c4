// shell - the frame around an app's pages: header, navigation, sign-in, workflows

import { lazy, Suspense, useEffect, useState } from 'react';
import { BrowserRouter, NavLink, Route, Routes } from 'react-router';
import { logo, manifest, pages } from 'virtual:app';
import fallbackLogo from './logo.svg';
import { Workflow } from './workflow';

const views = pages.map(({ load, ...page }) => ({ ...page, View: lazy(load) }));
const menu = pages.filter((page) => page.menu);

type Session = 'unknown' | 'none' | 'open';

function useSession(): Session {
	const [session, setSession] = useState<Session>(manifest.authRequired ? 'unknown' : 'open');

	useEffect(() => {
		if (manifest.authRequired)
			fetch('/api/session').then(
				(response) => setSession(response.ok ? 'open' : 'none'),
				() => setSession('none'),
			);
	}, []);
	return session;
}

function Content({ session }: { session: Session }) {
	if (session === 'unknown')
		return <p>Loading…</p>;
	if (session === 'none')
		return <p role="alert">This app needs sign-in, and nobody is signed in.</p>;
	return (
		<Suspense fallback={<p>Loading…</p>}>
			<Routes>
				{views.map(({ path, View }) => (
					<Route key={path} path={path} element={<View />} />
				))}
				<Route path="*" element={<p>There is no such page.</p>} />
			</Routes>
		</Suspense>
	);
}

// Takes no clicks and no focus, so it never stands between a tester and the app.
function DraftMark() {
	return import.meta.env.VITE_MOZAIKS_PREVIEW === 'true' ? <div className="draft">Draft preview</div> : null;
}

export function Shell() {
	const session = useSession();

	return (
		<BrowserRouter>
			<header>
				<img src={logo ?? fallbackLogo} alt="" />
				<strong>{manifest.title}</strong>
				<nav>
					{menu.map(({ path, title }) => (
						<NavLink key={path} to={path} end>
							{title}
						</NavLink>
					))}
				</nav>
			</header>
			<main>
				<Content session={session} />
				{session === 'open' && manifest.workflows.map((workflow) => <Workflow key={workflow.id} {...workflow} />)}
			</main>
			<DraftMark />
		</BrowserRouter>
	);
}
