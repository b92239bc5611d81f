"""Directives: what an agent asks for in the block at the end of its answer, and their effects."""
