"""Conversations with CLIs, each continued over many runs."""
