"""The interface for agents: the tool server that a CLI starts for its run."""
