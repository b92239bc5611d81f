"""What the server, browser and CLI tests share: real servers in processes of their own, named people, a client."""
