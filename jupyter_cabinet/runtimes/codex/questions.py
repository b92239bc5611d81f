"""Codex's questions, and the answers its hook may get. Pure; called by `terminal.py`. Facts: 0.169.0."""

from __future__ import annotations

import re
from typing import Any

from ..model import AnswerOption
from ..requested_actions import AnyAction, Change, Edit
from ..shared.question_hook import PLAIN, TERMINAL
from ..shared.tool_table import CommandTool, ToolTable, asked_for, rest

TOOLS: ToolTable = {"Bash": CommandTool()}
PATCH_TOOL = "apply_patch"
# 0.169.0 strips each line before it searches for a marker.
_FILE = re.compile(r"\*\*\* (?:(?:Add|Update|Delete) File|Move to): (\S.*)")
_MARKERS = ("*** Begin Patch", "*** End Patch", "*** End of File")
# 0.169.0 shows its own dialog only when the hook has no answer. Until then the terminal shows nothing to answer.
_LEAVE = AnswerOption(
    id=TERMINAL, label="Answer in the terminal", kind="terminal", grants="Codex shows its own dialog in the terminal."
)
OPTIONS = (*PLAIN, _LEAVE)


def asked_of(tool: str, arguments: dict[str, Any]) -> AnyAction:
    """Return the action of a tool call. A patch names its files itself."""
    patch = arguments.get("command")
    paths = _files_of(patch) if tool == PATCH_TOOL and isinstance(patch, str) else ()
    if paths and isinstance(patch, str):
        return Edit(paths=paths, changes=(Change(diff=patch),), more=rest(arguments, "command"))
    return asked_for(TOOLS, tool, arguments)


def _files_of(patch: str) -> tuple[str, ...]:
    """Return every file that a patch names, or none if one of its lines may be an unknown marker."""
    found: dict[str, None] = {}
    for line in re.split(r"[\r\n\v\f\x1c-\x1e\x85\u2028\u2029]", patch):
        stripped = line.strip()
        if not stripped.startswith("***") or stripped in _MARKERS:
            continue
        named = _FILE.fullmatch(stripped)
        if named is None:
            return ()
        found[named[1]] = None
    return tuple(found)
