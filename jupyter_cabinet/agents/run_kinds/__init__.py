"""The kinds of runs of agents, how they start, and what follows from their end."""
