"""Which files of a call JupyterLab can open: those that exist below the server's root. Blocks."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ...runtimes.requested_actions import AnyAction, Edit, ToolUse


def documents_of(action: AnyAction | None, cwd: str, root: Path) -> dict[str, str]:
    """Return the existing files that an action names, relative to the root, by their name in the action.

    `cwd`: the folder where the session worked, which relative names belong to; empty: unknown.
    """
    names = action.paths if isinstance(action, Edit | ToolUse) else ()
    return dict(_existing(names, cwd, root))


def _existing(names: Iterable[str], cwd: str, root: Path) -> Iterable[tuple[str, str]]:
    for name in names:
        if not cwd and not Path(name).is_absolute():
            continue
        path = Path(os.path.normpath(Path(cwd) / name))
        try:
            if path.is_relative_to(root) and path.is_file():
                yield name, path.relative_to(root).as_posix()
        except (OSError, ValueError):  # no name of a file
            continue
