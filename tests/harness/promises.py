"""What each CLI does in each permission mode with each list of tools: one truth for tests and documentation.

`make test-cli LONG=1` tries every cell with the real CLI. As a program this module writes the documentation's tables.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from jupyter_cabinet.runs.rules.enforcement import MODES
from jupyter_cabinet.runtimes.model import PermissionMode, RunMode
from jupyter_cabinet.runtimes.shared.tool_names import PRESETS

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "permission-modes.md"
BEGIN, END = "<!-- promises -->", "<!-- end of promises -->"

# DONE: without a question. ASKED: it waits for an answer, and is done when that is yes. NOT_DONE: neither.
Result = Literal["done", "asked", "not done"]
DONE: Result = "done"
ASKED: Result = "asked"
NOT_DONE: Result = "not done"

Action = Literal["write", "command", "outside"]
ACTIONS: dict[Action, str] = {
    "write": "writes a file in its folder",
    "command": "runs a command",
    "outside": "writes a file outside its folder",
}
TITLES = {"claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI", "opencode": "opencode", "pi": "pi"}
EXPLICIT = ("Read", "Bash")
# `full` stands for no list at all.
LISTS: dict[str, tuple[str, ...] | None] = {**PRESETS, "explicit": EXPLICIT}
WHERE: tuple[RunMode, ...] = ("headless", "terminal")
_WITHOUT_LISTS = ("codex",)  # a run with a list is refused
_ASK_HEADLESS = ("claude", "pi")
# They change no file outside the run's folder with their file tools, or our extension refuses it.
_NEVER_OUTSIDE = {"gemini": ("ask", "edit", "bypass"), "pi": ("edit",)}


class Case(NamedTuple):
    """One run of the table."""

    runtime: str
    where: RunMode
    mode: PermissionMode
    tools: str  # a key of `LISTS`

    @property
    def name(self) -> str:
        """As written in the names of files and instructions."""
        return "-".join(self)


CASES = tuple(Case(*each) for each in product(TITLES, WHERE, MODES, LISTS))


def is_refused(case: Case) -> bool:
    """Whether the run does not start, because the CLI cannot be held to the list."""
    return case.runtime in _WITHOUT_LISTS and LISTS[case.tools] is not None


def promised(case: Case) -> dict[Action, Result]:
    """What happens to each action of a run that starts."""
    return {action: _result(case, action) for action in ACTIONS}


def _result(case: Case, action: Action) -> Result:
    listed = LISTS[case.tools]
    tool = "Bash" if action == "command" else "Write"
    if listed is not None and tool not in listed:
        return NOT_DONE  # the tool does not exist for the model
    if action == "outside" and case.mode in _NEVER_OUTSIDE.get(case.runtime, ()):
        return NOT_DONE
    if case.mode == "bypass":
        return DONE
    can_ask = case.where == "terminal" or (case.runtime in _ASK_HEADLESS and case.mode == "ask")
    question: Result = ASKED if can_ask else NOT_DONE
    if case.mode == "ask" or action == "outside":
        return question
    if action == "write" or listed is not None:
        return DONE
    return NOT_DONE if case.runtime == "pi" else question  # pi has no shell unless a list names it


def tables() -> str:
    """As written in the documentation: one for each CLI."""
    return "\n\n".join(f"### {title}\n\n{_table(runtime)}" for runtime, title in TITLES.items())


def _table(runtime: str) -> str:
    without = runtime in _WITHOUT_LISTS
    columns = [f"{MODES[mode]}, {where}" for mode, where in product(MODES, WHERE)]
    rows = [f"| tools | action | {' | '.join(columns)} |", f"| --- | --- |{' --- |' * len(columns)}"]
    for tools, action in product(["full"] if without else LISTS, ACTIONS):
        cases = [Case(runtime, where, mode, tools) for mode, where in product(MODES, WHERE)]
        cells = [promised(case)[action] for case in cases]
        rows.append(f"| {_named(tools)} | {ACTIONS[action]} | {' | '.join(cells)} |")
    refused = [f"A run of {TITLES[runtime]} with a tool list is refused.", ""] if without else []
    return "\n".join([*refused, *rows])


def _named(tools: str) -> str:
    listed = LISTS[tools]
    names = "no list" if listed is None else ", ".join(listed) or "no tools"
    return f"`allowed_tools`: {names}" if tools == "explicit" else f"`{tools}`: {names}"


def written(page: str) -> str:
    """The page with fresh tables."""
    before, rest = page.split(BEGIN)
    return f"{before}{BEGIN}\n{tables()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
