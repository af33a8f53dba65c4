import { useState, type FormEvent } from 'react';
import { useNavigate, useParams } from 'react-router';
import { callAction, useAction } from '@mozaiks/shell';
import { tagsOf, type Note } from '../components/note';

function Editor({ note }: { note: Note }) {
	const [title, setTitle] = useState(note.title);
	const [text, setText] = useState(note.text);
	const [tags, setTags] = useState(note.tags.join(' '));
	const [problem, setProblem] = useState<string>();
	const navigate = useNavigate();

	const finish = (action: string, payload: object) =>
		callAction('notes', action, { id: note.id, ...payload }).then(
			() => navigate('/'),
			(caught: Error) => setProblem(caught.message),
		);

	const save = (event: FormEvent) => {
		event.preventDefault();
		finish('update', { title, text, tags: tagsOf(tags) });
	};

	return (
		<form onSubmit={save}>
			<input value={title} onChange={(event) => setTitle(event.target.value)} aria-label="Title" required />
			<input value={tags} onChange={(event) => setTags(event.target.value)} aria-label="Tags" />
			<textarea rows={16} cols={72} value={text} onChange={(event) => setText(event.target.value)} aria-label="Text" />
			<button>Save</button>
			<button type="button" onClick={() => finish('delete', {})}>
				Delete
			</button>
			{problem && <p role="alert">{problem}</p>}
		</form>
	);
}

export default function NotePage() {
	const { id } = useParams();
	const { data: note, error } = useAction<Note>('notes', 'get', { id });

	return (
		<>
			<h1>{note?.title ?? 'Note'}</h1>
			{error && <p role="alert">{error}</p>}
			{note && <Editor key={note.id} note={note} />}
		</>
	);
}
