"""Prevents a shared document's own saving from overwriting an agent's latest changes of its file.

`jupyter-server-ydoc` (seen in 3.0.4) can lose such a change in several ways. It checks whether a file has changed and
saves it in two steps, it saves content that it has collected before it read the file, and when it finds a newer file
while saving, the next save cancels the reading. So while an agent works on a document, and a little longer, every save
from the background starts by merging the file with the changes of people and kernels since its last save
(`notebook_merge.py`, `text_merge.py`), and then saves the document as it is at that moment. The file is written at once
at the end, and the save is refused if the file has changed since the beginning. When a run has ended, its changes are
merged even if the room has not noticed them.

Saves of people while agents work are reported to `changes/`, so that they are kept when an agent's changes are
reverted.

JupyterLab, too, asks for the version of a file and saves it in two steps. A change written in between is not
overwritten; in all other cases JupyterLab asks a person, whose decision is carried out.
"""

from __future__ import annotations

import asyncio
import hashlib
import io
import logging
import os
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import nbformat
from jupyter_core.utils import ensure_async
from tornado import web

from ..changes.model import LARGEST_FILE
from ..core.clock import Clock
from ..core.events import Event, EventBus, Scope
from ..runs.model import RunChanged, RunFinished, RunStarted
from ..storage.filesystem import untrusted_files
from .callers import a_person_asks, a_person_saves, current_person
from .file_replacement import replace_unless_changed
from .live_documents import LiveDocument, LiveDocuments
from .notebook_merge import KnownNotebook
from .text_merge import KnownText

if TYPE_CHECKING:
    from ..changes.service import RunChanges  # otherwise SQLAlchemy would be loaded before the server has started

log = logging.getLogger(__name__)

GUARDED_AFTERWARDS_SECONDS = 5.0
BEGIN_TRIES = 20
BEGIN_SECONDS = 0.05
SAVE_SECONDS = 5.0  # at most, between the two steps of a person's save
HASHED_BYTES = 16 << 20


class SavedContent(Protocol):
    """The versions of an open document's file."""

    def note(self, content: Any, *, by_agent: bool = False) -> None:
        """Record that the file has this content, or is about to have it."""

    def merged(self, ours: Any, theirs: Any) -> Any:
        """Return the file's content, with the new parts of the document. What wins in a conflict is up to the class."""


class _Save(NamedTuple):
    """A save that has started."""

    version: str | None  # of the file, at the beginning
    content: dict[str, Any]  # Jupyter's model of it; empty if it is not recorded


