"""The confirmations of people."""
