"""The checks of a `HEARTBEAT.md` with a separate interval. Pure.

A check is a section `## name` with a line `Interval:`, which has a number of seconds or a duration such as `30m`, `4h`
or `1d`. A heartbeat receives it only if that much time has passed since a successful heartbeat received it last.
Everything else in the file belongs to each heartbeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta

MAX_CHECKS = 50  # whose times are kept
MAX_NAME = 100  # characters
LONGEST = timedelta(days=366)
EARLIER = timedelta(minutes=1)  # at most: a heartbeat may start a little earlier than the one before
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}

_HEADING = re.compile(r" {0,3}##[ \t]+(.+)")
_HIGHER = re.compile(r" {0,3}#[ \t]+.*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INTERVAL = re.compile(r"[ \t]*(?:[-*][ \t]+)?\**interval:?\**:?[ \t]*(\d{1,9})[ \t]*([smhd]?)[ \t]*", re.IGNORECASE)


def due_checks(text: str, last: Mapping[str, datetime], now: datetime) -> tuple[str, tuple[str, ...]]:
    """Return the text without the checks that are not due yet, and the names of the due ones, in the order of the text.

    `last`: when each check was received last, by name; one that was never received is due. At most 50 names are
    returned; what follows in the text is kept as it is.
    """
    kept: list[str] = []
    names: list[str] = []
    for name, lines in _sections(text):
        interval = _interval(lines) if name else None
        if interval is not None and name not in names and len(names) < MAX_CHECKS:
            if name in last and now - last[name] < interval - min(interval / 10, EARLIER):
                continue
            names.append(name)
        kept += lines
    return "".join(kept), tuple(names)


def shortest_interval(text: str) -> timedelta | None:
    """Return the shortest interval of the checks in a text; None if there is none."""
    found = (_interval(lines) for name, lines in _sections(text) if name)
    return min((interval for interval in found if interval is not None), default=None)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each section with its name, also what is outside of sections, with an empty name."""
    name, lines, fence = "", list[str](), ""
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if (found := _FENCE.match(bare)) is not None and (not fence or found[1].startswith(fence)):
            fence = "" if fence else found[1]
        heading = None if fence else _HEADING.fullmatch(bare)
        if heading is not None or (not fence and _HIGHER.fullmatch(bare)):
            yield name, lines
            name, lines = (heading[1].rstrip(" \t#")[:MAX_NAME] if heading else ""), []
        lines.append(line)
    yield name, lines


def _interval(lines: list[str]) -> timedelta | None:
    for line in lines:
        if (found := _INTERVAL.fullmatch(line.rstrip("\r\n"))) is not None:
            seconds = int(found[1]) * _SECONDS[found[2].lower()]
            return min(timedelta(seconds=seconds), LONGEST) if seconds > 0 else None
    return None
