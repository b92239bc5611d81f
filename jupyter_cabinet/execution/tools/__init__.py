"""What the CLI of an order gets: Cabinet's own tools, the agent's tool servers, and its skills."""
