"""How agents grow: an agent proposes a new `SOUL.md`, and a person decides about it."""
