"""Which agents there are, whether they may act, and when they wake."""
