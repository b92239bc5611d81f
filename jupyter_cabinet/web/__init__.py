"""Doors over HTTP: one route table, one base handler, one file per noun."""
