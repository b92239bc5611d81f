"""The server itself: its health, events, runtimes, trust, and the off switch."""
