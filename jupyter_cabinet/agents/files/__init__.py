"""The files of agents: safe reading and writing, their layout, personas, and versions."""
