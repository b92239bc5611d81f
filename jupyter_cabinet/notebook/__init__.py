"""The doors from a cell of a notebook: magics, what is sent with them, and what they show.

`magics.py` is what people type; `asking.py` carries a cell out; `choosing.py` collects the context that was chosen;
`bundles.py` and `fallback.py` make what stays in the notebook. It talks to the server by `client/` alone.
"""
