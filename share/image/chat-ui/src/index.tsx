// chat-ui - a conversation with a line to write in

import { useState, type FormEvent } from 'react';
import './chat.css';

export interface Message {
	from: 'you' | 'app';
	text: string;
}

interface Props {
	title: string;
	messages: Message[];
	busy: boolean;
	onSend: (text: string) => void;
}

export function ChatPanel({ title, messages, busy, onSend }: Props) {
	const [text, setText] = useState('');

	const submit = (event: FormEvent) => {
		event.preventDefault();
		if (text.trim() === '')
			return;
		onSend(text.trim());
		setText('');
	};

	return (
		<section className="chat" aria-label={title}>
			<h2>{title}</h2>
			<ol aria-live="polite">
				{messages.map((message, i) => (
					<li key={i} className={message.from}>
						{message.text}
					</li>
				))}
			</ol>
			<form onSubmit={submit}>
				<input value={text} onChange={(event) => setText(event.target.value)} aria-label="Message" />
				<button disabled={busy}>Send</button>
			</form>
		</section>
	);
}
