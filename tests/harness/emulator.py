"""xterm.js 5.5 without a browser, in one Node process: what it makes of a program's output."""

from __future__ import annotations

import base64
import json
import subprocess
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[2] / "labextension" / "scripts" / "emulator.mjs"

Step = tuple[str, *tuple[Any, ...]]


def write(data: bytes) -> Step:
    return ("write", base64.b64encode(data).decode())


class Emulator:
    """Each `run` is a separate terminal."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            ["node", str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=SCRIPT.parent
        )

    def run(self, *steps: Step, cols: int = 40, rows: int = 10) -> dict[str, Any]:
        """Its state after `steps`, and what it answered."""
        assert self._process.stdin is not None and self._process.stdout is not None
        line = json.dumps([("size", cols, rows), *steps]).encode() + b"\n"
        self._process.stdin.write(line)
        self._process.stdin.flush()
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def close(self) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()
