"""opencode's questions and their possible answers. Pure; called by `terminal.py`. Facts: 1.18.33.

It names a permission, not a tool: one permission covers all tools that write. Its metadata describes the call.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from ..model import AnswerOption, QuestionAsked
from ..requested_actions import AnyAction, ToolUse
from ..shared.messages.content_blocks import summary
from ..shared.messages.json_values import inner, string
from ..shared.tool_table import CommandTool, EditTool, FetchTool, FileTool, ToolTable, asked_for, reason, rest

TITLE = "opencode"
TOOLS: ToolTable = {
    "bash": CommandTool(),
    "edit": EditTool(path="filepath", diff="diff"),
    "webfetch": FetchTool(url="url"),
    "websearch": FetchTool(query="query"),
    "read": FileTool(paths=("filePath",)),
    "external_directory": FileTool(paths=("filepath", "parentDir")),
}
ALLOW, SESSION, DENY = "allow", "session", "deny"
REJECT = "reject"
_REPLIES = {ALLOW: "once", SESSION: "always", DENY: REJECT}
_ALLOW_ONCE = AnswerOption(id=ALLOW, label="Allow once", kind="allow_once")
_DENY = AnswerOption(id=DENY, label="Deny", kind="deny", takes_note=True)


def asked_of(properties: dict[str, Any]) -> AnyAction:
    """Return the action that opencode asks permission for, from the metadata of its event.

    If that only gives a tool without paths, the patterns of the question are added to its arguments.
    """
    about = inner(properties, "metadata")
    asks = asked_for(TOOLS, _permission(properties), about)
    if isinstance(asks, ToolUse) and not asks.paths and properties.get("patterns"):
        patterns = rest({"patterns": properties["patterns"]})
        return msgspec.structs.replace(asks, arguments=(*asks.arguments, *patterns))
    return asks


def question(properties: dict[str, Any]) -> QuestionAsked:
    """Return the question that the terminal shows."""
    about, tool = inner(properties, "metadata"), _permission(properties)
    detail = summary(about) or ", ".join(_strings(properties.get("patterns")))
    grants = ", ".join(_strings(properties.get("always")))
    always = AnswerOption(
        id=SESSION,
        label="Allow for this session",
        kind="allow_session",
        grants=f"opencode uses {tool} without asking, for {grants}, until it is closed.",
    )
    return QuestionAsked(
        question_id=string(properties, "id"),
        question=f"{TITLE} asks to use {tool}: {detail}" if detail else f"{TITLE} asks to use {tool}.",
        tool=tool,
        input=about,
        asks=asked_of(properties),
        why=reason(about),
        options=(_ALLOW_ONCE, always, _DENY) if grants else (_ALLOW_ONCE, _DENY),
        in_terminal=True,
    )


def reply(option: str, note: str) -> bytes:
    """Return the JSON that the waiting hook prints; empty to leave the question to the terminal.

    `note` is sent only with a denial.
    """
    if option not in _REPLIES:
        return b""
    said = {"reply": _REPLIES[option], **({"message": note} if note and option == DENY else {})}
    return json.dumps(said).encode()


def _permission(properties: dict[str, Any]) -> str:
    return string(properties, "permission") or "a tool"


def _strings(values: Any) -> list[str]:
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
