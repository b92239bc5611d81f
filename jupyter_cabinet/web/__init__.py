"""The HTTP API: one route table, one base handler, one file per noun."""
