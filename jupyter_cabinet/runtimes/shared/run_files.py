"""The files that a CLI reads from the directory of its run: instruction, system text, settings, tool servers. Pure.

Text that is too long or too private for an argument goes into such a file. The functions of each CLI's `arguments.py`
add the files that they need, and name the paths where the CLI expects them; `runtime.py` passes all of them on with the
launch. Nothing is written here.
"""

from __future__ import annotations

import json
import sys
from typing import Any, NamedTuple

from ...core.errors import Invalid
from ..model import McpServer, Request, TemporaryFile
from . import tool_server_environment
from .instruction_escaping import plain_instruction

LONGEST_ARGUMENT_BYTES = 32 * 1024  # a longer instruction goes into a file; the system's limit is 128 KiB
INSTRUCTION, SYSTEM_TEXT = "prompt.md", "system.md"


class Instruction(NamedTuple):
    """The first instruction of a CLI in a terminal.

    `text` is the argument; `path` is the file that it names, if any.
    """

    text: str
    path: str = ""


class RunFiles:
    """The files of one launch. If a name is added twice, the last content counts."""

    def __init__(self, request: Request) -> None:
        self._directory = request.run_directory
        self._contents: dict[str, bytes] = {}

    def add(self, name: str, text: str) -> str:
        """Note a file and return its absolute path. Nothing is written here: see `all`.

        Half of a surrogate pair in `text` becomes a question mark. Raises `Invalid` (field `run_directory`) for a
        request without a directory.
        """
        if not self._directory:
            raise Invalid("This run needs a directory for its files.", field="run_directory")
        self._contents[name] = text.encode(errors="replace")
        return f"{self._directory.rstrip('/')}/{name}"

    def add_json(self, name: str, value: dict[str, Any]) -> str:
        """Add a file with a value as JSON; return its path. Raises like `add`."""
        return self.add(name, json.dumps(value))

    def add_instruction(self, text: str, *, in_file: bool = False) -> Instruction | None:
        """Return `text` as an argument that no CLI takes for one of its commands. None: there is no instruction.

        `in_file`: always in a file, for text that other users must not read. Raises like `add`.
        """
        if not text:
            return None
        if in_file or len(text.encode(errors="replace")) > LONGEST_ARGUMENT_BYTES:
            path = self.add(INSTRUCTION, text)
            return Instruction(f"Your instruction is in the file {path}. Read all of it and carry it out.", path)
        return Instruction(plain_instruction(text).replace("\0", ""))

    def add_tool_server(self, server: McpServer) -> tuple[str, ...]:
        """Return the command of a tool server, for a CLI that takes it in arguments or variables.

        Its environment, which may hold secrets, is in a file. Raises like `add`.
        """
        if not server.environment:
            return server.command
        said = {"command": server.command, "environment": server.environment}
        path = self.add_json(f"tools-{server.name}.json", said)
        return (sys.executable, "-I", "-S", str(tool_server_environment.__file__), path)

    def all(self) -> tuple[TemporaryFile, ...]:
        """Return every file that was added, for `Launch.files`. Nothing is written here."""
        return tuple(
            TemporaryFile(path=f"{self._directory.rstrip('/')}/{name}", content=content)
            for name, content in self._contents.items()
        )
