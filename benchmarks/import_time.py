"""What the extension adds to the imports of a starting JupyterLab server."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from .figures import Figure, interleave

BASE = "import jupyterlab.labapp"
# The time is taken inside, without the interpreter's own start.
PROGRAM = "import time; start = time.perf_counter(); {}; print((time.perf_counter() - start) * 1000)"


def measure(rounds: int) -> list[Figure]:
    parts = {"ours": partial(_import, f"{BASE}, jupyter_cabinet.app"), "peer": partial(_import, BASE)}
    interleave(1, parts)  # the files come from the disk once, for both
    # imports swing by more than what is looked for
    found = interleave(rounds * 3, parts)
    return [
        Figure(
            what="imports before a JupyterLab server starts",
            unit="ms",
            **found,
            peer_is="without `jupyter_cabinet.app`",
            measure="ratio",
            aim=1.05,
        )
    ]


def _import(statement: str) -> float:
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(statement)], capture_output=True, check=True)
    return float(done.stdout)
