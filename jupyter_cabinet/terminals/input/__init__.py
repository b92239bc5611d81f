"""The input of one PTY: its queue, texts typed as a whole, submitted lines."""
