"""Names of tools that mean the same for every CLI, and preset lists of them. Pure.

The names are Claude Code's. Each adapter maps them to its CLI's names; any other name is the CLI's own.
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
    "full": None,  # no list: the tools that the permission mode allows
}
KNOWN = (*EDITING, "Bash", "WebFetch", "WebSearch")
# Claude Code has a separate tool for notebooks.
CLAUDE_TOOLS = {**{tool: (tool,) for tool in KNOWN}, "Edit": ("Edit", "NotebookEdit")}


def in_own_words(request: Request, names: Mapping[str, tuple[str, ...]]) -> Request:
    """Return the request with the CLI's own tool names. A known tool that the CLI does not have is left out.

    Other names are kept. Unchanged if the request has no list.
    """
    if request.allowed_tools is None:
        return request
    own = [word for tool in request.allowed_tools for word in names.get(tool, () if tool in KNOWN else (tool,))]
    return msgspec.structs.replace(request, allowed_tools=tuple(dict.fromkeys(own)))
