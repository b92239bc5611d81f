"""What is typed into one PTY: its queue, texts typed whole, submitted lines."""
