"""Shared terminals: many people watch, one types, and nobody types while an agent works."""
