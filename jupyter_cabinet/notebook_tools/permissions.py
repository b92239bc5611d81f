"""What a run may do with its notebook, and what a person is asked before. Pure."""

from __future__ import annotations

from typing import Final, Literal

from ..core.errors import NotAllowed
from ..runs.model import Run
from ..runtimes.model import AnswerOption, QuestionAsked
from ..runtimes.requested_actions import Argument, Change, Edit, ToolUse

SERVER: Final = "cabinet"  # the tool server of these tools, for rules
RUN_TOOL: Final = "cell_run"
ALLOW, SESSION, DENY = "allow", "session", "deny"
# Names of Claude Code's tools, in which the list of an agent's tools is written.
_EDITORS: Final = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_SHELL: Final = "Bash"
_ALLOW_ONCE: Final = AnswerOption(id=ALLOW, label="Allow once", kind="allow_once")
_ALLOW_SESSION: Final = AnswerOption(
    id=SESSION,
    label="Allow for this session",
    kind="allow_session",
    grants="Until the server stops, this session may run all cells of this notebook, also those that the agent writes.",
)
_DENY: Final = AnswerOption(id=DENY, label="Deny", kind="deny", takes_note=True)

Doing = Literal["change", "run"]


def check(run: Run, doing: Doing) -> None:
    """Raise `NotAllowed` if the tools of the run's agent include none that could do the same without Cabinet."""
    tools = run.allowed_tools
    if tools is None:
        return
    if doing == "change" and not _EDITORS & set(tools):
        raise NotAllowed("This agent has no tool that changes files, so it may not change cells.")
    if doing == "run" and _SHELL not in tools:
        raise NotAllowed("This agent has no tool that runs commands, so it may not run cells.")


def asks(run: Run, doing: Doing) -> bool:
    """Return whether a person is asked first.

    Before a change only if the run's mode is `ask`. Before running a cell also if the run is isolated or tainted, or in
    every mode but `bypass`: a cell runs in the kernel, which no sandbox limits.
    """
    if doing == "run":
        return run.isolated or run.tainted or run.permission_mode != "bypass"
    return run.permission_mode == "ask"


def question_to_change(question_id: str, path: str, change: Change) -> QuestionAsked:
    """Return the question before a cell is changed, added or deleted. `path` is absolute."""
    return QuestionAsked(
        question_id=question_id,
        question="May the agent change the notebook?",
        tool="NotebookEdit",
        asks=Edit(paths=(path,), changes=(change,)),
        options=(_ALLOW_ONCE, _DENY),
    )


def question_to_run(question_id: str, path: str, *, kernel: str, cell: str, source: str) -> QuestionAsked:
    """Return the question before a cell is run. `path` is absolute. `kernel`: its name."""
    values = {"Kernel": kernel, "Cell": cell, "Source": source}
    arguments = tuple(Argument(name=name, value=value) for name, value in values.items())
    return QuestionAsked(
        question_id=question_id,
        question="May the agent run this cell in the kernel of the notebook? No sandbox limits what the cell does.",
        tool=RUN_TOOL,
        asks=ToolUse(tool=RUN_TOOL, server=SERVER, paths=(path,), arguments=arguments),
        options=(_ALLOW_ONCE, _ALLOW_SESSION, _DENY),
    )
