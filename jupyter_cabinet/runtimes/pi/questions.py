"""pi's questions and their possible answers. Pure.

Our extension asks about tools; other extensions ask about other things. Called by `rpc_stream.py` (headless) and
`terminal.py`. Facts: 0.87.1; its `docs/rpc-extension-ui.md`.
"""

from __future__ import annotations

from typing import Any

from ..model import AnswerOption, QuestionAsked
from ..shared.messages.content_blocks import summary
from ..shared.tool_table import CommandTool, EditTool, FileTool, ToolTable, asked_for, reason

TOOLS: ToolTable = {
    "bash": CommandTool(),
    "edit": EditTool(path="path", old="oldText", new="newText", each="edits"),
    "write": EditTool(path="path", new="content"),
    "read": FileTool(paths=("path",)),
    "ls": FileTool(paths=("path",)),
    "find": FileTool(paths=("path",)),
    "grep": FileTool(paths=("path",)),
}
OF_TOOL = "permission"  # our extension's question; the others are methods of other extensions
ALLOW, SESSION, DENY = "allow", "session", "deny"  # the words that `extension.js` understands
_CONFIRM = (
    AnswerOption(id="yes", label="Yes", kind="choice"),
    AnswerOption(id="no", label="No", kind="choice"),
)
# It asks for a text, which comes as the note of the answer.
_WRITE = (
    AnswerOption(id="send", label="Answer in words", kind="choice", takes_note=True),
    AnswerOption(id="cancel", label="Dismiss", kind="choice"),
)


def question(question_id: str, tool: str, arguments: dict[str, Any], *, in_terminal: bool = False) -> QuestionAsked:
    """Return the question that our extension asks, with its possible answers: once, for the session, or no."""
    grants = f"pi uses {tool} without asking, until this session ends."
    detail = summary(arguments)
    return QuestionAsked(
        question_id=question_id,
        question=f"pi asks to use {tool}: {detail}" if detail else f"pi asks to use {tool}.",
        tool=tool,
        input=arguments,
        asks=asked_for(TOOLS, tool, arguments),
        why=reason(arguments),
        options=(
            AnswerOption(id=ALLOW, label="Allow once", kind="allow_once"),
            AnswerOption(id=SESSION, label="Allow for this session", kind="allow_session", grants=grants),
            AnswerOption(id=DENY, label="Deny", kind="deny", takes_note=True),
        ),
        in_terminal=in_terminal,
    )


def granted(option: str, note: str) -> str:
    """Return an answer to our extension's question, in its words. `note` is sent only with a denial, in one line."""
    return f"{option}: {' '.join(note.split())}" if option == DENY and note.strip() else option


def options(method: str, given: Any) -> tuple[AnswerOption, ...]:
    """Return the possible answers to a question of another extension. `given`: its own options."""
    if method == "select":
        names = [name for name in given if isinstance(name, str)] if isinstance(given, list) else []
        return tuple(AnswerOption(id=name, label=name, kind="choice") for name in names)
    return _CONFIRM if method == "confirm" else _WRITE


def said(method: str, option: str, note: str) -> dict[str, Any]:
    """Return an answer in pi's protocol. `method`: the method of the question."""
    match method:
        case _ if method == OF_TOOL:
            return {"value": granted(option, note)}
        case "select":
            return {"value": option}
        case "confirm":
            return {"confirmed": option == "yes"}
    return {"value": note} if option == "send" else {"cancelled": True}
