"""Code for every room: ids, clock, errors, events, people, slugs. It knows no room."""
