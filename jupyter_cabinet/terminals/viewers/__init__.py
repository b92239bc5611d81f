"""The clients of a terminal: their frames, what they are sent, how fast they are."""
