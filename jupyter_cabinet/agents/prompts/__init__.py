"""What agents receive: the prompts of heartbeats and talks, and the texts of our tools."""
