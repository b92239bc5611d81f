"""The output of commands: lines for people, JSON for programs. Pure. `core/plain_text.py` makes texts harmless."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import msgspec


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a command: `value` for programs, `lines` for people, and the exit status."""

    value: Any
    lines: tuple[str, ...] = ()
    status: int = 0


def as_json(value: Any) -> str:
    """Return a value as indented JSON in ASCII, for programs. Nothing in it can control a terminal."""
    return json.dumps(msgspec.to_builtins(value), indent=2)


def local_time(at: datetime | None) -> str:
    """Return it by the clock of this machine, such as `Mon 2026-01-05 08:00`; empty for None."""
    return "" if at is None else at.astimezone().strftime("%a %Y-%m-%d %H:%M")
