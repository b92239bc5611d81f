"""Code that several agent CLIs share, next to the port. It knows none of them."""
