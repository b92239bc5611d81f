"""Conversations with CLIs, each going on over many runs."""
