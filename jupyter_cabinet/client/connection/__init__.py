"""How the client reaches a server: its address, also from a kernel, HTTP, and the thread of the synchronous client."""
