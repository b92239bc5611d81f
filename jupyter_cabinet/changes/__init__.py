"""What runs have changed in the files of the workspace: compared, shown, reverted. See `service.py`."""
