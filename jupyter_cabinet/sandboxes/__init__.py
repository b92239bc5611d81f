"""Where processes run: the launcher, and the local sandbox."""
