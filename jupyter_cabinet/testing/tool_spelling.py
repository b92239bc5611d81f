"""Spells a scripted tool and its arguments as a CLI's own schemas do. Pure; called by the dialects."""

from __future__ import annotations

from typing import Any

from .model_script import ToolUse

# One meaning, many spellings: the names that CLIs give to the arguments of their file tools.
ARGUMENT_NAMES = {"path": ("file_path", "path", "filePath", "absolute_path")}


def spell(use: ToolUse, tools: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return name and arguments of `use` among `tools` (name → input schema)."""
    name = next((known for known in tools if known.lower() == use.name.lower()), use.name)
    known = tools.get(name, {}).get("properties", {})
    arguments = {}
    for key, value in use.arguments.items():
        spellings = ARGUMENT_NAMES.get(key, (key,))
        arguments[next((spelling for spelling in spellings if spelling in known), spellings[0])] = value
    return name, arguments
