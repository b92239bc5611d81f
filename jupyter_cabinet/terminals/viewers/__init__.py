"""The clients of a terminal: their frames, their output, their speed."""
