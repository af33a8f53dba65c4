// workflow - starts one of the app's workflows and shows what it says

import { useState } from 'react';
import { ChatPanel, type Message } from '@mozaiks/chat-ui';
import { request } from './api';

interface Run {
	steps: { action: string; result: unknown }[];
}

export function Workflow({ id, title }: { id: string; title: string }) {
	const [messages, setMessages] = useState<Message[]>([]);
	const [busy, setBusy] = useState(false);

	const say = (from: Message['from'], text: string) => setMessages((all) => [...all, { from, text }]);

	const send = async (text: string) => {
		say('you', text);
		setBusy(true);
		try {
			const run = await request<Run>('POST', `/api/workflows/${encodeURIComponent(id)}`, { text });

			for (const { action, result } of run.steps)
				say('app', `${action}: ${JSON.stringify(result)}`);
		} catch (error) {
			say('app', (error as Error).message);
		}
		setBusy(false);
	};

	return <ChatPanel title={title} messages={messages} busy={busy} onSend={send} />;
}
