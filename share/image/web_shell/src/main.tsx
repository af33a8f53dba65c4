// main - puts the app into the page

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { manifest, theme } from 'virtual:app';
import { startSession } from './session';
import { Shell } from './shell';
import { showTheme } from './theme';
import './shell.css';

document.title = manifest.title;
showTheme(theme, manifest.appId);
startSession();
createRoot(document.getElementById('root')!).render(
	<StrictMode>
		<Shell />
	</StrictMode>,
);
