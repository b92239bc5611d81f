"""What `jupyter cabinet …` does: a file for each noun. `cli.py` has the parser and calls them.

`doctor.py` needs no server. The others ask a running one over its HTTP API, as its owner's program; what only a person
at a browser may do (confirm, answer) is refused to them.
"""
