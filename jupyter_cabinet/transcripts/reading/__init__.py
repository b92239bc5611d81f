"""Reads the transcripts of the CLIs: files of JSON lines and databases."""
