"""One list of agents' activity, joined from runs, their questions and their changes when it is requested."""
