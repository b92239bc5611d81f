"""Recorded screens of the CLIs: what they wrote to a PTY of 120 columns, with the states that a person has checked."""

from __future__ import annotations

import json
from pathlib import Path

from jupyter_cabinet.runtimes.claude import screen as claude
from jupyter_cabinet.runtimes.codex import screen as codex
from jupyter_cabinet.runtimes.gemini import screen as gemini
from jupyter_cabinet.runtimes.opencode import screen as opencode
from jupyter_cabinet.runtimes.pi import screen as pi
from jupyter_cabinet.runtimes.shared.screens.cli_screen import CliScreen
from jupyter_cabinet.runtimes.shared.screens.screen_table import ScreenTable

FOLDER = Path(__file__).parents[1] / "fixtures" / "cli" / "screens"
# file: [what was done last, bytes until then, state of the input]
STATES: dict[str, list[tuple[str, int, str]]] = json.loads((FOLDER / "states.json").read_text())
COLUMNS, ROWS = 120, 40
TABLES: dict[str, ScreenTable] = {
    each.__name__.split(".")[-2]: each.SCREEN for each in (claude, codex, gemini, opencode, pi)
}


def recording(name: str) -> bytes:
    return (FOLDER / name).read_bytes()


def stage(name: str, last: str) -> bytes:
    """What was written until this was done."""
    return recording(name)[: next(size for what, size, _ in STATES[name] if what == last)]


def screen_of(name: str) -> CliScreen:
    """An empty screen of the recording's CLI and size."""
    screen = CliScreen(TABLES[name.partition("-")[0]])
    screen.grid.resize(COLUMNS, ROWS)
    return screen


def repaints() -> dict[str, bytes]:
    """Claude Code's screens (120 x 30) that paint everything again when a box comes, by name."""
    folder = FOLDER / "claude-repaints-2.1.329"
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.bin"))}
