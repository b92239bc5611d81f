"""What the server, browser and CLI tests share: real servers in their own processes, named people, a client."""
