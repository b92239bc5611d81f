"""The only way out of a sandbox: a proxy in the server that connects to the hosts an agent may reach."""
