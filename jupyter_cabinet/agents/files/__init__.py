"""The files of agents: safe reading and writing, their layout, persona, versions."""
