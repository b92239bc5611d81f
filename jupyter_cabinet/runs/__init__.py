"""Runs: record and states, queue, supervision, journal."""
