"""The pure rules of plans."""
