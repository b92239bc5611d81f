"""A CLI that stays open in a terminal and receives one instruction after another."""
