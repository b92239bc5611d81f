"""Agents that travel between servers: exported as one file, inspected, imported."""
