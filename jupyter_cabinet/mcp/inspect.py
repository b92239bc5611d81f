"""`python -m jupyter_cabinet.mcp.inspect <file>`: asks a tool server what it offers, and prints that as JSON.

Started by the server when a person adds a tool server or looks at it again.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import TextIO

import msgspec

from ..execution.tools.tool_server_file import GivenServer, Inspected, place_of, read, tells_secret
from .connection import connected, tools_of
from .relay import reason_for

MOST_READ, LONGEST_LINE = 4096, 300  # characters


async def inspected(server: GivenServer, folder: Path) -> Inspected:
    """Start the tool server in this folder or connect to it, ask it for its tools, and end that. Never raises.

    If that fails, the result has a `problem` and no tools. The problem quotes the last line of the server's stderr,
    unless that has a part of a secret.
    """
    with tempfile.TemporaryFile("w+", errors="replace") as errors:
        try:
            async with connected(server, folder, errors=errors) as session:
                return Inspected(tools=await tools_of(session))
        except Exception as error:  # whatever the SDK or the tool server raises is the result
            return Inspected(problem=f"{reason_for(server, error)}{_last_line(errors, server)}")


def _last_line(errors: TextIO, server: GivenServer) -> str:
    """Return the last line that the tool server has written to its stderr, which often says why it ended."""
    end = errors.seek(0, 2)
    errors.seek(max(0, end - MOST_READ))
    lines = [line.strip() for line in errors.read().splitlines() if line.strip()]
    if not lines:
        return ""
    if tells_secret(lines[-1], server.secrets):
        return " What it wrote is not shown, because it has a part of a variable's value."
    return f" It wrote: {lines[-1][:LONGEST_LINE]}"


def main() -> None:
    """Print what a tool server offers, as the JSON of `Inspected`. Exits with an error without exactly one argument."""
    if len(sys.argv) != 2:
        sys.exit("usage: python -m jupyter_cabinet.mcp.inspect <file>")
    path = Path(sys.argv[1])
    sys.stdout.buffer.write(msgspec.json.encode(asyncio.run(inspected(read(path), place_of(path)))))


if __name__ == "__main__":
    main()
