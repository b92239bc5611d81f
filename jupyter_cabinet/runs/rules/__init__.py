"""Pure rules of runs: their lifecycle, their queue, and their limits."""
