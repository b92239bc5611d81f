"""Directives: the requests in the block at the end of an agent's answer, and their effects."""
