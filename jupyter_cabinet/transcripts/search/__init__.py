"""Finds text in all sessions, and in one of them."""
