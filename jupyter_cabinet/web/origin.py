"""Decides about requests that Jupyter's own check of the origin leaves open: without an origin, or with `null`. Pure.

Jupyter decides about named origins; `handler.py` applies both.
"""

from __future__ import annotations

from collections.abc import Mapping


def is_answerable(origin: str | None, headers: Mapping[str, str], *, changes_state: bool) -> bool:
    """Return whether the request may come in.

    `null` never may. No origin may read; anything else needs a token in the header: no browser lets a foreign page set
    that header without a check.
    """
    if origin is None:
        return not changes_state or _has_token_header(headers)
    return origin.lower() != "null"


def _has_token_header(headers: Mapping[str, str]) -> bool:
    return headers.get("Authorization", "").lower().startswith(("token ", "bearer "))
