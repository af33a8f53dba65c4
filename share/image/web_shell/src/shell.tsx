// shell - the frame around an app's pages: header, navigation, sign-in, account, workflows

import { Component, lazy, Suspense, type ReactNode } from 'react';
import { BrowserRouter, NavLink, Route, Routes, useLocation } from 'react-router';
import { logo, manifest, pages } from 'virtual:app';
import { Account } from './account';
import fallbackLogo from './logo.svg';
import { signIn, signOut, useSession, type Session } from './session';
import { Workflow } from './workflow';

const views = pages.map(({ load, ...page }) => ({ ...page, View: lazy(load) }));
const menu = pages.filter((page) => page.menu);
const ACCOUNT = '/account';
const hasAccount = manifest.auth !== null && !pages.some((page) => page.path === ACCOUNT);

// A page that fails takes neither the frame nor the way to other pages with it.
class Guard extends Component<{ children: ReactNode }, { failed: boolean }> {
	state = { failed: false };

	static getDerivedStateFromError() {
		return { failed: true };
	}

	render() {
		return this.state.failed ? <p role="alert">This page has failed.</p> : this.props.children;
	}
}

function Loading() {
	return <p aria-busy="true">Loading…</p>;
}

function SignedOut({ problem }: { problem?: string }) {
	return (
		<section aria-label="Sign-in">
			<p>You are signed out.</p>
			{problem && <p role="alert">{problem}</p>}
			<button onClick={signIn}>Sign in</button>
		</section>
	);
}

function Content({ session }: { session: Session }) {
	const { pathname } = useLocation();

	if (session.state === 'loading')
		return <Loading />;
	if (session.state === 'signed-out')
		return <SignedOut problem={session.problem} />;
	return (
		<Guard key={pathname}>
			<Suspense fallback={<Loading />}>
				<Routes>
					{views.map(({ path, View }) => (
						<Route key={path} path={path} element={<View />} />
					))}
					{hasAccount && <Route path={ACCOUNT} element={<Account />} />}
					<Route path="*" element={<p>There is no such page.</p>} />
				</Routes>
			</Suspense>
		</Guard>
	);
}

function User({ session }: { session: Session }) {
	if (session.state !== 'open' || session.user === null)
		return null;
	return (
		<span className="user">
			{hasAccount ? <NavLink to={ACCOUNT}>{session.user.name ?? 'Account'}</NavLink> : session.user.name}
			<button onClick={signOut}>Sign out</button>
		</span>
	);
}

export function Shell() {
	const session = useSession();

	return (
		<BrowserRouter>
			<header>
				<img src={logo ?? fallbackLogo} alt="" />
				<strong>{manifest.title}</strong>
				<nav aria-label="Pages">
					{menu.map(({ path, title }) => (
						<NavLink key={path} to={path} end>
							{title}
						</NavLink>
					))}
				</nav>
				<User session={session} />
			</header>
			<main data-session={session.state}>
				<Content session={session} />
				{session.state === 'open' && manifest.workflows.map((workflow) => <Workflow key={workflow.id} {...workflow} />)}
			</main>
		</BrowserRouter>
	);
}
