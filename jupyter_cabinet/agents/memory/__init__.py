"""What an agent remembers: entries of its memory files, and their archive."""
