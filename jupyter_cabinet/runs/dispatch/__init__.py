"""A run from the queue to its end: taken and executed, its state in memory, its reports, and its limits."""
