export interface Note {
	id: string;
	title: string;
	text: string;
	tags: string[];
}

export function tagsOf(words: string): string[] {
	return words.split(/[\s,]+/).filter((word) => word !== '');
}
