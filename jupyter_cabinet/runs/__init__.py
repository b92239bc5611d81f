"""The lifecycle of a run, its record, the queue, and the rules for starting one."""
