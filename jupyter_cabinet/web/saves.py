"""Keeps a shared document's own saving from wiping out what an agent has just written to its file.

`jupyter-server-ydoc` (seen in 3.0.4) looks whether a file has changed and saves it in two steps: a save that is due in
the moment in which the change is noticed writes the old content over it. While an agent works on a document, and a
little longer, a save from the background that has not read the file's present content is refused; the document then
takes in the file, as after every change from outside. A person's own save is never refused here: JupyterLab asks.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from functools import wraps
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.base.call_context import CallContext
from tornado import web

from ..core.clock import Clock
from ..core.events import Event, EventBus, Scope
from ..runs.model import RunChanged, RunFinished, RunStarted
from ..storage import foreign

GUARDED_AFTERWARDS_SECONDS = 5.0
HASHED_BYTES = 16 << 20
CHANGING_METHODS = frozenset({"PUT", "POST", "PATCH"})


class SaveGuard:
    """One per server. `watch` hears of runs; the contents manager's hooks do the rest."""

    def __init__(self, contents: Any, root: Path, clock: Clock) -> None:
        self._clock = clock
        self._root = root
        self._seen: dict[str, set[str]] = {}  # by document: versions that the background has read or written
        self._working: dict[str, str] = {}  # by run that works, or has just ended: its document
        self._wrap_reading(contents)
        contents.register_pre_save_hook(self.before_save)
        contents.register_post_save_hook(self.after_save)

    def watch(self, bus: EventBus) -> None:
        """Guard the document of each run that this bus tells of. To be called once."""
        bus.subscribe(self._hear)

    def before_save(self, *, model: dict[str, Any], path: str, contents_manager: Any, **_: Any) -> None:
        """Jupyter's pre-save hook. Raises 409 for a save that would wipe out what it has not seen."""
        seen = self._seen.get(path.strip("/"))
        if seen is None or _a_person_saves():
            return
        present = self._version(path)
        if present is not None and present not in seen:
            raise web.HTTPError(409, f"{path} was changed by an agent in this moment; it is read again first")

    def after_save(self, *, os_path: str, **_: Any) -> None:
        """Jupyter's post-save hook."""
        place = Path(os_path)
        if place.is_relative_to(self._root):
            self._note(place.relative_to(self._root).as_posix())

    def _hear(self, event: Event, _scope: Scope) -> None:
        if not isinstance(event, RunChanged) or event.run.path is None:
            return
        run, path = event.run, event.run.path
        known = self._working.get(run.id)
        if isinstance(event, RunStarted) or (known is not None and known != path):  # it begins, or was renamed
            self._working[run.id] = path
            self._seen.setdefault(path, set())
            self._note(path)
            self._forget(known)
        if isinstance(event, RunFinished) and known is not None:
            at = self._clock.monotonic() + GUARDED_AFTERWARDS_SECONDS
            self._clock.call_at(at, lambda: self._leave(run.id))

    def _leave(self, run_id: str) -> None:
        self._forget(self._working.pop(run_id, None))

    def _forget(self, path: str | None) -> None:
        """Guard a document no longer on which nothing works."""
        if path is not None and path not in self._working.values():
            self._seen.pop(path, None)

    def _wrap_reading(self, contents: Any) -> None:
        get = contents.get

        @wraps(get)
        async def reading(path: str, content: bool = True, **named: Any) -> Any:
            if content and not _a_person_asks():
                self._note(path)  # before the reading: a version that comes in between is not called seen
            return await ensure_async(get(path, content=content, **named))

        if asyncio.iscoroutinefunction(get):
            contents.get = reading

    def _note(self, path: str) -> None:
        seen = self._seen.get(path.strip("/"))
        version = self._version(path) if seen is not None else None
        if seen is not None and version is not None:
            seen.add(version)

    def _version(self, path: str) -> str | None:
        """Of a very large file its place and time stand for the rest of the content: this is asked on the loop."""
        try:
            with foreign.open_file(self._root / path.strip("/")) as file:
                start, found = file.read(HASHED_BYTES), os.fstat(file.fileno())
        except OSError:
            return None
        rest = (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size > HASHED_BYTES else ()
        return hashlib.sha256(start).hexdigest() + repr(rest)


def _a_person_saves() -> bool:
    """A save by request; a shared document saves itself in a task that its WebSocket's GET began."""
    return _method() in CHANGING_METHODS


def _a_person_asks() -> bool:
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    return _method() == "GET" and "/api/contents" in str(getattr(getattr(handler, "request", None), "path", ""))


def _method() -> str:
    handler = CallContext.get(CallContext.JUPYTER_HANDLER)
    return str(getattr(getattr(handler, "request", None), "method", ""))
