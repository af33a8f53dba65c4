import { useState, type FormEvent } from 'react';
import { callAction } from '@mozaiks/shell';

export function NewItem({ onAdded }: { onAdded: () => void }) {
	const [problem, setProblem] = useState<string>();

	const add = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const form = event.currentTarget;
		const fields = new FormData(form);

		callAction('items', 'create', {
			sku: fields.get('sku'),
			name: fields.get('name'),
			quantity: Number(fields.get('quantity')),
			place: fields.get('place'),
		}).then(
			() => {
				form.reset();
				setProblem(undefined);
				onAdded();
			},
			(caught: Error) => setProblem(caught.message),
		);
	};

	return (
		<form onSubmit={add}>
			<input name="sku" placeholder="SKU" required />
			<input name="name" placeholder="Name" required />
			<input name="quantity" type="number" min="0" defaultValue="0" aria-label="Quantity" />
			<input name="place" placeholder="Place" />
			<button>Add</button>
			{problem && <p role="alert">{problem}</p>}
		</form>
	);
}
