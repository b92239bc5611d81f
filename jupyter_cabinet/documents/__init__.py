"""Open documents: how they are saved while agents write, and how both sides' changes are merged."""
