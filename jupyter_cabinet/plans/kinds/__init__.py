"""The kinds of runs that plans request."""
