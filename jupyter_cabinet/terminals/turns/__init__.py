"""Decides who may type into a terminal: the turn, the soft lock, and the gate that checks both."""
