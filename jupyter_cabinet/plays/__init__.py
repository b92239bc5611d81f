"""Plays: reusable instructions in files, carried out by agents, by hand, by schedule or because something happened."""
