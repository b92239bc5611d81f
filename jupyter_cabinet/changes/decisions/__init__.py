"""Accepting, reverting and restoring changes."""
