"""Codex behind the port. `runtime.py` is what the registry loads."""
