import { useState } from 'react';
import { callAction, useAction } from '@mozaiks/shell';
import type { Order } from '../components/types';

export default function Orders() {
	const { data: orders, error, reload } = useAction<Order[]>('orders', 'list');
	const [problem, setProblem] = useState<string>();

	const act = (action: string, id: string) =>
		callAction('orders', action, { id }).then(reload, (caught: Error) => setProblem(caught.message));

	return (
		<>
			<h1>Orders</h1>
			{(problem ?? error) && <p role="alert">{problem ?? error}</p>}
			{orders?.length === 0 && <p>No orders. The workflow Restock drafts them for what is low.</p>}
			<table>
				<tbody>
					{orders?.map((order) => (
						<tr key={order.id}>
							<td>{order.sku}</td>
							<td>{order.quantity}</td>
							<td>{order.status}</td>
							<td>
								{order.status === 'draft' && (
									<>
										<button onClick={() => act('receive', order.id)}>Received</button>{' '}
										<button onClick={() => act('cancel', order.id)}>Cancel</button>
									</>
								)}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}
