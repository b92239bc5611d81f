"""Messages and tasks that agents and people give each other."""
