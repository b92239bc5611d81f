"""An agent's memory: entries of its memory files, and their archive."""
