"""Messages that the server sends: put on record, sent, posted by agents, and notifications."""
