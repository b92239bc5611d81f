"""Identity, memory, goals, tasks, directives and heartbeats of agents."""
