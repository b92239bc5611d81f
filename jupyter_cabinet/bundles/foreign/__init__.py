"""Agents of other systems: their folders are read, recognized, and converted into a bundle."""
