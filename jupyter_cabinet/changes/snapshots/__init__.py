"""What stands in a folder: looked at, kept, and what is left out of it."""
