"""What directives and heartbeats do to the files of agents, each once, also after a crash."""
