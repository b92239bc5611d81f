"""Finds the notebook that a kernel belongs to, in Jupyter's own list of sessions. Called by `cabinet.py`."""

from __future__ import annotations

import re

import msgspec

from .api import Api

_DRIVE = re.compile(r"[A-Za-z][\w-]*:")  # before the path of a document that is edited together


class _Kernel(msgspec.Struct):
    id: str = ""


class _Session(msgspec.Struct):
    path: str = ""
    type: str = ""
    kernel: _Kernel | None = None


async def path_of_kernel(api: Api, kernel_id: str) -> str | None:
    """Return its current path relative to the server's root; None if the kernel belongs to no notebook."""
    sessions = await api.fetch(f"{api.server.url}api/sessions", list[_Session])
    for session in sessions:
        if session.type == "notebook" and session.kernel is not None and session.kernel.id == kernel_id:
            return _DRIVE.sub("", session.path, count=1).lstrip("/") or None
    return None
