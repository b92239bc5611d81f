"""Where the memory of an idle server goes: what its imports hold, and its services once they are open.

In fresh interpreters, step by step; the process of the server as a whole is weighed by `idle.py`. Linux only.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from .figures import Figure

STEPS = ("Jupyter's modules", "SQLAlchemy", "our modules", "our services, open")
AIM_MIB = 15.0

PROGRAM = """
import asyncio, gc, json, os, sys
from pathlib import Path

held = []
def weigh():
    gc.collect()
    held.append(int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20)

import jupyterlab.labapp, jupyter_server.serverapp, jupyter_server_terminals.app
weigh()
import sqlalchemy, sqlalchemy.dialects.sqlite
weigh()
import jupyter_cabinet.app
from jupyter_cabinet.backend import Backend, BackendSettings
weigh()

async def main(place):
    (place / "root").mkdir(exist_ok=True)
    backend = Backend(BackendSettings(root=place / "root", data=place / "data", run_directories=place / "runs",
                                      environment=dict(os.environ), secrets=(), trust="always"))
    await backend.open()
    await asyncio.to_thread(backend.runtimes.describe)
    weigh()
    await backend.close()

asyncio.run(main(Path(sys.argv[1])))
print(json.dumps(held))
"""


def measure(rounds: int) -> list[Figure]:
    first: list[list[float]] = []
    later: list[list[float]] = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as place:
            first.append(_weigh(Path(place)))
            later.append(_weigh(Path(place)))
    figures = [_figure(first, 0, 3, "a new root directory, whose tables are made"), _figure(later, 0, 3, "a known one")]
    parts = [_figure(later, step - 1, step, f"of that, {STEPS[step]}") for step in range(1, len(STEPS))]
    return figures + parts


def _weigh(place: Path) -> list[float]:
    """MiB after each step."""
    done = subprocess.run([sys.executable, "-c", PROGRAM, place], capture_output=True, text=True, check=True)
    held: list[float] = json.loads(done.stdout.splitlines()[-1])
    return held


def _figure(rounds: list[list[float]], before: int, after: int, what: str) -> Figure:
    return Figure(
        what=f"memory of imports and open services: {what}",
        unit="MiB",
        ours=tuple(held[after] for held in rounds),
        peer=tuple(held[before] for held in rounds),
        peer_is="the step before" if after - before == 1 else STEPS[0],
        measure="difference",
        aim=AIM_MIB,
    )
