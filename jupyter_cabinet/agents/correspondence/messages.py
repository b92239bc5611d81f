"""A message in an agent's inbox as a value, its file's name and content, and back. Pure.

`effects/inbox.py` reads and writes the files: `.messages/<slug>/<time>_from_<sender>_<id>.md`, with the front matter
`from, from_name, to, timestamp, id, origin, depth, tainted, chain`, and the text. Files of earlier installations have
no id in their name and fewer fields. A sender's name may contain `_`, so only a last part that looks like an id of this
server is an id; otherwise the whole name of the file is the message's id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from ...core.ids import ID_PATTERN

SUFFIX = ".md"
NAMED_TIME = "%Y-%m-%dT%H-%M-%SZ"  # time in a file's name; some file systems do not allow colons

_NAMED_TIME = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d{1,6}))?Z")
_NAME = re.compile(rf"(?P<time>[^_]+)_from_(?P<sender>.+?)(?:_(?P<id>{ID_PATTERN.pattern}(?:-[a-z0-9-]+)?))?")


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """A message. `timestamp`: ISO 8601 in UTC, as the file has it. `sender_name`: display name; empty if unknown.

    `id`: the id that the prompt shows and that an acknowledgement uses. `origin`: the key of the directive that sent
    it, or another sender, such as `person:<user>`; empty if the file has none. `depth`: the number of runs before it in
    the chain of triggers. `chain`: the agents of these runs. `tainted`: the run that sent it had seen text from
    outside.
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
    """Raised if a file is not a valid message. The text names the field and what was expected."""


def file_name(*, sender: str, message_id: str, at: datetime) -> str:
    """Return the name of a message's file. Names sort by time, in whole seconds.

    `sender`: must be safe in a file name; it is not checked.
    """
    return f"{at.astimezone(UTC).strftime(NAMED_TIME)}_from_{sender}_{message_id}{SUFFIX}"


def id_in(name: str) -> str:
    """Return the id of the message in a file of this name.

    It is the last part of the name if that is an id, else the name without suffix.
    """
    stem = name.removesuffix(SUFFIX)
    found = _NAME.fullmatch(stem)
    return (found and found["id"]) or stem


def text_of(message: Message) -> str:
    """Return the content of a message's file. Fields are written as JSON, which is unambiguous YAML."""
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
    """Build a message from the front matter and the text of the file `name`, which supplies missing fields.

    Raises `BadMessage` for a field of the wrong type.
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
    """Return the time in a file's name as ISO 8601; empty if there is none. Other installations add milliseconds."""
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
