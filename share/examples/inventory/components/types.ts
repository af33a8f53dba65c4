export interface Item {
	id: string;
	sku: string;
	name: string;
	quantity: number;
	reorder_at: number;
	place: string;
}

export interface Order {
	id: string;
	sku: string;
	quantity: number;
	status: 'draft' | 'received' | 'cancelled';
}