class SaveGuard:
    """One per server. `watch` follows runs; the contents manager's hooks do the rest."""

    def __init__(self, contents: Any, root: Path, clock: Clock, live: LiveDocuments) -> None:
        self._clock = clock
        self._root = root
        self._live = live
        self._contents = contents
        self._get = contents.get
        self._tasks: set[asyncio.Task[None]] = set()
        self._seen: dict[str, str | None] = {}  # by document: the version that the background has read or written
        self._saves: dict[str, _Save] = {}  # by document
        self._known: dict[str, SavedContent] = {}
        # by document and person: the reported version, and when
        self._told: dict[tuple[str, str], tuple[str, float]] = {}
        self._working: dict[str, str] = {}  # by run that works, or has just ended: its document
        self._changes: RunChanges | None = None
        self._replaced: dict[str, bytes | None] = {}  # by document that is being saved: the earlier content of its file
        self._wrap_reading(contents)
        self._wrap_writing(contents)
        contents.register_pre_save_hook(self.before_save)
        contents.register_post_save_hook(self.after_save)

    def watch(self, bus: EventBus, changes: RunChanges) -> None:
        """Guard the document of each run that this bus reports. Call it once."""
        self._changes = changes
        changes.hear_writes(self)
        bus.subscribe(self._hear)

    def before_save(self, *, model: dict[str, Any], path: str, contents_manager: Any, **_: Any) -> None:
        """Merge and check a save before Jupyter writes it. Raises HTTP 409 if it would lose an unseen change.

        The content of background saves is replaced in `model` by the merged document. Only documents on which an agent
        works, or has worked less than 5 seconds ago, are checked.
        """
        path = path.strip("/")
        if path in self._seen:
            if not a_person_saves():
                self._bring_up_to_date(path, model)
            self._refuse_blind(path, model)
        if self._changes is not None and self._changes.follows(path):
            self._replaced[path] = self._content(path)

    def _bring_up_to_date(self, path: str, model: dict[str, Any]) -> None:
        """The room has collected this content some time ago."""
        document = self._document(path)
        if document is not None and document.kind == model.get("type") and self._take_in(path):
            model["content"] = document.content

    def _refuse_blind(self, path: str, model: dict[str, Any]) -> None:
        present, seen = self._version(path), self._seen[path]
        if present is not None and not (self._a_person_knows(path, present) if a_person_saves() else present == seen):
            raise web.HTTPError(409, f"{path} was just changed by an agent. It is read again first")
        noted = model if not a_person_saves() or model.get("type") == "file" else {}
        self._saves[path] = _Save(present, noted)
        if not self._writes_at_once:
            self._note_content(path, noted)

    def _document(self, path: str) -> LiveDocument | None:
        document = self._live.find(path)
        if document is not None:
            document.follow(partial(self._room_has_read, path))
        return document

    def _room_has_read(self, path: str, theirs: Any) -> None:
        if path in self._seen:
            self._take_in(path)  # the file may be newer than the room's version, and already merged
        elif (document := self._live.find(path)) is not None:
            document.replace(theirs)

    def _take_in(self, path: str) -> bool:
        """Return whether the shared document contains everything in its file, after merging if needed."""
        document = self._document(path)
        version, content = self._read(path)
        if document is None or version is None or version == self._seen[path]:
            return document is not None
        theirs = self._parsed(path, content)
        if theirs is None:
            return False
        document.take_in(theirs, partial(self._merged, path))
        self._note_content(path, {"type": document.kind, "content": theirs}, by_agent=True)
        self._seen[path] = version
        return True

    def _take_in_late(self, path: str) -> None:
        """Merge changes that the room has not noticed by itself."""
        document = self._document(path)
        if document is not None and self._version(path) != self._seen[path] and self._take_in(path):
            self._spawn(document.update_hash())

    def _parsed(self, path: str, content: bytes) -> Any:
        """Return the content as Jupyter's contents manager gives it; None if invalid, as while somebody writes it."""
        with suppress(ValueError, KeyError, AttributeError, TypeError, nbformat.ValidationError):
            if not path.endswith(".ipynb"):
                return content.decode().replace("\r\n", "\n")
            notebook = _notebook(content)
            self._contents.mark_trusted_cells(notebook, path)
            return notebook
        return None

    def _tell(self, path: str) -> None:
        self._told[path, current_person()] = (self._version(path) or "", self._clock.monotonic())

    async def settled(self) -> None:
        """Return when the start of runs has been handled."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _a_person_knows(self, path: str, present: str) -> bool:
        told, at = self._told.get((path, current_person()), (present, 0.0))
        return told == present or self._clock.monotonic() - at > SAVE_SECONDS

    def after_save(self, *, os_path: str, **_: Any) -> None:
        """Report a save of a person, and merge what an agent has written meanwhile.

        This is Jupyter's post-save hook.
        """
        place = Path(os_path)
        if not place.is_relative_to(self._root):
            return
        path = place.relative_to(self._root).as_posix()
        self._tell_changes(path)
        if path not in self._seen:
            return
        if a_person_saves():
            self._tell(path)
        if self._document(path) is not None:
            self._take_in_late(path)  # the room takes changes written since its save for its own
        elif a_person_saves() or not self._writes_at_once:
            self._note(path)

    def _tell_changes(self, path: str) -> None:
        if self._changes is not None and path in self._replaced:
            old, new = self._replaced.pop(path), self._content(path)
            if new is not None:
                self._changes.saved(path, old, new)

    def _content(self, path: str) -> bytes | None:
        """Return None for a file that does not exist, or is too large to be compared."""
        with suppress(OSError):
            return untrusted_files.read(self._root / path, limit=LARGEST_FILE)
        return None

    def _hear(self, event: Event, _scope: Scope) -> None:
        if not isinstance(event, RunChanged) or event.run.path is None:
            return
        run, path = event.run, event.run.path
        known = self._working.get(run.id)
        if isinstance(event, RunStarted) or (known is not None and known != path):  # it starts, or was renamed
            self._working[run.id] = path
            if path not in self._seen:
                # not for a further run: the file may then contain a change that its room does not know
                self._seen[path] = self._version(path)
                self._spawn(self._begin(path))
            self._forget(known)
        if isinstance(event, RunFinished) and known is not None:
            self._take_in_late(path)
            at = self._clock.monotonic() + GUARDED_AFTERWARDS_SECONDS
            self._clock.call_at(at, lambda: self._leave(run.id))

    def _leave(self, run_id: str) -> None:
        path = self._working.pop(run_id, None)
        if path in self._seen:
            self._take_in_late(path)
        self._forget(path)

    def _forget(self, path: str | None) -> None:
        """Stop guarding a document on which no run works."""
        if path is not None and path not in self._working.values():
            self._seen.pop(path, None)
            self._saves.pop(path, None)
            self._known.pop(path, None)
            for key in [key for key in self._told if key[0] == path]:
                del self._told[key]

    async def _begin(self, path: str) -> None:
        """Record the content before an agent's first change of a shared document, unless it has already come."""
        if self._document(path) is None:
            return
        for _ in range(BEGIN_TRIES):
            version = self._version(path)
            if version == self._seen.get(path):  # otherwise a save of the room is on its way
                with suppress(web.HTTPError):  # Jupyter writes in place: it may be read in the middle of it
                    kind, format = ("notebook", "json") if path.endswith(".ipynb") else ("file", "text")
                    model = await ensure_async(self._get(path, content=True, type=kind, format=format))
                    if self._version(path) == version == self._seen.get(path):
                        self._note_content(path, model)
                        return
            await self._clock.sleep(BEGIN_SECONDS)

    def follows(self, path: str) -> bool:
        """Return whether this is a shared notebook on which an agent works or has just worked."""
        return isinstance(self._known.get(path), KnownNotebook)

    def about_to_write(self, path: str, now: bytes, then: bytes) -> None:
        """Take into account that a change is reverted in it, or restored. Content that is no notebook is ignored."""
        known = self._known.get(path)
        if isinstance(known, KnownNotebook):
            with suppress(ValueError, KeyError, AttributeError, TypeError):  # not a notebook: nothing is merged
                known.about_to_become(_notebook(now), _notebook(then))

    def _merged(self, path: str, ours: Any, theirs: Any) -> Any:
        known = self._known.get(path)
        return theirs if known is None else known.merged(ours, theirs)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.warning("A document on which an agent works could not be followed: %s", error)

    def _wrap_reading(self, contents: Any) -> None:
        get = contents.get

        @wraps(get)
        async def reading(path: str, content: bool = True, **named: Any) -> Any:
            guarded = path.strip("/")
            if guarded not in self._seen:
                return await ensure_async(get(path, content=content, **named))
            if a_person_asks():
                self._tell(guarded)
                return await ensure_async(get(path, content=content, **named))
            if not content or self._document(guarded) is not None:  # which merges it before it counts as seen
                return await ensure_async(get(path, content=content, **named))
            self._note(guarded)  # before the reading: a version that comes in between does not count as seen
            version = self._seen[guarded]
            model = await ensure_async(get(path, content=content, **named))
            if version == self._version(guarded):
                self._note_content(guarded, model)
            return model

        if asyncio.iscoroutinefunction(get):
            contents.get = reading

    def _wrap_writing(self, contents: Any) -> None:
        """Jupyter opens the file, which empties it, and fills it in another thread."""
        self._writes_at_once = hasattr(contents, "atomic_writing")
        if not self._writes_at_once:
            return
        write = contents.atomic_writing

        @contextmanager
        def writing(os_path: str, text: bool = True, **named: Any) -> Iterator[Any]:
            path = self._guarded_path(os_path)
            if path is None or path not in self._saves:
                with write(os_path, text=text, **named) as file:
                    yield file
                return
            save = self._saves.pop(path)  # at once: the document may be renamed, or its run end, while it is filled
            buffer = io.StringIO() if text else io.BytesIO()
            yield buffer
            content = buffer.getvalue()
            data = content.encode(named.get("encoding", "utf-8")) if isinstance(content, str) else content
            if save.version is None or len(data) > HASHED_BYTES or not os.access(os_path, os.W_OK):
                with write(os_path, text=text, **named) as file:
                    file.write(content)
                version = self._version(path)
            elif replace_unless_changed(
                Path(os_path).resolve(), data, lambda found: _version_of(found) == save.version
            ):
                version = _version_of(data)  # the file's content may already be from an agent
            else:
                if path in self._seen:
                    self._take_in_late(path)
                raise web.HTTPError(409, f"{path} was just changed by an agent. It is read again first")
            if not a_person_saves() and path in self._seen:
                self._seen[path] = version
            self._note_content(path, save.content)

        contents.atomic_writing = writing

    def _guarded_path(self, os_path: str) -> str | None:
        place = Path(os_path)
        path = place.relative_to(self._root).as_posix() if place.is_relative_to(self._root) else None
        return path if path in self._seen else None

    def _note_content(self, path: str, model: dict[str, Any], *, by_agent: bool = False) -> None:
        content = model.get("content")
        kind = "notebook" if path.endswith(".ipynb") else "file"
        if content is not None and path in self._seen and model.get("type") == kind:
            made: SavedContent = KnownText() if kind == "file" else KnownNotebook()
            self._known.setdefault(path, made).note(content, by_agent=by_agent)

    def _note(self, path: str) -> None:
        version = self._version(path) if path in self._seen else None
        if version is not None:
            self._seen[path] = version

    def _version(self, path: str) -> str | None:
        """Use a very large file's inode and time instead of the rest of the content: this is called on the loop."""
        return self._read(path, limit=HASHED_BYTES)[0]

    def _read(self, path: str, limit: int = -1) -> tuple[str | None, bytes]:
        """Return the version of the file, and its first bytes; all of them without a limit."""
        try:
            with untrusted_files.open_file(self._root / path.strip("/")) as file:
                content, found = file.read(limit), os.fstat(file.fileno())
        except OSError:
            return None, b""
        rest = (found.st_ino, found.st_size, found.st_mtime_ns) if found.st_size > HASHED_BYTES else ()
        return _version_of(content[:HASHED_BYTES], rest), content


def _version_of(content: bytes, rest: tuple[int, ...] = ()) -> str:
    return hashlib.sha256(content).hexdigest() + repr(rest)


def _notebook(text: bytes) -> dict[str, Any]:
    found: dict[str, Any] = nbformat.reads(text.decode(), as_version=4)  # type: ignore[no-untyped-call]
    return found
