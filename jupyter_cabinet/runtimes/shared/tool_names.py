"""Names of tools that mean the same for every CLI, and lists of them that people choose by a word. Pure.

The names are Claude Code's. Each adapter says how its CLI calls them; a name that is none of these is the CLI's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from ..model import Request

ToolPreset = Literal["none", "reading", "editing", "coding", "full"]
READING = ("Read", "Glob", "Grep")
EDITING = (*READING, "Edit", "Write")
PRESETS: dict[ToolPreset, tuple[str, ...] | None] = {
    "none": (),
    "reading": READING,
    "editing": EDITING,
    "coding": (*EDITING, "Bash"),
    "full": None,  # no list: what the permission mode allows
}
KNOWN = (*EDITING, "Bash", "WebFetch", "WebSearch")
# Claude Code has a tool of its own for notebooks.
CLAUDE_TOOLS = {**{tool: (tool,) for tool in KNOWN}, "Edit": ("Edit", "NotebookEdit")}


def in_own_words(request: Request, names: Mapping[str, tuple[str, ...]]) -> Request:
    """The request with its list of tools as the CLI calls them. A known tool that it does not have is left out."""
    if request.allowed_tools is None:
        return request
    own = [word for tool in request.allowed_tools for word in names.get(tool, () if tool in KNOWN else (tool,))]
    return msgspec.structs.replace(request, allowed_tools=tuple(dict.fromkeys(own)))
