"""The index of the sessions: what is read into it, and when."""
