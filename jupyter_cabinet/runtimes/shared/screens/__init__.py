"""What a CLI's screen shows, and how a turn in a terminal is followed by it."""
