"""The changes that runs have made in the workspace: compared, shown, reverted. See `service.py`."""
