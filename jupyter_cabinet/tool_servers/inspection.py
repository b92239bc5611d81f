"""Starts or reaches a tool server once to see what it offers, by a process of the server, outside any sandbox."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from ..core.errors import Invalid
from ..core.plain_text import one_line
from ..core.redaction import Redactor
from ..execution.tools.tool_server_file import GivenServer, Inspected, place_of
from ..sandboxes.environment import build_environment
from ..sandboxes.port import PipedProcess, Sandbox
from . import remote
from .store import Stored

PROGRAM: Final = "jupyter_cabinet.mcp.inspect"
PACKAGE: Final = "mcp"
SECONDS = 90.0
MAX_OUTPUT_BYTES = 8 << 20
LONGEST_PROBLEM = 600
NO_PACKAGE = 'Install "jupyter-cabinet[mcp]" where the server runs.'
SLOW = f"It did not say what it offers within {SECONDS:.0f} seconds."
NO_ANSWER = "It could not be asked what it offers."


class Inspection:
    """Asks tool servers, one process for each question."""

    def __init__(self, *, sandbox: Sandbox, environment: Mapping[str, str]) -> None:
        """`environment`: the server's own; a tool server gets a part of it, without secrets."""
        self._sandbox = sandbox
        self._environment = environment

    @property
    def search_path(self) -> str:
        """Return where programs are looked for, as in PATH."""
        return self._environment.get("PATH", os.defpath)

    async def of(self, stored: Stored) -> Inspected:
        """Start or reach a tool server once, and return what it offers. Waits at most 90 seconds.

        Never raises: if it fails, `problem` is a sentence without secrets.
        """
        if importlib.util.find_spec(PACKAGE) is None:
            return Inspected(problem=NO_PACKAGE)
        try:
            given = self.given(stored)
        except Invalid as error:
            return Inspected(problem=error.message)
        redactor = Redactor(given.secrets)
        try:
            found = await asyncio.wait_for(self._ask(given), SECONDS)
        except TimeoutError:
            return Inspected(problem=SLOW)
        except Exception as error:  # whatever prevents a process from starting is the result
            found = Inspected(problem=f"{NO_ANSWER} {error}")
        return msgspec.structs.replace(found, problem=one_line(redactor.redact(found.problem), most=LONGEST_PROBLEM))

    def given(self, stored: Stored) -> GivenServer:
        """Return how to start or to reach a tool server, with its secrets and without tools.

        Raises `Invalid` if a header names a variable that the server does not have, or whose value no header can have.
        """
        return GivenServer(
            name=stored.server.name,
            command=stored.server.command,
            environment=stored.environment,
            address=stored.server.address,
            headers=remote.filled(stored.headers, self._environment),
        )

    async def _ask(self, given: GivenServer) -> Inspected:
        with tempfile.TemporaryDirectory(prefix="cabinet-tools-") as folder:
            path = Path(folder) / "server.json"
            await asyncio.to_thread(_write, path, msgspec.json.encode(given))
            process = await self._sandbox.start(
                (sys.executable, "-P", "-m", PROGRAM, str(path)),
                cwd=folder,
                environment=build_environment(self._environment, keep=(), add={}),
            )
            try:
                await process.go()
                process.close_stdin()
                output = await _stdout(process)
                await process.wait()
            except BaseException:
                await process.stop()
                raise
        try:
            return msgspec.json.decode(output, type=Inspected)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return Inspected(problem=NO_ANSWER)


def _write(path: Path, content: bytes) -> None:
    place_of(path).mkdir(mode=0o700)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


async def _stdout(process: PipedProcess) -> bytes:
    received = bytearray()
    async for source, piece in process.output():
        if source == "stdout" and len(received) <= MAX_OUTPUT_BYTES:
            received += piece
    return bytes(received)
