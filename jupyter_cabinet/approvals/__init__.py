"""Questions of agents that wait for a person, and their outcomes."""
