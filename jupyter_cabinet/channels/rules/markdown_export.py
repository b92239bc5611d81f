"""Writes the messages of a channel as Markdown, day by day. Pure.

Strangers write the messages, and other programs render the export. Each text is therefore quoted, and Markdown in it is
escaped, so that no message can imitate a heading or the message of another person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import date, tzinfo
from itertools import groupby

from ...core.plain_text import one_line, plain
from ...core.safe_markdown import escaped
from ..model import ChannelMessage

NAME_CHARACTERS = 100
# How states are shown in which a message was not sent, or perhaps not.
NOT_SENT = {
    "later": "scheduled",
    "waiting": "waiting",
    "sending": "being sent",
    "unknown": "may not have arrived",
    "failed": "failed",
}
_BLOCK = re.compile(r"^([0-9]{0,9})([-+=>.)])")  # what makes a heading, a list or a quote at the start of a line
# Begins an entry; no line of a text does, because each is quoted.
_ENTRY = re.compile(r"\n\n(?=\*\*[0-2][0-9]:[0-5][0-9] · )")
_STATE = re.compile(rf" · (?:{'|'.join(NOT_SENT.values())})(?=\*\*)")


def days(messages: Iterable[ChannelMessage], zone: tzinfo | None) -> Iterator[tuple[date, list[ChannelMessage]]]:
    """Yield each day with its messages. `messages`: oldest first. `zone`: None: that of this machine."""
    for day, found in groupby(messages, key=lambda each: each.at.astimezone(zone).date()):
        yield day, list(found)


def day_as_markdown(title: str, day: date, messages: Iterable[ChannelMessage], zone: tzinfo | None) -> str:
    """Return the messages of one day as a document. `title`: of the channel. `zone`: as in `days`."""
    entries = (_entry(each, title, zone) for each in messages)
    return "\n\n".join((f"# {_name(title)}, {day.isoformat()}", *entries)) + "\n"


def merged(before: str, now: str) -> str:
    """Return the document of a day with those entries of an earlier document whose messages are no longer kept.

    Both are results of `day_as_markdown`. A message whose state has changed since is one entry.
    """
    heading, *entries = _ENTRY.split(now.rstrip("\n"))
    present = Counter(_STATE.sub("", each, count=1) for each in entries)
    gone: list[str] = []
    for each in _ENTRY.split(before.rstrip("\n"))[1:]:
        key = _STATE.sub("", each, count=1)
        if present[key]:
            present[key] -= 1
        else:
            gone.append(each)
    by_time = sorted([*gone, *entries], key=lambda each: each[2:7])
    return "\n\n".join((heading, *by_time)) + "\n"


def as_markdown(title: str, messages: Iterable[ChannelMessage], zone: tzinfo | None) -> str:
    """Return all messages as one document with a heading for each day. `messages` and `zone`: as in `days`."""
    parts = [f"# {_name(title)}"]
    for day, found in days(messages, zone):
        parts += [f"## {day.isoformat()}", *(_entry(each, title, zone) for each in found)]
    return "\n\n".join(parts) + "\n"


def _entry(message: ChannelMessage, title: str, zone: tzinfo | None) -> str:
    sender = (message.sender_name, message.sender_id) if message.direction == "in" else (message.agent, title)
    facts = [
        f"{message.at.astimezone(zone):%H:%M}",
        _name(next(filter(None, sender), "")),
        *([f"in {_name(message.place)}"] if message.place and not message.direct else []),
        *([NOT_SENT[message.state]] if message.state in NOT_SENT else []),
    ]
    text = f"{message.text}\n\n{message.ending}" if message.ending else message.text
    return f"**{' · '.join(facts)}**\n\n{_quoted(text)}"


def _name(text: str) -> str:
    return escaped(one_line(text, most=NAME_CHARACTERS))


def _quoted(text: str) -> str:
    """Two spaces at the end of a line keep the line break."""
    lines = (_BLOCK.sub(r"\1\\\2", line.strip()) for line in escaped(plain(text)).strip().split("\n"))
    return "\n".join(f"> {line}  " if line else ">" for line in lines)
