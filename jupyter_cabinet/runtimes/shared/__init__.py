"""What several agent CLIs have in common beside the port. Knows none of them."""
