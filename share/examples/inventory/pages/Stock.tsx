import { useState } from 'react';
import { callAction, useAction } from '@mozaiks/shell';
import { NewItem } from '../components/NewItem';
import type { Item } from '../components/types';

export default function Stock() {
	const { data: items, error, reload } = useAction<Item[]>('items', 'list');
	const [problem, setProblem] = useState<string>();

	const move = (item: Item, by: number) =>
		callAction('items', 'update', { id: item.id, quantity: item.quantity + by }).then(reload, (caught: Error) =>
			setProblem(caught.message),
		);

	return (
		<>
			<h1>Stock</h1>
			<NewItem onAdded={reload} />
			{(problem ?? error) && <p role="alert">{problem ?? error}</p>}
			<table>
				<thead>
					<tr>
						<th>SKU</th>
						<th>Name</th>
						<th>Place</th>
						<th>In stock</th>
						<th />
					</tr>
				</thead>
				<tbody>
					{items?.map((item) => (
						<tr key={item.id}>
							<td>{item.sku}</td>
							<td>{item.name}</td>
							<td>{item.place}</td>
							<td>
								{item.quantity}
								{item.quantity <= item.reorder_at && ' (low)'}
							</td>
							<td>
								<button onClick={() => move(item, 1)}>+1</button>{' '}
								<button onClick={() => move(item, -1)} disabled={item.quantity === 0}>
									−1
								</button>
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}
