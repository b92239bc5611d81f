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
    "headless": "runs headless",
    "interactive": "runs in a terminal",
    "finish_signal": "signals the end of an answer in a terminal",
    "interrupts": "can be interrupted in a terminal and stays open",
    "resume": "resumes a session",
    "fork": "forks a session",
    "chosen_session_id": "accepts a session id that Cabinet chooses",
    "questions": "sends approval requests when headless",
    "blocking_hooks": "sends approval requests in a terminal",
    "allowed_tools": "enforces a tool list",
    "mcp": "accepts tool servers for one run",
    "system_prompt": "accepts an addition to its system prompt",
    "max_turns": "enforces a limit of turns",
    "text_deltas": "streams text",
    "model_choice": "accepts the choice of a model",
    "cost": "reports the cost",
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
