"""The documents that people share in real time: the only file that uses `jupyter-server-ydoc` (seen in 3.0.4)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from jupyter_core.utils import ensure_async

from ..core.clock import Clock

SAVE_AGAIN_SECONDS: Final = 1.0

# Takes the shared content and the file's content, and returns the new content: a notebook in nbformat 4, a text.
Merge = Callable[[Any, Any], Any]


class LiveDocument:
    """A document that people share now."""

    def __init__(self, document: Any, kind: str, hash_of_file: Callable[[], Awaitable[str | None]], clock: Clock):
        self.kind = kind  # "notebook" or "file", as in Jupyter's contents API
        self._document = document
        self._hash_of_file = hash_of_file
        self._clock = clock

    @property
    def content(self) -> Any:
        """The shared content at this moment."""
        return self._document.get()

    def take_in(self, theirs: Any, merge: Merge) -> None:
        """Merge the file's content. No browser message is handled in between, so pending edits are not lost.

        If the result differs from the file, the document is saved about a second later.
        """
        ours = self._document.get()
        merged = merge(ours, theirs)
        if merged != ours:
            self._document.set(merged)
        if merged != theirs:
            self._clock.call_at(self._clock.monotonic() + SAVE_AGAIN_SECONDS, self._save)

    def follow(self, take_in: Callable[[Any], None]) -> None:
        """Have its room call this, from now on, after it has read changes of others from the file."""

        async def set(theirs: Any) -> None:
            take_in(theirs)
            await self.update_hash()

        self._document.aset = set

    async def update_hash(self) -> None:
        """Give the document the hash of its file: otherwise a person's next save would show JupyterLab's question."""
        if hash := await self._hash_of_file():
            self._document.hash = hash

    def replace(self, content: Any) -> None:
        """Replace the whole content of the document."""
        self._document.set(content)

    def _save(self) -> None:
        self._document.dirty = True  # its room saves after every change, except its own


class LiveDocuments:
    """The shared documents of a server. Without real-time collaboration there are none."""

    def __init__(self, serverapp: Any, clock: Clock) -> None:
        self._serverapp = serverapp
        self._clock = clock

    def find(self, path: str) -> LiveDocument | None:
        """Return the shared document at a path.

        None if nobody has it open, while its room reads the file for the first time, and without real-time
        collaboration.
        """
        extension = next(iter(self._serverapp.extension_manager.extension_apps.get("jupyter_server_ydoc", ())), None)
        ids = self._serverapp.web_app.settings.get("file_id_manager")
        id = ids.get_id(path) if ids is not None else None
        kind, format = ("notebook", "json") if path.endswith(".ipynb") else ("file", "text")
        room = getattr(getattr(extension, "ywebsocket_server", None), "rooms", {}).get(f"{format}:{kind}:{id}")
        if room is None or not room.ready:
            return None
        return LiveDocument(room._document, kind, partial(self._hash, path), self._clock)

    async def _hash(self, path: str) -> str | None:
        model = await ensure_async(self._serverapp.contents_manager.get(path, content=False, require_hash=True))
        hash: str | None = model.get("hash")
        return hash
