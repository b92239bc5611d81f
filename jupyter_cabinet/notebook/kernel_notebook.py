"""Finds the notebook of this kernel, and the server that it belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..client.cabinet import Cabinet
from ..client.errors import CabinetError

SESSION = "JPY_SESSION_NAME"  # set by Jupyter's server: the file, by its name when the kernel was started

_KERNEL = re.compile(r"kernel-(?P<id>[0-9A-Za-z-]+)\.json")


def kernel_id(shell: Any) -> str | None:
    """Return the kernel's id from the name of its connection file; None outside of a kernel."""
    application = getattr(getattr(shell, "kernel", None), "parent", None)
    found = _KERNEL.fullmatch(Path(getattr(application, "connection_file", None) or "-").name)
    return found["id"] if found else None


def notebook_path(cabinet: Cabinet, shell: Any, environment: Mapping[str, str]) -> str | None:
    """Return the path relative to the server's root; None without an open notebook: a console, a script, papermill.

    If the server does not answer, the name that Jupyter gave to the kernel counts; no error is raised.
    """
    known = kernel_id(shell)
    try:
        path = cabinet.notebook_of(known) if known is not None else None
    except CabinetError:  # of Jupyter's own list: another reader's rights, another kind of server
        path = None
    return path or _by_name(cabinet, environment.get(SESSION, ""))


def _by_name(cabinet: Cabinet, name: str) -> str | None:
    root = cabinet.root
    path = Path(name)
    if not root or not name.endswith(".ipynb") or not path.is_file():
        return None
    try:
        return path.resolve().relative_to(Path(root).expanduser().resolve()).as_posix()
    except ValueError:
        return None
