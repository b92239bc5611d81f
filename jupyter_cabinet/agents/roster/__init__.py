"""The list of agents, whether each may act, and when its heartbeats start."""
