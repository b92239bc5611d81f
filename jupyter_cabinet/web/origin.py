"""What Jupyter's own check of the origin leaves open: a request that names none, or `null`. Pure.

Which named origins may come in is Jupyter's to say; `handler.py` asks both.
"""

from __future__ import annotations

from collections.abc import Mapping


def is_answerable(origin: str | None, headers: Mapping[str, str], *, changes_state: bool) -> bool:
    """`null` never is. No origin is for reading, else only with a token in the header:

    no browser lets a foreign page set that header unasked.
    """
    if origin is None:
        return not changes_state or _has_token_header(headers)
    return origin.lower() != "null"


def _has_token_header(headers: Mapping[str, str]) -> bool:
    return headers.get("Authorization", "").lower().startswith(("token ", "bearer "))
