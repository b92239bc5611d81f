"""Earlier versions of the files that steer agents, kept below `.agents/.versions/`.

`agent_folders.py` and `shared_file.py` add a version at each save. A version has the text, when it was written and who
saved it. A text that was written by hand is kept when the next save replaces it. This module takes no lock: its callers
hold the agent's lock. Everything blocks: call it off the loop.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from ...core.errors import CabinetError, Invalid, NotFound
from ..templates import is_from_template
from .safe_files import MAX_FILE_BYTES, PERSONA, SafeFolder, etag_of, versions_of

USER, PROTOCOL = "USER.md", "PROTOCOL.md"
SHARED = (USER, PROTOCOL)  # one of each for all agents
VERSIONED = (PERSONA, "SOUL.md", "HEARTBEAT.md", "TOOLS.md", "memory/MEMORY.md", "GUIDE.md")  # files of each agent
MAX_VERSIONS = 50  # limit for each file
MAX_VERSIONS_BYTES = 8 * 2**20  # limit for each file; the newest is kept whatever its size
MAX_VERSION_BYTES = 2 * MAX_FILE_BYTES + 4096  # the content in Base64, and its metadata
VERSION_MODE = 0o600  # perhaps only its owner may read the file itself

_NAME = re.compile(r"(?P<id>[0-9]{8})\.json")

log = logging.getLogger(__name__)


class FileVersion(msgspec.Struct, frozen=True, kw_only=True):
    """One version in a list. `saved`: when the text was written. `by`: who saved it; empty: it was written by hand.

    `size`: in bytes. `etag`: of its content, like that of the file. `from_template`: the text was not saved by a person
    and equals a template.
    """

    id: str
    saved: datetime
    by: str
    size: int
    etag: str
    from_template: bool


class VersionText(FileVersion, frozen=True, kw_only=True):
    """One version with its text."""

    text: str


class _Kept(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a version's file."""

    saved: datetime
    by: str
    size: int
    etag: str
    content: bytes  # a text written by hand may not be UTF-8


class EarlierText(msgspec.Struct, frozen=True, kw_only=True):
    """A text that a file had before. `saved`: when it was written."""

    saved: datetime
    content: bytes


class FileVersions:
    """Versions of files below `safe`, the folder of all agents. `slug`: empty for a file that all agents share."""

    def __init__(self, safe: SafeFolder) -> None:
        self._safe = safe

    def find(self, slug: str, path: str) -> list[FileVersion]:
        """Return the versions of a file, newest first, without damaged ones; empty if there are none.

        Raises `Invalid` if no versions are kept of files with this path.
        """
        place = _place(slug, path)
        found = ((id, self._read(place, id)) for id in reversed(self._ids(place)))
        return [_listed(path, id, kept) for id, kept in found if kept is not None]

    def get(self, slug: str, path: str, id: str) -> VersionText:
        """Return one version with its text. Bytes that are not UTF-8 are replaced.

        Raises `NotFound` if it is not kept or damaged, and `Invalid` as `find`.
        """
        place = _place(slug, path)
        kept = self._read(place, id) if id in self._ids(place) else None
        if kept is None:
            raise NotFound(f"This version of {path} is not kept any longer. Choose another one.")
        return VersionText(
            **msgspec.structs.asdict(_listed(path, id, kept)), text=kept.content.decode(errors="replace")
        )

    def write(self, slug: str, path: str, before: bytes | None, content: bytes, by: str) -> None:
        """Create or replace a file of an agent, and keep versions of both texts if it is a versioned file.

        `before`: the current content; None if there is no file. `by`: who saves. Raises as `SafeFolder.write`; the file
        is then unchanged. If only the version of the new text cannot be kept, that is logged.
        """
        file = f"{slug}/{path}".lstrip("/")
        if not is_versioned(slug, path):
            self._safe.write(file, content)
            return
        if before is not None:
            self._keep(_place(slug, path), file, before, by="")
        self._safe.write(file, content)
        try:
            self._keep(_place(slug, path), file, content, by=by)
        except (OSError, CabinetError) as error:  # the text is saved, and the next save keeps it as a version
            log.warning("No version of %s was kept: %s", file, error)

    def _keep(self, place: str, file: str, content: bytes, *, by: str) -> None:
        """Add a version, unless the newest version has the same text."""
        ids, etag = self._ids(place), etag_of(content)
        newest = self._read(place, ids[-1]) if ids else None
        if newest is not None and newest.etag == etag:
            return
        saved = datetime.fromtimestamp(self._safe.modified(file), UTC)
        kept = _Kept(saved=saved, by=by, size=len(content), etag=etag, content=content)
        new = f"{int(ids[-1]) + 1 if ids else 1:08d}"
        self._safe.write(f"{place}/{new}.json", msgspec.json.encode(kept), mode=VERSION_MODE)
        self._drop_oldest(place, [*ids, new])

    def _drop_oldest(self, place: str, ids: list[str]) -> None:
        total = 0
        for count, id in enumerate(reversed(ids), 1):
            total += self._safe.size(f"{place}/{id}.json")
            if count > MAX_VERSIONS or (count > 1 and total > MAX_VERSIONS_BYTES):
                self._safe.remove(f"{place}/{id}.json")

    def _ids(self, place: str) -> list[str]:
        """Return the ids of the versions, oldest first."""
        names = [_NAME.fullmatch(entry.name) for entry in self._safe.names(place)]
        return [name["id"] for name in names if name]

    def _read(self, place: str, id: str) -> _Kept | None:
        """Return a version, or None if its file is damaged or was removed."""
        try:
            content = self._safe.read(f"{place}/{id}.json", limit=MAX_VERSION_BYTES)
            return None if content is None else msgspec.json.decode(content, type=_Kept)
        except (CabinetError, msgspec.DecodeError):
            return None


def version_files(texts: Sequence[EarlierText]) -> dict[str, bytes]:
    """Return the files of a new folder of versions, by name. `texts`: oldest first, of an author who is not known."""
    kept = (
        _Kept(saved=each.saved, by="", size=len(each.content), etag=etag_of(each.content), content=each.content)
        for each in texts
    )
    return {f"{number:08d}.json": msgspec.json.encode(each) for number, each in enumerate(kept, 1)}


def is_versioned(slug: str, path: str) -> bool:
    """Return whether versions of this file are kept. `slug`: empty for a file that all agents share."""
    return path in VERSIONED if slug else path in SHARED


def _place(slug: str, path: str) -> str:
    if not is_versioned(slug, path):
        raise Invalid(f"No versions are kept of {path[:100]}. They are kept of {', '.join(VERSIONED)}.", field="path")
    return f"{versions_of(slug)}/{path}" if slug else versions_of(path)


def _listed(path: str, id: str, kept: _Kept) -> FileVersion:
    from_template = not kept.by and is_from_template(path, kept.content)
    return FileVersion(id=id, saved=kept.saved, by=kept.by, size=kept.size, etag=kept.etag, from_template=from_template)
