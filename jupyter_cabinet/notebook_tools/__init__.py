"""The tools with which a run works on its notebook: read, change and run cells, look at the kernel."""
