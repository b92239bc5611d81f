"""The texts that agents receive: prompts of heartbeats and talks, and answers of Cabinet's tools."""
