"""A person's own tool server, as a run's folder describes it, and its tools. Of the rooms it imports only `core/`.

The description is a JSON file with mode 0600, because the environment of a tool server may hold secrets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ...core.redaction import Redactor

MAX_FILE_BYTES = 16 << 20
LOOPBACK = ("127.0.0.1", "localhost")  # a sandbox can reach services of this machine only there
TELLING = 6  # so many characters of a secret in a row, or all of a shorter one, tell something of it


class OfferedTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as its server describes it to the model. `schema`: the JSON Schema of its arguments."""

    name: str
    description: str = ""
    schema: dict[str, Any] = {}


class GivenServer(msgspec.Struct, frozen=True, kw_only=True):
    """How to start or to reach a tool server, and the tools of it that a person has approved.

    A remote one has an address and no command. The values of variables and of headers are secrets. `proxies`: variables
    with which a program reaches the network of an isolated run.
    """

    name: str
    command: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    address: str = ""
    headers: dict[str, str] = {}
    proxies: dict[str, str] = {}
    tools: tuple[OfferedTool, ...] = ()

    @property
    def secrets(self) -> tuple[str, ...]:
        """Return the values that nobody may read in a message."""
        return (*self.environment.values(), *self.headers.values())


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool server offers when it is started. `problem`: a sentence, if it could not be asked."""

    tools: tuple[OfferedTool, ...] = ()
    problem: str = ""


def place_of(path: Path) -> Path:
    """Return the folder in which a tool server with this description starts. Whoever writes the description makes it.

    It is empty, because many programs load code from the folder in which they start.
    """
    return path.with_suffix("")


def read(path: Path) -> GivenServer:
    """Read a description. Raises `OSError`, and `ValueError` for a file that is no description or is too large.

    Blocks.
    """
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    return msgspec.json.decode(content, type=GivenServer)


def is_on_this_machine(address: str) -> bool:
    """Return whether a remote tool server with this address is a service of this machine.

    `tool_servers/remote.py` refuses addresses with other names of the loopback.
    """
    return urlsplit(address).hostname in LOOPBACK


def is_same(one: OfferedTool, other: OfferedTool) -> bool:
    """Return whether a model reads the same of both. In Python, `true` would equal `1`."""
    return msgspec.json.encode(one, order="deterministic") == msgspec.json.encode(other, order="deterministic")


def tells_secret(text: str, secrets: Iterable[str]) -> bool:
    """Return whether a text has a part of a secret value, also of one that was broken into lines or escaped.

    A part has `TELLING` characters. Words of fewer than 3 characters are ignored.
    """
    for value in secrets:
        for part in value.split():
            windows = range(max(1, len(part) - TELLING + 1)) if len(part) >= 3 else ()
            if any(part[at : at + TELLING] in text for at in windows):
                return True
    return False


def header_redactor(headers: Mapping[str, str]) -> Redactor:
    """Return a redactor of the values of headers, and of their words, such as the token after `Bearer`."""
    return Redactor(word for value in headers.values() for word in (value, *value.split()))


def redacted(value: Any, redactor: Redactor) -> Any:
    """Return a JSON value whose texts, also the keys of objects, have no secrets. The given value is not changed."""
    match value:
        case str():
            return redactor.redact(value)
        case list():
            return [redacted(each, redactor) for each in value]
        case dict():
            return {redactor.redact(key): redacted(each, redactor) for key, each in value.items()}
    return value
