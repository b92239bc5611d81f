"""The documents that people share in real time: the one file that asks `jupyter-server-ydoc` (seen in 3.0.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from jupyter_core.utils import ensure_async

from ..core.clock import Clock

SAVE_AGAIN_SECONDS: Final = 1.0

# What people see, and what the file has now, become what the document is from now on: a notebook in nbformat 4, a text.
Merge = Callable[[Any, Any], Any]


class LiveDocuments:
    """The shared documents of a server. Without real-time collaboration there are none."""

    def __init__(self, serverapp: Any, clock: Clock) -> None:
        self._serverapp = serverapp
        self._clock = clock

    async def merge_with(self, path: str, merge: Merge) -> bool:
        """From now on this document takes in what others write to its file by `merge`. False if nobody has it open."""
        document = await self._document(path)
        if document is not None:
            document.aset = _Merging(document, merge, partial(self._hash, path), self._clock)
        return document is not None

    async def _hash(self, path: str) -> str | None:
        model = await ensure_async(self._serverapp.contents_manager.get(path, content=False, require_hash=True))
        hash: str | None = model.get("hash")
        return hash

    async def _document(self, path: str) -> Any:
        extension = next(iter(self._serverapp.extension_manager.extension_apps.get("jupyter_server_ydoc", ())), None)
        ids = self._serverapp.web_app.settings.get("file_id_manager")
        id = ids.get_id(path) if ids is not None else None
        kind, format = ("notebook", "json") if path.endswith(".ipynb") else ("file", "text")
        room = getattr(getattr(extension, "ywebsocket_server", None), "rooms", {}).get(f"{format}:{kind}:{id}")
        if extension is None or room is None or not room.ready:
            return None  # one that reads its file for the first time has nothing of its own
        place = {"path": path, "content_type": kind, "file_format": format}
        return await extension.get_document(**place, copy=False)


class _Merging:
    """In place of a shared document's `aset`, by which its room takes in its file.

    Not a word from a browser is heard between the look and the change: what nobody has changed in the file is not
    touched, and what is on its way there is not lost.
    """

    def __init__(
        self, document: Any, merge: Merge, hash_of_file: Callable[[], Awaitable[str | None]], clock: Clock
    ) -> None:
        self._document = document
        self._merge = merge
        self._hash_of_file = hash_of_file
        self._clock = clock

    async def __call__(self, theirs: Any) -> None:
        merged = self._merge(self._document.get(), theirs)
        self._document.set(merged)
        if hash := await self._hash_of_file():
            self._document.hash = hash  # else the next save of a person meets JupyterLab's question
        if merged != theirs:
            self._clock.call_at(self._clock.monotonic() + SAVE_AGAIN_SECONDS, self._save)

    def _save(self) -> None:
        self._document.dirty = True  # its room saves after every change, but for those that it makes itself
