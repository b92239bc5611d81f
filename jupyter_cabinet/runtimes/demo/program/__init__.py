"""The demo agent itself: a program of its own, with the standard library alone. `agent.py` is where it begins."""
