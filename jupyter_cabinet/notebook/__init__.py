"""The interface in a notebook's cell: magics, the context sent with them, and their output.

`magics.py` is what people type; `asking.py` runs a cell; `choosing.py` collects the chosen context; `bundles.py` and
`fallback.py` make the output that stays in the notebook. It talks to the server only through `client/`.
"""
