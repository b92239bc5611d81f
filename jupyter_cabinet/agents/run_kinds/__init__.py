"""The kinds of runs of agents, their terms, and what happens after a run has ended."""
