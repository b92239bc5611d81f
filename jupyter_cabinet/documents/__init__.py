"""Open documents: what is merged into them, and how they are saved while agents write."""
