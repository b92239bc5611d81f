"""The values of the room, also the wire format."""

from __future__ import annotations

from typing import Literal

import msgspec

from ..core.events import Event

TrustPolicy = Literal["ask", "always"]


class TrustState(msgspec.Struct, frozen=True, kw_only=True):
    """Whether agents may run below the root directory. `hash` confirms it when sent back."""

    root: str
    confirmed: bool
    hash: str
    policy: TrustPolicy


class Confirmation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Body of `POST trust`."""

    hash: str


class TrustConfirmed(Event, frozen=True, kw_only=True, tag="trust_confirmed"):
    """A person has confirmed the root directory."""

    resource = "cabinet-runs"

    root: str
    by: str
