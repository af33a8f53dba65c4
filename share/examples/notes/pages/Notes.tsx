import { useState, type FormEvent } from 'react';
import { Link, useNavigate } from 'react-router';
import { callAction, useAction } from '@mozaiks/shell';
import type { Note } from '../components/note';

export default function Notes() {
	const [search, setSearch] = useState('');
	const [title, setTitle] = useState('');
	const [problem, setProblem] = useState<string>();
	const { data: notes, error } = useAction<Note[]>('notes', 'list', { search });
	const navigate = useNavigate();

	const create = (event: FormEvent) => {
		event.preventDefault();
		callAction<Note>('notes', 'create', { title }).then(
			({ id }) => navigate(`/note/${id}`),
			(caught: Error) => setProblem(caught.message),
		);
	};

	return (
		<>
			<h1>Notes</h1>
			<form onSubmit={create}>
				<input value={title} onChange={(event) => setTitle(event.target.value)} aria-label="Title" required />
				<button>New note</button>
			</form>
			<input type="search" value={search} onChange={(event) => setSearch(event.target.value)} aria-label="Search" />
			{(problem ?? error) && <p role="alert">{problem ?? error}</p>}
			{notes?.length === 0 && <p>{search ? 'No note has these words.' : 'No notes yet.'}</p>}
			<ul>
				{notes?.map((note) => (
					<li key={note.id}>
						<Link to={`/note/${note.id}`}>{note.title}</Link> {note.tags.map((tag) => `#${tag}`).join(' ')}
					</li>
				))}
			</ul>
		</>
	);
}
