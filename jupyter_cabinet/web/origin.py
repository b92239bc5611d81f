"""Whether a request comes from a page of this server. Pure.

The same comparison as Jupyter's own, but made also where Jupyter skips it because a token was given.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec


class OriginPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """The server's `allow_origin` and `allow_origin_pat`."""

    allow_origin: str = ""
    allow_pattern: str = ""


def is_allowed(headers: Mapping[str, str], policy: OriginPolicy, *, changes_state: bool) -> bool:
    """A foreign or `null` origin never passes. A missing one passes for reading, else only with a token in the header:

    no browser lets a foreign page set that header unasked.
    """
    origin = headers.get("Origin") or headers.get("Sec-Websocket-Origin")
    if origin is None:
        return not changes_state or _has_token_header(headers)
    if policy.allow_origin == "*":
        return True
    if origin.lower() == "null":
        return False
    if urlsplit(origin.lower()).netloc == headers.get("Host", "").lower():
        return True
    if policy.allow_origin:
        return policy.allow_origin.lower() == origin.lower()
    return bool(policy.allow_pattern and re.match(policy.allow_pattern, origin.lower()))


def _has_token_header(headers: Mapping[str, str]) -> bool:
    return headers.get("Authorization", "").lower().startswith(("token ", "bearer "))
