// main - puts the app into the page

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { manifest, theme } from 'virtual:app';
import { Shell } from './shell';
import { applyTheme } from './theme';
import './shell.css';

document.title = manifest.title;
applyTheme(theme, manifest.appId);
createRoot(document.getElementById('root')!).render(
	<StrictMode>
		<Shell />
	</StrictMode>,
);
