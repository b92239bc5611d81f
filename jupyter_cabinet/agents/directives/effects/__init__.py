"""Effects of directives and heartbeats on the files of agents. Each is applied once, also after a crash."""
