"""The demo agent: its adapter (`runtime.py`), and the program itself (`agent.py`), on the standard library alone."""
