// report - the pages, problems and pictures of one look at a preview

// Only so many are worth reading, and they travel in a line.
const PROBLEMS_MOST = 50;
const MESSAGE_MOST = 300;

export class Report {
	app_id;
	pages = [];
	problems = [];
	screenshots = [];
	#origin;
	#place = {};
	#flying = new Set();
	#stirred = Date.now();

	constructor(origin) {
		this.#origin = origin;
	}

	get origin() {
		return this.#origin;
	}

	// Where we are, for problems that come by themselves.
	at(view, path) {
		this.#place = { view, page: path };
	}

	// Something was done or asked for, or came: from here on it can be quiet again.
	stir() {
		this.#stirred = Date.now();
	}

	// Milliseconds for which nothing has been on its way.
	quietFor() {
		return this.#flying.size > 0 ? 0 : Date.now() - this.#stirred;
	}

	// What is open for as long as the page is keeps nobody waiting.
	#leave(request) {
		this.stir();
		if (request.resourceType() !== 'eventsource')
			this.#flying.add(request);
	}

	#land(request) {
		this.stir();
		this.#flying.delete(request);
	}

	add(kind, text) {
		const message = text.slice(0, MESSAGE_MOST);
		const problem = { kind, message, ...this.#place };
		const same = ({ kind: k, message: m, page }) => k === kind && m === message && page === problem.page;

		if (this.problems.length < PROBLEMS_MOST && !this.problems.some(same))
			this.problems.push(problem);
	}

	#short(url) {
		return url.startsWith(this.#origin + '/') ? url.slice(this.#origin.length) : url;
	}

	#wanted(request) {
		const url = new URL(request.url());

		if (!['data:', 'blob:', 'about:'].includes(url.protocol) && url.host !== new URL(this.#origin).host)
			this.add('left_origin', `${request.method()} ${url.origin}: the app wanted to leave the preview, and could not`);
	}

	#answered(response) {
		const request = response.request();

		// Nobody signed in is a state of the app, and told as such.
		if (response.status() >= 400 && response.url() !== `${this.#origin}/api/session`)
			this.add('request_failed', `${request.method()} ${this.#short(response.url())}: answered ${response.status()}`);
	}

	#failed(request) {
		const why = request.failure()?.errorText ?? 'failed';

		// What a page asked for and then left behind is no failure of anybody's.
		if (why !== 'net::ERR_ABORTED' && request.url().startsWith(`${this.#origin}/`))
			this.add('request_failed', `${request.method()} ${this.#short(request.url())}: ${why}`);
	}

	#spoke(message) {
		// Chromium repeats here what failed as a request.
		if (message.type() === 'error' && !message.text().startsWith('Failed to load resource:'))
			this.add('console_error', message.text());
	}

	listen(context) {
		this.#flying.clear();
		this.stir();
		context.on('request', (request) => this.#leave(request));
		context.on('requestfinished', (request) => this.#land(request));
		context.on('requestfailed', (request) => this.#land(request));
		context.on('request', (request) => this.#wanted(request));
		context.on('response', (response) => this.#answered(response));
		context.on('requestfailed', (request) => this.#failed(request));
		context.on('console', (message) => this.#spoke(message));
		context.on('weberror', (error) => this.add('page_error', error.error().message));
		context.on('page', (page) => {
			page.on('crash', () => this.add('page_error', 'the page crashed the browser'));
			page.on('websocket', (socket) => {
				if (new URL(socket.url()).host !== new URL(this.#origin).host)
					this.add('left_origin', `${new URL(socket.url()).origin}: the app wanted to leave the preview, and could not`);
			});
		});
	}
}
