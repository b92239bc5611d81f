"""Reads a CLI's screen and follows a turn in a terminal by it."""
