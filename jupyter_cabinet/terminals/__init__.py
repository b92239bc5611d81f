"""Shared terminals: many watch, one types, nobody while an agent works."""
