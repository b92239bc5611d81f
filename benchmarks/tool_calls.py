"""Calls of Cabinet's own tools beside a bare tool server: the time to start it, and the round trip of a call.

Ours goes from the SDK's client to `python -m jupyter_cabinet.mcp`, through the socket of the run directory to the
server, which reads a notebook of 20 cells, and back.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

import nbformat
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_cabinet.execution.model import ToolAnswer
from jupyter_cabinet.execution.run_directory import RunDirectory
from jupyter_cabinet.execution.tools import own_tools
from jupyter_cabinet.execution.tools.tool_door import ToolDoor
from jupyter_cabinet.notebook_tools import answers
from jupyter_cabinet.notebook_tools.notebook_file import NotebookFile

from .figures import Figure, interleave

CALLS, CELLS = 200, 20
CALL_AIM_MILLISECONDS, START_AIM_SECONDS = 5, 0.2


def measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-") as place:
        cells = [new_code_cell(f"print({number})") for number in range(CELLS)]
        nbformat.write(new_notebook(cells=cells), Path(place) / "a.ipynb")
        starts: dict[str, list[float]] = {"ours": [], "peer": []}

        def measured(name: str) -> float:
            start, call = asyncio.run(_measured(Path(place), ours=name == "ours"))
            starts[name].append(start)
            return call

        calls = interleave(rounds, {"ours": lambda: measured("ours"), "peer": lambda: measured("peer")})
    return [
        Figure(
            what="the round trip of a call of one of Cabinet's own tools",
            unit="ms",
            ours=calls["ours"],
            peer=calls["peer"],
            peer_is="a bare tool server with the same SDK",
            measure="difference",
            aim=CALL_AIM_MILLISECONDS,
        ),
        Figure(
            what="the start of Cabinet's tool server, until its tools are listed",
            unit="s",
            ours=tuple(starts["ours"]),
            peer=tuple(starts["peer"]),
            peer_is="a bare tool server with the same SDK",
            measure="difference",
            aim=START_AIM_SECONDS,
        ),
    ]


async def _measured(place: Path, *, ours: bool) -> tuple[float, float]:
    """Return the seconds of the start, and the median of the calls in milliseconds."""
    async with _command(place, ours=ours) as command:
        started = time.perf_counter()
        about = StdioServerParameters(command=command[0], args=list(command[1:]))
        async with stdio_client(about) as (read, write), ClientSession(read, write) as session:
            await session.initialize()
            await session.list_tools()
            start = time.perf_counter() - started
            times = []
            for _ in range(CALLS):
                before = time.perf_counter()
                await session.call_tool("cells_list", {})
                times.append(1000 * (time.perf_counter() - before))
    return start, median(times)


@asynccontextmanager
async def _command(place: Path, *, ours: bool) -> AsyncIterator[tuple[str, ...]]:
    if not ours:
        yield (sys.executable, str(Path(__file__).with_name("bare_tools.py")))
        return
    file = NotebookFile(place, "a.ipynb")

    async def call(_tool: str, _arguments: dict[str, object]) -> ToolAnswer:
        return ToolAnswer(text=answers.cell_list("a.ipynb", await asyncio.to_thread(file.read)))

    directory = await RunDirectory.create(place / "runs")
    try:
        await directory.listen(on_tool=ToolDoor(call).serve)
        yield own_tools.server(directory.path, ("notebook",)).command
    finally:
        await directory.close()
