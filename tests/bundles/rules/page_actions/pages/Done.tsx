import { useState } from 'react';
import { Link } from 'react-router';
import { callAction, useAction } from '@mozaiks/shell';
import { TaskList, type Task } from '../components/TaskList';

export default function Done() {
	const { data: tasks = [], error, reload } = useAction<Task[]>('tasks', 'list', { done: true });
	const [problem, setProblem] = useState<string>();

	const clear = () =>
		Promise.all(tasks.map(({ id }) => callAction('tasks', 'remove', { id }))).then(reload, (caught: Error) =>
			setProblem(caught.message),
		);

	return (
		<>
			<h1>Done</h1>
			{(problem ?? error) && <p role="alert">{problem ?? error}</p>}
			{tasks.length === 0 ? (
				<p>
					Nothing yet; see <Link to="/">what is open</Link>.
				</p>
			) : (
				<button onClick={clear}>Clear the list</button>
			)}
			<TaskList tasks={tasks} onChange={reload} onError={setProblem} />
		</>
	);
}
