"""A message in an agent's inbox: its file's name and text as a value, and back. Pure; `effects/inbox.py` has the files.

`.messages/<slug>/<time>_from_<sender>_<id>.md`: front matter `from, from_name, to, timestamp, id, origin, depth,
tainted`, and the text. Files of earlier installations have no id in their name and less in front. A sender's name may
have a `_`, so that only what looks like an id of this server is one: every other file's name is its message's id as a
whole.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from ...core.ids import ID_PATTERN

SUFFIX = ".md"
NAMED_TIME = "%Y-%m-%dT%H-%M-%SZ"  # in a file's name, which cannot have a colon everywhere

_NAMED_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d{1,6}))?Z")
_NAME = re.compile(rf"(?P<time>[^_]+)_from_(?P<sender>.+?)(?:_(?P<id>{ID_PATTERN.pattern}(?:-[a-z0-9-]+)?))?")


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A message. `timestamp`: ISO-8601 in UTC, as the file has it. `sender_name`: the display name of the sender; empty
    where it is not known.

    `id`: what the prompt shows and an acknowledgement names. `origin`: the key of the directive that sent it, or
    whatever else did; empty where the file does not say. `depth`: how many runs had led to each other before it;
    `chain`: their agents. `tainted`: the run that sent it had seen foreign text.
    """

    id: str
    sender: str
    sender_name: str = ""
    recipient: str = ""
    timestamp: str = ""
    body: str
    origin: str = ""
    depth: int = 0
    chain: tuple[str, ...] = ()
    tainted: bool = False


class BadMessage(Exception):
    """A file that is no message; the text says which field, and what was expected."""


def file_name(*, sender: str, message_id: str, at: datetime) -> str:
    """Names sort by time."""
    return f"{at.astimezone(UTC).strftime(NAMED_TIME)}_from_{sender}_{message_id}{SUFFIX}"


def id_in(name: str) -> str:
    """The id of the message in a file of this name: its last part if that is one, else the name without its suffix."""
    stem = name.removesuffix(SUFFIX)
    found = _NAME.fullmatch(stem)
    return (found and found["id"]) or stem


def text_of(message: Message) -> str:
    """The content of its file. Fields are written as JSON, which is YAML that leaves nothing to guess."""
    fields: dict[str, Any] = {
        "from": message.sender,
        **({"from_name": message.sender_name} if message.sender_name else {}),
        "to": message.recipient,
        "timestamp": message.timestamp,
        "id": message.id,
        "origin": message.origin,
        "depth": message.depth,
        "tainted": message.tainted,
        **({"chain": list(message.chain)} if message.chain else {}),
    }
    lines = "".join(f"{name}: {msgspec.json.encode(value).decode()}\n" for name, value in fields.items())
    return f"---\n{lines}---\n\n{message.body}\n"


def message_from(fields: Mapping[str, Any], body: str, *, name: str) -> Message:
    """A message from the front matter and the text of the file `name`, which says what is missing in front.

    Raises `BadMessage` for a field of the wrong kind.
    """
    found = _NAME.fullmatch(name.removesuffix(SUFFIX))
    depth = fields.get("depth", 0)
    if isinstance(depth, bool) or not isinstance(depth, int) or depth < 0:
        raise BadMessage("depth: expected a number from 0.")
    if not isinstance(fields.get("tainted", False), bool):
        raise BadMessage("tainted: expected true or false.")
    return Message(
        id=id_in(name),
        sender=_text(fields, "from") or (found["sender"] if found else "unknown"),
        sender_name=_text(fields, "from_name"),
        recipient=_text(fields, "to"),
        timestamp=_text(fields, "timestamp") or _time_in(found["time"] if found else ""),
        body=body.strip(),
        origin=_text(fields, "origin"),
        depth=depth,
        chain=_texts(fields, "chain"),
        tainted=fields.get("tainted", False),
    )


def _time_in(name: str) -> str:
    """The time of a file's name in ISO 8601; empty where it is none. Other installations add milliseconds."""
    found = _NAMED_TIME.fullmatch(name)
    if found is None:
        return ""
    date, hour, minute, second, fraction = found.groups()
    return f"{date}T{hour}:{minute}:{second}{f'.{fraction}' if fraction else ''}Z"


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if value is not None and not isinstance(value, str):
        raise BadMessage(f"{name}: expected a text.")
    return value or ""


def _texts(fields: Mapping[str, Any], name: str) -> tuple[str, ...]:
    value = fields.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise BadMessage(f"{name}: expected a list of texts.")
    return tuple(value)
