// vite.config - how the shared shell is built and served; an app in the workspace has no say in it
//
// The name ends in .cjs because Vite writes a temporary file beside every other kind of config, and the image is read-only.

const path = require('node:path');
const react = require('@vitejs/plugin-react').default;
const app = require('./app-plugin.cjs');

const chatUi = process.env.MOZAIKS_CHAT_UI_PATH || path.join(__dirname, '../chat-ui');

module.exports = {
	root: __dirname,
	envDir: false,
	css: { postcss: {} },
	plugins: [react(), app()],
	resolve: {
		alias: {
			'@mozaiks/shell': path.join(__dirname, 'src/api.ts'),
			'@mozaiks/chat-ui': path.join(chatUi, 'src/index.tsx'),
		},
		dedupe: ['react', 'react-dom', 'react-router'],
	},
	build: { emptyOutDir: true },
};
