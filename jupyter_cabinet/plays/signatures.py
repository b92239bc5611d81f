"""Whether a request from outside is signed with a play's secret. Pure.

The signature is HMAC-SHA256, in hexadecimal digits, over `<timestamp>.<delivery id>.<body>`. Neither of the first two
has a dot, as in Standard Webhooks: else a captured request could be split elsewhere, into another id and body.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from datetime import datetime

import msgspec

MAX_BODY_BYTES = 256 * 1024
MOST_SKEW_SECONDS = 300
PREFIX = "sha256="

_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)
_DELIVERY = re.compile(r"[A-Za-z0-9_:-]{1,128}", re.ASCII)


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it has come. `timestamp`: seconds since 1970; `id`: the sender's own, new for each delivery, and
    without a dot."""

    timestamp: str
    id: str
    signature: str  # with `sha256=` before it, or without
    body: bytes


def signature(secret: str, timestamp: str, delivery_id: str, body: bytes) -> str:
    """The signature of a request, as 64 hexadecimal digits."""
    signed = f"{timestamp}.{delivery_id}.".encode() + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def is_genuine(delivery: Delivery, secret: str, now: datetime) -> bool:
    """Whether it is signed with the secret, and not too old or from the future. Takes the same time for every wrong
    signature. Whether it has come before is for the caller to ask."""
    if len(delivery.body) > MAX_BODY_BYTES:
        return False
    well_formed = bool(_TIMESTAMP.fullmatch(delivery.timestamp)) and bool(_DELIVERY.fullmatch(delivery.id))
    timestamp, delivery_id = (delivery.timestamp, delivery.id) if well_formed else ("0", "x")
    expected = signature(secret, timestamp, delivery_id, delivery.body)
    given = delivery.signature.removeprefix(PREFIX).encode(errors="replace")
    same = hmac.compare_digest(expected.encode(), given)
    return same and well_formed and abs(now.timestamp() - int(timestamp)) <= MOST_SKEW_SECONDS
