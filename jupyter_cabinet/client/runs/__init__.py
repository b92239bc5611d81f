"""Runs in the client: requests for one, a run while it works, its events, and its result."""
