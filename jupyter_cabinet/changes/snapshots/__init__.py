"""Snapshots of folders: how they are taken and stored, and which files they leave out."""
