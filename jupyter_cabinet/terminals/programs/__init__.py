"""The programs of one terminal: an agent CLI, a person's shell, and their input."""
