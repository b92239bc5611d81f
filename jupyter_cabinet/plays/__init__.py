"""Plays: reusable instructions in files that agents carry out, started by hand, by a schedule or by an event."""
