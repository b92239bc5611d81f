"""Identity, memory, goals, tasks, directives, heartbeats and plays of agents."""
