"""Plans: graphs of steps, each carried out by a run."""
