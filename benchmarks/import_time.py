"""What the extension adds to the imports of a starting JupyterLab server.

Both are taken in one interpreter, ours after Jupyter's: from one process to the next the latter swings by more.
"""

from __future__ import annotations

import subprocess
import sys

from .figures import Figure

PROGRAM = """
import time
begin = time.perf_counter()
import jupyterlab.labapp
before = time.perf_counter()
import jupyter_cabinet.app
after = time.perf_counter()
print((before - begin) * 1000, (after - begin) * 1000)
"""


def measure(rounds: int) -> list[Figure]:
    _import()  # the files come from the disk once
    peer, ours = zip(*(_import() for _ in range(rounds)), strict=True)
    return [
        Figure(
            what="imports before a JupyterLab server starts",
            unit="ms",
            ours=ours,
            peer=peer,
            peer_is="without `jupyter_cabinet.app`",
            measure="ratio",
            aim=1.05,
        )
    ]


def _import() -> tuple[float, float]:
    """Milliseconds without and with ours."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    without, all_of_it = done.stdout.split()
    return float(without), float(all_of_it)
