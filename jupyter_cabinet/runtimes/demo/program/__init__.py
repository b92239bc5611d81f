"""The demo agent's program, which uses only the standard library. It starts in `agent.py`."""
