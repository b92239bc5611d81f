"""Where Cabinet meets the Jupyter server that it runs in: its files, terminals, activity and log."""
