"""The processes of this machine: which there are, what they use, and how those of a session or a turn are ended."""
