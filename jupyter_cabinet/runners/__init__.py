"""Where a run's program starts: on a worker of a cluster. On this machine, `sandboxes/` starts it without this room."""
