import { useState, type FormEvent } from 'react';
import { callAction, useAction } from '@mozaiks/shell';
import { TaskList, countLate, type Task } from '../components/TaskList';

export default function Open() {
	const { data: tasks, error, reload } = useAction<Task[]>('tasks', 'list', { done: false });
	const [problem, setProblem] = useState<string>();
	const [title, setTitle] = useState('');
	const [due, setDue] = useState('');

	const add = async (event: FormEvent) => {
		event.preventDefault();
		try {
			await callAction<Task>('tasks', 'create', { title, due: due || null });
			setTitle('');
			setDue('');
			setProblem(undefined);
			reload();
		} catch (caught) {
			setProblem((caught as Error).message);
		}
	};

	return (
		<>
			<h1>To do ({countLate(tasks ?? [])} late)</h1>
			<form onSubmit={add}>
				<input value={title} onChange={(event) => setTitle(event.target.value)} aria-label="Task" required />
				<input type="date" value={due} onChange={(event) => setDue(event.target.value)} aria-label="Due" />
				<button>Add</button>
			</form>
			{(problem ?? error) && <p role="alert">{problem ?? error}</p>}
			{tasks?.length === 0 && <p>Nothing to do.</p>}
			<TaskList tasks={tasks ?? []} onChange={reload} onError={setProblem} />
		</>
	);
}
