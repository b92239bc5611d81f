"""Sessions of agents that keep none: written from the records of their runs, and read like the files of a CLI."""
