"""How two states of the workspace differ, and who has changed what."""
