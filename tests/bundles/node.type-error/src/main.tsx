import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { toFahrenheit } from './convert';

function Converter() {
	const [celsius, setCelsius] = useState(20);

	return (
		<label>
			<input type="number" value={celsius} onChange={(event) => setCelsius(event.target.valueAsNumber)} /> °C is{' '}
			{toFahrenheit(String(celsius))} °F
		</label>
	);
}

createRoot(document.getElementById('root')!).render(<Converter />);
