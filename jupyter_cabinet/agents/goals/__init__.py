"""Goals of agents by period, their progress, and the views of them that people see."""
