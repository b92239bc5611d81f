"""Reads a change from the arguments of an ACP agent's tool, if the agent sends no diff. Pure. Called by `questions.py`.

The protocol does not define the arguments, but many agents use the same names, so these are tried. A value with another
name, or of an unexpected type, remains an argument.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ..requested_actions import Edit
from ..shared.tool_table import EditTool, asked_for, rest

PATH_NAMES = ("path", "file_path", "filePath", "filepath", "abs_path", "absolute_path", "file", "filename")
_REPLACED = (
    ("old_string", "new_string"),
    ("oldString", "newString"),
    ("oldText", "newText"),
    ("old_text", "new_text"),
    ("old_str", "new_str"),
)
_WRITTEN = ("content", "contents", "file_text", "newContent", "new_content", "text")
_DIFFS = ("diff", "patch", "unified_diff")
_LIST = "edits"
_PLACE = "place of the protocol"  # no argument has this name


def path_name(given: Mapping[str, Any]) -> str:
    """Return the name of the argument that contains the path; empty if there is none, or more than one."""
    found = [name for name in PATH_NAMES if isinstance(given.get(name), str) and given[name]]
    return found[0] if len(found) == 1 else ""


def edit_of(given: Mapping[str, Any], places: tuple[str, ...]) -> Edit | None:
    """Return the change that the arguments describe; None if no file is known. `places`: files of the protocol."""
    path = path_name(given)
    if path:
        made = asked_for({"edit": _tool(given, path)}, "edit", given)
        found = made if isinstance(made, Edit) else Edit(paths=(given[path],), more=rest(given, path))
        return msgspec.structs.replace(found, paths=tuple(dict.fromkeys((*places, *found.paths))))
    if len(places) != 1:  # it is unknown which change belongs to which file
        return Edit(paths=places, more=rest(given)) if places else None
    made = asked_for({"edit": _tool(given, _PLACE)}, "edit", {**given, _PLACE: places[0]})
    return made if isinstance(made, Edit) else Edit(paths=places, more=rest(given))


def _tool(given: Mapping[str, Any], path: str) -> EditTool:
    """Choose how to read the change: old and new text, a diff, the whole text, or only the file."""
    if (listed := given.get(_LIST)) and isinstance(listed, list):
        first = listed[0] if isinstance(listed[0], dict) else {}
        old, new = _pair(first)
        return EditTool(path=path, old=old, new=new, each=_LIST if new else "")
    old, new = _pair(given)
    if new:
        return EditTool(path=path, old=old, new=new)
    diff = _only(given, _DIFFS)
    return EditTool(path=path, diff=diff) if diff else EditTool(path=path, new=_only(given, _WRITTEN))


def _pair(given: Mapping[str, Any]) -> tuple[str, str]:
    found = [pair for pair in _REPLACED if all(isinstance(given.get(name), str) for name in pair)]
    return found[0] if len(found) == 1 else ("", "")


def _only(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    found = [name for name in names if isinstance(given.get(name), str)]
    return found[0] if len(found) == 1 else ""
