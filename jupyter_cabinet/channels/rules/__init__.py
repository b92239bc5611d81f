"""Pure rules of channels: what a message is, where it goes, and how an answer is cut to size."""
