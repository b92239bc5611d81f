"""Recordings of terminals, as asciicast v2."""
