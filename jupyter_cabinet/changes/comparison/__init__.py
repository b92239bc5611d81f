"""Compares two states of the workspace, and determines which run made which change."""
