"""What asking from a cell costs: `%%agent` beside the bare REST call, and a long answer beside a loop that prints it.

A real kernel that a real server has started. The demo agent behind it, and for the long answer a program with Claude
Code's output that writes as fast as a reader takes it: a model would need a minute. Linux only.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import msgspec
import nbformat
import psutil
from nbformat.v4 import new_code_cell, new_notebook

from .agents import KEY
from .figures import Figure, interleave
from .servers import serving

from harness.kernels import Cell, NotebookKernel, notebook_kernel  # isort: skip - `servers` makes it importable

NOTEBOOK = "cells.ipynb"
SHORT, LONG = "reply with the single word hello", "sleep 2"
DELTAS, DELTA = 10_000, "A few words"  # and a blank or a new line: 120 kB in all
PAUSE_SECONDS = 0.0005  # after each
WRITER = f"""#!{sys.executable}
import json, sys, time
if "--version" in sys.argv:
    sys.exit(print("2.1.329 (Claude Code)"))
def emit(kind, **fields):
    print(json.dumps({{"type": kind, "session_id": session, "uuid": "0", **fields}}), flush=True)
session = sys.argv[sys.argv.index("--session-id") + 1]
sys.stdin.read()
emit("system", subtype="init", cwd=".", tools=[], mcp_servers=[], model="none")
pieces = [{DELTA!r} + ("\\n" if number % 10 == 9 else " ") for number in range({DELTAS})]
for piece in pieces:
    delta = {{"type": "text_delta", "text": piece}}
    emit("stream_event", event={{"type": "content_block_delta", "index": 0, "delta": delta}})
    time.sleep({PAUSE_SECONDS})
said = "".join(pieces)
emit("assistant", message={{"role": "assistant", "model": "none", "content": [{{"type": "text", "text": said}}]}})
emit("result", subtype="success", is_error=False, result=said, permission_denials=[])
"""
PRINT = f"""import time
for number in range({DELTAS}):
    print({DELTA!r}, end="\\n" if number % 10 == 9 else " ", flush=True)
    time.sleep({PAUSE_SECONDS})
"""
WAIT_SECONDS = 60


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """Of one cell. `seconds` until its reply, `processor` seconds of the kernel, `updates` of a display, `sent` bytes
    of what it told its readers, `saved` bytes of a notebook with this cell alone."""

    seconds: float
    processor: float
    updates: int
    sent: int
    saved: int


def measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-", dir="/var/tmp") as folder:
        writer = Path(folder, "claude")
        writer.write_text(WRITER)
        writer.chmod(0o700)
        environment = {"JUPYTER_CABINET_CLAUDE_PATH": str(writer), "ANTHROPIC_API_KEY": KEY}
        with (
            serving(environment=environment) as server,
            notebook_kernel(server, NOTEBOOK) as kernel,
            server.client("ada") as client,
        ):
            return [*_overhead(kernel, client, rounds), *_long_answer(kernel, rounds)]


def _overhead(kernel: NotebookKernel, client: httpx.Client, rounds: int) -> list[Figure]:
    return [
        Figure(
            what="a cell with `%%agent`, a run of 2 s, demo agent",
            unit="s",
            **_paired(kernel, client, LONG, rounds),
            peer_is="`POST runs?wait` for the same instruction",
            measure="ratio",
            aim=1.05,
        ),
        Figure(
            what="the same, a run of one word",
            unit="s",
            **_paired(kernel, client, SHORT, rounds * 2),
            peer_is="`POST runs?wait` for the same instruction",
            measure="difference",
            aim=0.1,
        ),
    ]


def _paired(kernel: NotebookKernel, client: httpx.Client, instruction: str, rounds: int) -> dict[str, Any]:
    def cell() -> float:
        start = time.perf_counter()
        kernel.run(f"%%agent --runtime demo\n{instruction}")
        return time.perf_counter() - start

    def call() -> float:
        asked = {"kind": "cell", "notebook": NOTEBOOK, "runtime": "demo", "instruction": instruction}
        start = time.perf_counter()
        reply = client.post("runs", params={"wait": WAIT_SECONDS}, json=asked, timeout=WAIT_SECONDS)
        seconds = time.perf_counter() - start
        assert reply.json()["state"] == "succeeded", reply.text
        return seconds

    interleave(1, {"ours": cell, "peer": call})  # once without counting
    return dict(interleave(rounds, {"ours": cell, "peer": call}))


def _long_answer(kernel: NotebookKernel, rounds: int) -> list[Figure]:
    asked = "%%agent --runtime claude --new-session\nwrite a long answer"
    pairs = [(_cost(kernel, asked), _cost(kernel, PRINT)) for _ in range(rounds + 1)][1:]  # once without counting
    rows = (
        ("time", "s", "seconds", "ratio", 1.0),
        ("processor time of the kernel", "s", "processor", "ratio", 1.0),
        ("updates of the output", "messages", "updates", "ours", 10.0),
        ("bytes that the kernel sends", "kB", "sent", "ratio", 1.0),
        ("size of the saved notebook", "kB", "saved", "ours", 150.0),
    )
    return [
        Figure(
            what=f"10,000 text deltas in one cell: {what}",
            unit=unit,
            ours=tuple(_in(unit, getattr(ours, field)) for ours, _ in pairs),
            peer=tuple(_in(unit, getattr(peer, field)) for _, peer in pairs),
            peer_is="a loop in the kernel that prints them",
            measure=how,  # type: ignore[arg-type]
            aim=aim,
        )
        for what, unit, field, how, aim in rows
    ]


def _in(unit: str, value: float) -> float:
    return value / 1000 if unit == "kB" else value


def _cost(kernel: NotebookKernel, code: str) -> Cost:
    process = psutil.Process(int(kernel.run("import os\nprint(os.getpid())").text))
    before, start = sum(process.cpu_times()[:2]), time.perf_counter()
    cell = kernel.run(code)
    seconds = time.perf_counter() - start
    return Cost(
        seconds=seconds,
        processor=sum(process.cpu_times()[:2]) - before,
        updates=sum(each["msg_type"] == "update_display_data" for each in cell.told),
        sent=sum(len(json.dumps(each["content"])) for each in cell.told),
        saved=_saved_bytes(code, cell),
    )


def _saved_bytes(code: str, cell: Cell) -> int:
    outputs = [{name: value for name, value in each.items() if name != "display_id"} for each in cell.outputs]
    if cell.text:  # what is printed is kept in one piece
        outputs = [{"output_type": "stream", "name": "stdout", "text": cell.text}]
    notebook = new_notebook(cells=[new_code_cell(code, outputs=nbformat.from_dict(outputs))])
    return len(nbformat.writes(notebook).encode())
