"""Writes the table of what each runtime can do into `docs/reference/runtimes.md`. A test compares it with the code."""

from __future__ import annotations

import sys
from pathlib import Path

from jupyter_cabinet.runtimes.port import Capabilities, Located
from jupyter_cabinet.runtimes.registry import Runtimes

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "runtimes.md"
BEGIN, END = "<!-- capabilities -->", "<!-- end of capabilities -->"
MODES = {"ask": "Ask first", "edit": "Edit files", "bypass": "No questions"}
ROWS = {
    "headless": "works headless",
    "interactive": "works in a terminal",
    "finish_signal": "says in a terminal when it has answered",
    "interrupts": "can be interrupted in a terminal, and stays open",
    "resume": "goes on with a session",
    "fork": "can fork a session",
    "chosen_session_id": "takes a session id of ours",
    "questions": "asks headless: a question in *Approvals*",
    "blocking_hooks": "asks in a terminal: a question in *Approvals*",
    "allowed_tools": "can be held to a list of tools",
    "mcp": "takes tool servers for one run",
    "system_prompt": "takes an addition to its system prompt",
    "max_turns": "can be held to a number of turns",
    "text_deltas": "tells text as it is written",
    "cost": "tells the cost",
    "without_model": "has no model to choose: that of an agent is ignored",
}


def table() -> str:
    """Rows: capabilities. Columns: the runtimes of this package; the ACP agents are alike and share one."""
    runtimes = Runtimes(set(), {}, {})
    acp = [name for name in runtimes.names() if name.startswith("acp-")]
    names = [name for name in runtimes.names() if name not in acp] + acp[:1]
    can = {name: runtimes.get(name).capabilities(_tested(runtimes, name)) for name in names}
    titles = ["ACP agents" if name in acp else name for name in names]
    lines = [f"| | {' | '.join(titles)} |", f"| --- |{' --- |' * len(names)}"]
    for field, words in ROWS.items():
        lines.append(f"| {words} | {' | '.join('yes' if getattr(can[name], field) else '' for name in names)} |")
    lines.append(f"| permission modes | {' | '.join(_modes(can[name]) for name in names)} |")
    return "\n".join(lines)


def _tested(runtimes: Runtimes, name: str) -> Located:
    return Located(path=f"/opt/{name}", version=runtimes.get(name).about.tested or None)


def _modes(can: Capabilities) -> str:
    return ", ".join(MODES[mode] for mode in can.permission_modes)


def written(page: str) -> str:
    """The page with a fresh table."""
    before, _, rest = page.partition(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
    sys.stdout.write(f"{PAGE}\n")
