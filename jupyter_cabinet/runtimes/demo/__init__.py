"""The demo agent behind the port. `runtime.py` is what the registry loads; `program/` is the program itself."""
