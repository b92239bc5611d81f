"""A CLI that stays open in a terminal and takes one instruction after the other."""
