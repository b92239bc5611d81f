"""People's own tool servers, and which of their tools agents may use."""
