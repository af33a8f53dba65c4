// draft - says that this is a preview, over whatever the page shows
//
// It is no part of the app's tree, so that it stays when the app loads, asks for sign-in, goes elsewhere or fails.

import './draft.css';

if (import.meta.env.VITE_MOZAIKS_PREVIEW === 'true') {
	const mark = document.createElement('div');

	mark.className = 'draft-preview';
	mark.textContent = 'Draft preview';
	document.body.append(mark);
}
