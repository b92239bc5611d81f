"""The subcommands of `jupyter cabinet`, a file for each noun. `arguments.py` describes them, and `cli.py` calls them.

`without_server/doctor.py` needs no server. The others use a running server's HTTP API, as its owner's program; actions
that only a person in the browser may do (confirm, answer) are refused to them.
"""
