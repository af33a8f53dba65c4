// account - what users may do with their own records: take them away, delete them

import { useState } from 'react';
import { manifest } from 'virtual:app';
import { request } from './api';

function save(name: string, value: unknown): void {
	const link = document.createElement('a');

	link.href = URL.createObjectURL(new Blob([JSON.stringify(value, null, '\t')], { type: 'application/json' }));
	link.download = name;
	link.click();
	URL.revokeObjectURL(link.href);
}

export function Account() {
	const [asking, setAsking] = useState(false);
	const [news, setNews] = useState<string>();
	const [problem, setProblem] = useState<string>();

	const act = async (work: () => Promise<string>) => {
		setAsking(false);
		setProblem(undefined);
		try {
			setNews(await work());
		} catch (caught) {
			setNews(undefined);
			setProblem((caught as Error).message);
		}
	};

	const exportAll = async () => {
		save(`${manifest.appId}-account.json`, await request('GET', '/api/account/export'));
		return 'Your records were exported.';
	};

	const deleteAll = async () => {
		const { deleted } = await request<{ deleted: number }>('DELETE', '/api/account');

		return `${deleted} of your records were deleted.`;
	};

	return (
		<>
			<h1>Account</h1>
			<p>
				<button onClick={() => act(exportAll)}>Export my records</button>
			</p>
			{asking ? (
				<p>
					All your records in this app will be gone. <button onClick={() => act(deleteAll)}>Delete them</button>{' '}
					<button onClick={() => setAsking(false)}>Keep them</button>
				</p>
			) : (
				<p>
					<button onClick={() => setAsking(true)}>Delete my records</button>
				</p>
			)}
			{news && <p role="status">{news}</p>}
			{problem && <p role="alert">{problem}</p>}
		</>
	);
}
