"""One folder per agent CLI, all behind one port."""
