import { callAction } from '@mozaiks/shell';
import { Badge } from './Badge';

export interface Task {
	id: string;
	title: string;
	due: string | null;
	done: boolean;
}

interface Props {
	tasks: Task[];
	onChange: () => void;
	onError: (message: string) => void;
}

export function isLate(task: Task, today: string): boolean {
	return !task.done && task.due !== null && task.due < today;
}

export function TaskList({ tasks, onChange, onError }: Props) {
	const today = new Date().toISOString().slice(0, 10);

	const act = (action: string, payload: object) =>
		callAction('tasks', action, payload).then(onChange, (error: Error) => onError(error.message));

	return (
		<table>
			<tbody>
				{tasks.map((task) => (
					<tr key={task.id}>
						<td>
							<label>
								<input
									type="checkbox"
									checked={task.done}
									onChange={() => act('update', { id: task.id, done: !task.done })}
								/>{' '}
								{task.title}
							</label>
						</td>
						<td>
							{task.due}
							{isLate(task, today) && <Badge text="late" />}
						</td>
						<td>
							<button onClick={() => act('delete', { id: task.id })}>Delete</button>
						</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}
