"""The check whether a request from outside is signed with a play's secret. Pure.

The signature is HMAC-SHA256, in hexadecimal digits, over `<timestamp>.<delivery id>.<body>`. The first two contain no
dot, as in Standard Webhooks. Otherwise a captured request could be split differently, into another id and body.
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
    """A request as received.

    `timestamp`: seconds since 1970. `id`: chosen by the sender, new for each delivery, without a dot.
    """

    timestamp: str
    id: str
    signature: str  # with or without the prefix `sha256=`
    body: bytes


def signature(secret: str, timestamp: str, delivery_id: str, body: bytes) -> str:
    """Return the signature of a request, as 64 hexadecimal digits."""
    signed = f"{timestamp}.{delivery_id}.".encode() + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def is_genuine(delivery: Delivery, secret: str, now: datetime) -> bool:
    """Return whether the request is signed with the secret, and not older or newer than 300 seconds.

    False for a malformed request and a body over 256 KiB. All wrong signatures take the same time. The caller must
    check whether the same request has come before.
    """
    if len(delivery.body) > MAX_BODY_BYTES:
        return False
    well_formed = bool(_TIMESTAMP.fullmatch(delivery.timestamp)) and bool(_DELIVERY.fullmatch(delivery.id))
    timestamp, delivery_id = (delivery.timestamp, delivery.id) if well_formed else ("0", "x")
    expected = signature(secret, timestamp, delivery_id, delivery.body)
    given = delivery.signature.removeprefix(PREFIX).encode(errors="replace")
    same = hmac.compare_digest(expected.encode(), given)
    return same and well_formed and abs(now.timestamp() - int(timestamp)) <= MOST_SKEW_SECONDS
