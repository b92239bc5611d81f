"""What runs have changed in the files of the workspace: compared, shown, taken back. See `service.py`."""
