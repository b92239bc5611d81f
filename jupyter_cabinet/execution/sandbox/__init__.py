"""The sandbox of an order: what its CLI sees and may change, its way out, and what it leaves behind."""
