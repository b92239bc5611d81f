"""Goals of agents by period, their progress, and how people see them."""
