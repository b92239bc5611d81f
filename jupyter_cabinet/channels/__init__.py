"""Channels: agents in the chats where people already are. A message becomes a run, and its answer goes back."""
