"""The files of plays below `.playbooks/`: list, read, create, save, move to the trash, history.

People edit these files too, so each call sees their current content. Parsed files are cached until they change
(`storage/filesystem/file_cache.py`). All methods block, so call them off the event loop.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from ..agents.files import front_matter
from ..agents.files.agent_locks import AgentLocks
from ..agents.files.persona_fields import FieldError, wrong_fields
from ..agents.files.safe_files import SafeFolder, check_etag, disk_errors, etag_of
from ..core.errors import Conflict, Invalid, Malformed, NotFound
from ..core.slugs import is_slug
from ..runs.rules.trigger_chain import PLAYBOOKS
from ..storage.filesystem import files, untrusted_files
from ..storage.filesystem.file_cache import FileCache, Folders, Visited
from . import play
from .model import PlayLine
from .play import Play

PLAYS, HISTORY, TRASH = "plays", ".history", ".trash"  # below `PLAYBOOKS`
MAX_PLAY_BYTES = 128 * 1024
MAX_PLAYS = 1000
HISTORY_BYTES = 1 << 20  # bytes that are read from the end of a history
LAST_BYTES = 16 * 1024  # bytes that are read for only the newest line
SUFFIX = ".md"
LOCK = ".plays"  # no agent can have this name
PLAY, LAST_LINE = "play", "last line of a play"  # kinds of cached values

_UPPER = re.compile(r"(?<=[a-z0-9])([A-Z])")


class PlayFile(msgspec.Struct, frozen=True, kw_only=True):
    """One play as its file defines it. `play`: None if the file has errors, which `errors` lists.

    `etag`: the version of the file. `fields`, `body`: as read, for the hash of the play's powers.
    """

    slug: str
    play: Play | None
    text: str
    etag: str
    fields: dict[str, Any] = {}
    body: str = ""
    errors: tuple[FieldError, ...] = ()
    left_out: tuple[FieldError, ...] = ()  # errors of triggers and of the schedule, which were left out of the play
    notes: tuple[str, ...] = ()


class PlayFiles:
    """Reads and writes the files of plays.

    `root`: the server's root folder. `state_folder`: its `.cabinet/`, for the lock.
    `zone`: the default time zone of schedules. `cache`: keeps plays until their files change; by default, a new one.
    """

    def __init__(self, root: Path, state_folder: Path, *, zone: str, cache: FileCache | None = None) -> None:
        self._safe = SafeFolder(root.resolve(), PLAYBOOKS)
        self._cache = FileCache() if cache is None else cache
        self._locks = AgentLocks(state_folder)
        self._zone = zone

    def slugs(self) -> tuple[str, ...]:
        """Return the slugs of the existing plays, sorted, valid or not; at most 1,000."""
        names = [entry.name for entry in self._safe.names(PLAYS) if entry.name.endswith(SUFFIX)]
        return tuple(name[:-3] for name in names if is_slug(name[:-3]))[:MAX_PLAYS]

    def exists(self, slug: str) -> bool:
        """Return whether there is a play of this name, valid or not. Raises `NotFound` for a slug that is not valid."""
        return self._safe.exists(_place(slug))

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file that looks like a play but has an invalid name."""
        names = [entry.name for entry in self._safe.names(PLAYS)]
        return tuple(
            f"{PLAYBOOKS}/{PLAYS}/{name} is not read: a play's name has lowercase letters, digits and hyphens only."
            for name in names
            if name.endswith(SUFFIX) and not name.startswith(".") and not is_slug(name[:-3])
        )

    def read_all(self) -> list[PlayFile]:
        """Return all plays, by slug. Files that have not changed are not read again."""
        found, folders = [], Folders()
        for slug in self.slugs():
            with suppress(NotFound):  # it was removed meanwhile
                found.append(self.read(slug, folders))
        self._cache.keep_only((PLAY, LAST_LINE), {each.slug for each in found})
        return found

    def read(self, slug: str, folders: Folders | None = None) -> PlayFile:
        """Return a play. Errors in its file are part of the value.

        `folders`: see `FileCache.value`. Raises `NotFound`.
        """
        key = (PLAY, checked(slug))
        return self._cache.value(key, lambda visited: self._read(slug, self._safe.visiting(visited)), folders)

    def _read(self, slug: str, safe: SafeFolder) -> PlayFile:
        try:
            content = safe.read(_place(slug), limit=MAX_PLAY_BYTES)
        except Malformed as error:
            return PlayFile(slug=slug, play=None, text="", etag="", errors=(_error(error),))
        if content is None:
            raise NotFound("There is no such play.")
        return self.parsed(slug, content)

    def parsed(self, slug: str, content: bytes) -> PlayFile:
        """Return the play that a file with this content would define. Errors are part of the value.

        Nothing is read from the disk. Raises `NotFound` for a slug that is not valid.
        """
        file, etag = file_of(slug), etag_of(content)
        try:
            text = front_matter.decoded(content, file=file)
            found = front_matter.read(text, file=file)
        except Malformed as error:
            shown = content.decode(errors="replace")
            return PlayFile(slug=slug, play=None, text=shown, etag=etag, errors=(_error(error),))
        valid = play.validate(found.fields, found.body, slug=slug, file=file, zone=self._zone)
        return PlayFile(
            slug=slug,
            play=valid.play,
            text=text,
            etag=etag,
            fields=found.fields,
            body=found.body,
            errors=valid.errors,
            left_out=valid.left_out,
            notes=valid.notes,
        )

    def create(self, slug: str, fields: Mapping[str, Any], body: str) -> PlayFile:
        """Create a play, and return it as written.

        Raises `Invalid` for an invalid slug, field, schedule or trigger, and for an empty body or more than 128 KiB;
        `Conflict` if the play already exists; `OutsideRoot` for a link in the path; `NoRoom` or `Unavailable` if it
        cannot be written.
        """
        if not is_slug(slug):
            raise Invalid("A play's name has lowercase letters, digits and hyphens only.", field="slug")
        text = front_matter.changed(body if body.endswith("\n") else f"{body}\n", fields, file=file_of(slug))
        self._require_valid(slug, text, known=())
        with self._locked(slug):
            if self._safe.exists(_place(slug)):
                raise Conflict(f"{file_of(slug)} already exists. Choose another name.", field="slug")
            self._safe.write(_place(slug), text.encode())
        return self.parsed(slug, text.encode())

    def save(self, slug: str, change: Mapping[str, Any] | str, etag: str | None = None) -> PlayFile:
        """Change some fields (None removes one), or replace the whole text. Return the play as written.

        `etag`: the version that the caller has seen; optional for a change of fields, required for a text. Raises
        `NotFound`; `Conflict` if the file is another version; `Malformed` if the fields of the current file, or of the
        new text, cannot be read; `Invalid` (with `errors` in its detail) for new errors; `OutsideRoot`, `NoRoom` or
        `Unavailable` if it cannot be written. Nothing is saved if an error is raised.
        """
        with self._locked(slug):
            current = self._safe.read(_place(slug), limit=MAX_PLAY_BYTES)
            if current is None:
                raise NotFound("There is no such play.")
            if etag is not None or isinstance(change, str):
                check_etag(current, etag, file_of(slug))
            text = change if isinstance(change, str) else self.with_fields(slug, current, change)
            self._require_valid(slug, text, known=self.parsed(slug, current).left_out)
            self._safe.write(_place(slug), text.encode())
        return self.parsed(slug, text.encode())

    def delete(self, slug: str, *, now: datetime) -> str:
        """Move a play to `.playbooks/.trash/`, and return its name there. Nothing is erased, and its history is kept.

        Raises `NotFound`, `OutsideRoot` for a link in the path, and `NoRoom` or `Unavailable` if it cannot be moved.
        """
        name = f"{checked(slug)}-{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(3)}{SUFFIX}"
        with self._locked(slug):
            if not self._safe.exists(_place(slug)):
                raise NotFound("There is no such play.")
            self._safe.refuse_links(PLAYS)
            trash = self._safe.make_folder(TRASH)
            (self._safe.path / _place(slug)).rename(trash / name)
            files.sync_folder(trash)
            files.sync_folder(self._safe.path / PLAYS)
        return name

    def note(self, line: PlayLine) -> None:
        """Add a line to the history of a play, once for each run. Raises `OutsideRoot`, `NoRoom`, `Unavailable`."""
        with self._locked(line.play_slug):
            self._safe.append_once(f"{HISTORY}/{line.play_slug}.jsonl", line, key="runId", value=line.run_id)

    def history(self, slug: str, limit: int) -> list[PlayLine]:
        """Return the last lines of a play's history, newest first; empty if it has none or it cannot be read.

        Invalid lines are skipped, and only the last MiB of the file is read. Whether there is such a play is not
        checked; raises `NotFound` only for a slug that is not valid.
        """
        return self._lines(slug, HISTORY_BYTES)[::-1][:limit]

    def last(self, slugs: Iterable[str]) -> list[PlayLine | None]:
        """Return the newest line of each play's history, in the given order; None for a play without one."""
        folders = Folders()
        return [self._cache.value((LAST_LINE, checked(slug)), partial(self._last, slug), folders) for slug in slugs]

    def _last(self, slug: str, visited: Visited) -> PlayLine | None:
        visited.visit(self._safe.root, (PLAYBOOKS, HISTORY, f"{slug}.jsonl"))
        return next(reversed(self._lines(slug, LAST_BYTES, visited)), None)

    def _lines(self, slug: str, limit: int, visited: Visited | None = None) -> list[PlayLine]:
        """Return the valid lines in the last `limit` bytes of a play's history, oldest first."""
        path = self._safe.path / HISTORY / f"{checked(slug)}.jsonl"
        try:
            values = list(untrusted_files.last_values(path, limit=limit, beneath=self._safe.root))
        except FileNotFoundError:
            return []
        except OSError:
            if visited is not None:
                visited.is_regular = False  # not cached, because it may be readable later
            return []
        return [line for value in values if (line := _line(value)) is not None]

    @contextmanager
    def _locked(self, slug: str) -> Iterator[None]:
        with self._locks.holding(LOCK), disk_errors(file_of(slug)):
            yield

    def with_fields(self, slug: str, current: bytes, changes: Mapping[str, Any]) -> str:
        """Return the text of a play with changed fields (None removes one), spelled as the file spells their names.

        Nothing is written, and the result is not validated. Raises `Malformed` if the fields of `current` cannot be
        read, and `Invalid` if the values cannot be written without loss.
        """
        text = front_matter.decoded(current, file=file_of(slug))
        written = front_matter.read(text, file=file_of(slug)).fields
        snake = {_UPPER.sub(lambda upper: f"_{upper[1].lower()}", name): name for name in written}
        spelled = {play.ALIASES.get(name, name): spelling for name, spelling in snake.items()}
        return front_matter.changed(
            text, {spelled.get(name, name): value for name, value in changes.items()}, file=file_of(slug)
        )

    def _require_valid(self, slug: str, text: str, *, known: tuple[FieldError, ...]) -> None:
        """Raise `Invalid` if the text has errors.

        `known`: errors of parts that are already left out of the current file; these do not prevent saving it.
        """
        if len(text.encode(errors="replace")) > MAX_PLAY_BYTES:
            raise Invalid(f"The play is too large. The limit is {MAX_PLAY_BYTES // 1024} KiB.", field="text")
        found = front_matter.read(text, file=file_of(slug))
        valid = play.validate(found.fields, found.body, slug=slug, file=file_of(slug), zone=self._zone)
        errors = (*valid.errors, *(each for each in valid.left_out if each not in known))
        if errors:
            raise wrong_fields(errors)


def checked(slug: str) -> str:
    """Return the slug. Raises `NotFound` for an invalid one, which must not become part of a path."""
    if not is_slug(slug):
        raise NotFound("There is no such play.")
    return slug


def file_of(slug: str) -> str:
    """Return the path of a play's file, relative to the root. Raises `NotFound` for a slug that is not valid."""
    return f"{PLAYBOOKS}/{_place(slug)}"


def _place(slug: str) -> str:
    return f"{PLAYS}/{checked(slug)}{SUFFIX}"


def _error(error: Malformed) -> FieldError:
    return FieldError(field="", message=error.message)


def _line(value: object) -> PlayLine | None:
    try:
        return msgspec.convert(value, PlayLine, strict=False)
    except msgspec.ValidationError:
        return None
