"""A person's own tool server, as a run's folder describes it, and its tools. Imports none of the server's rooms.

The description is a JSON file with mode 0600, because the environment of a tool server may hold secrets.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

MAX_FILE_BYTES = 4 << 20


class OfferedTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as its server describes it to the model. `schema`: the JSON Schema of its arguments."""

    name: str
    description: str = ""
    schema: dict[str, Any] = {}


class GivenServer(msgspec.Struct, frozen=True, kw_only=True):
    """How to start a tool server, and the tools of it that a person has approved."""

    name: str
    command: tuple[str, ...]
    environment: dict[str, str] = {}
    tools: tuple[OfferedTool, ...] = ()


class Inspected(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool server offers when it is started. `problem`: a sentence, if it could not be asked."""

    tools: tuple[OfferedTool, ...] = ()
    problem: str = ""


def read(path: Path) -> GivenServer:
    """Read a description. Raises `OSError`, and `ValueError` for a file that is no description."""
    with path.open("rb") as file:
        content = file.read(MAX_FILE_BYTES + 1)
    return msgspec.json.decode(content, type=GivenServer)
