"""Pure rules of runs: their life, their line, and what limits them."""
