"""How two states of the workspace differ, and which run made which change."""
