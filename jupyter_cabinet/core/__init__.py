"""What every room may know: ids, clock, errors, events, people, slugs. It knows no room."""
