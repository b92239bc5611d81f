"""The files of all agents of a root: list, read, create, save, rename, archive, delete.

Only this module and `effects/` access `.agents/`. People edit the files too, so each call sees them as they are now;
parsed files are cached until they change (`storage/filesystem/file_cache.py`). Everything blocks: call it off the loop.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ...core.errors import CabinetError, Conflict, Invalid, NotFound
from ...core.paths import check
from ...core.slugs import is_slug
from ...storage.filesystem import files
from ...storage.filesystem.file_cache import FileCache
from .. import templates
from . import front_matter, persona_text
from .agent_locks import AgentLocks
from .agent_reader import MAX_PERSONA_BYTES, AgentFiles, AgentReader, Layout, checked
from .archive_names import PutAwayAgent, agent_named, name_for
from .arrivals import Beside, staged
from .atomic_moves import Moves
from .file_versions import FileVersions
from .persona import Persona
from .persona_text import persona_file
from .powers import STEERING_TEXTS
from .safe_files import (
    AGENTS,
    FACTS,
    MAX_FILE_BYTES,
    MAX_LISTED,
    PERSONA,
    AgentFile,
    FileInfo,
    SafeFolder,
    candidates,
    check_etag,
    disk_errors,
    etag_of,
    places_of,
)

OLD_MEMORY = {"state.json": "goals.json"}  # older installations keep goals in `state.json`
ARCHIVE, TRASH, BEGUN = ".archive", ".trash", ".new"
SUBFOLDERS = ("memory", "tasks", "sessions", "workspace")


class AgentFolders:
    """All agents below `root`, the server's root folder.

    `state_folder`: its `.cabinet/`, for locks and notes of moves. `cache`: keeps agents until their files change; by
    default each instance has its own cache. `create`, `rename`, `archive`, `unarchive` and `delete` raise `NoRoom` or
    `Unavailable` for disk errors. If a server crashes in one of them, the operation takes effect completely or not at
    all.
    """

    def __init__(self, root: Path, state_folder: Path, cache: FileCache | None = None) -> None:
        self._safe = SafeFolder(root.resolve())
        self._reader = AgentReader(self._safe, FileCache() if cache is None else cache)
        self._locks = AgentLocks(state_folder)
        self.versions = FileVersions(self._safe)
        self._moves = Moves(self._safe.path, state_folder, self._locks)

    # --- reading -----------------------------------------------------------------------------

    def slugs(self) -> tuple[str, ...]:
        """Return the slugs of all agents, sorted, also of those with errors.

        It first finishes moves that a dead server has begun.
        """
        self._moves.finish_begun()
        return self._reader.slugs()

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file or folder that looks like an agent but is not one."""
        self._moves.finish_begun()
        return self._reader.problems()

    def read(self, slug: str) -> AgentFiles:
        """Return one agent; errors in its files are part of the result. Raises `NotFound`.

        It first finishes moves that a dead server has begun.
        """
        self._moves.finish_begun()
        return self._reader.read(slug)

    def read_all(self) -> list[AgentFiles]:
        """Return all agents, by slug, also those with errors. Agents whose files have not changed come from the cache.

        It first finishes moves that a dead server has begun.
        """
        self._moves.finish_begun()
        return self._reader.read_all()

    def read_goals(self, slug: str) -> bytes | None:
        """Return the content of an agent's `goals.json`, in the current or an older layout, or None.

        Raises `NotFound`, `Malformed`.
        """
        return self._reader.read_goals(slug)

    def folder(self, slug: str) -> Path:
        """Return the agent's folder, whether it exists or not. Raises `NotFound` if `slug` is not a valid slug."""
        return self._safe.path / checked(slug)

    @contextmanager
    def locked(self, slug: str) -> Iterator[None]:
        """Hold the agent's lock against other threads and servers that change its files. Blocks, without a limit.

        Whether the agent exists is not checked. The same thread may take the lock again, and read and save this agent.
        It must not lock a second agent, nor create, rename, archive or delete any agent: two threads that do so in a
        different order would deadlock. Raises `NotFound` for a slug that is not valid, and `NoRoom` or `Unavailable` if
        the lock cannot be taken.
        """
        if self._locks.held(checked(slug)):
            yield
        else:
            with self._moves.holding(slug):
                yield

    def prepare(self, slug: str) -> Path:
        """Move an agent's files into the current layout, create its usual folders, and return its folder.

        Call it before you write any file there. Raises `NotFound`, `NoRoom`, `Unavailable`, `OutsideRoot`.
        """
        with self.locked(slug), disk_errors(f"The agent {slug}"):
            _place, layout = self._reader.place_of(slug)
            self._move_to_current_layout(slug, layout)
            for name in SUBFOLDERS:
                self._safe.make_folder(f"{slug}/{name}")
        return self.folder(slug)

    # --- creating, saving, moving ------------------------------------------------------------

    def create(self, slug: str, template: str, values: Mapping[str, Any]) -> AgentFiles:
        """Create an agent from a template (`templates.NAMES`), and return it.

        `values`: other values for some persona fields. Raises `NotFound` for an unknown template, `Invalid` for an
        invalid slug or wrong values (`errors` in its detail), and `Conflict` if something of an agent with this slug
        exists.
        """
        self.planned(slug, template, values)
        text = persona_text.from_template(slug, template, values)
        return self._make(slug, {**templates.files_of(template), PERSONA: text.encode()})

    def duplicate(
        self, files: AgentFiles, new: str, values: Mapping[str, Any], *, check_persona: Callable[[Persona], None]
    ) -> AgentFiles:
        """Create an agent with the persona and the steering texts of another one, and return it.

        Memory, tasks, messages, history and other files are not copied. `files`: the other agent as it was read.
        `values`: other values for some fields (None removes one). `check_persona`: raises an error if the new persona
        must not be saved. Raises `Conflict` if the other persona was changed in the meantime, and as `create` and
        `save_persona`.
        """
        _require_slug(new)
        current = self.read_file(files.slug, PERSONA, limit=MAX_PERSONA_BYTES).content
        check_etag(current, files.etag, persona_file(files.slug))
        text = persona_text.with_fields(new, current, values)
        check_persona(persona_text.require_valid(new, text))
        texts = {name: content.encode() for name, content in files.texts.items() if name in STEERING_TEXTS}
        return self._make(new, {**texts, PERSONA: text.encode()})

    def bring(self, slug: str, content: Mapping[str, bytes], beside: Sequence[Beside] = ()) -> AgentFiles:
        """Create an agent from files that come from elsewhere, with what belongs to it in other folders, and return it.

        `content`: by path in the agent's folder; it must contain `persona.md`. Raises `Conflict` if any of it exists,
        `Malformed` or `Invalid` for a persona that is not valid, and as `create`.
        """
        self.require_free(slug)
        persona_text.require_valid(slug, front_matter.decoded(content[PERSONA], file=persona_file(slug)))
        return self._make(slug, content, beside)

    def require_free(self, slug: str) -> None:
        """Raise `Conflict` if something of an agent with this slug exists, and `Invalid` if it is not a slug."""
        _require_slug(slug)
        if (place := self._place_in_use(slug)) is not None:
            raise Conflict(f"{AGENTS}/{place} already exists. Choose another name.", field="slug")

    def is_taken(self, slug: str) -> bool:
        """Return whether something of an agent with this slug exists, also its inbox, history or earlier versions.

        The slug is not checked.
        """
        return self._place_in_use(slug) is not None

    def planned(self, slug: str, template: str, values: Mapping[str, Any]) -> Persona:
        """Return the persona that `create` would write. Nothing is written.

        Raises `NotFound` and `Invalid` as `create` does. Whether the slug is taken is not checked.
        """
        _require_slug(slug)
        return persona_text.require_valid(slug, persona_text.from_template(slug, template, values))

    def save_persona(
        self,
        slug: str,
        change: Mapping[str, Any] | str,
        etag: str | None = None,
        *,
        by: str = "",
        check_persona: Callable[[Persona], None] = lambda persona: None,
    ) -> AgentFiles:
        """Save some fields of the persona (None removes one), or its whole text, and return the agent as saved.

        `etag`: of the version that the caller has seen; optional for fields, required for a text. `by`: who saves, for
        the kept versions. `check_persona`: raises an error if the new persona must not be saved. Raises `NotFound`,
        `Conflict` if it is another version, `Malformed` for a text that cannot be read, `Invalid` for wrong fields
        (`errors` in its detail), and `OutsideRoot`, `NoRoom` or `Unavailable` if it cannot be written; nothing is saved
        then.
        """
        with self.locked(slug):
            place, _layout = self._reader.place_of(slug)
            current = self._safe.read(place, limit=MAX_PERSONA_BYTES) or b""
            if etag is not None or isinstance(change, str):
                check_etag(current, etag, f"{AGENTS}/{place}")
            text = change if isinstance(change, str) else persona_text.with_fields(slug, current, change)
            check_persona(persona_text.require_valid(slug, text))
            self.prepare(slug)
            with disk_errors(persona_file(slug)):
                self.versions.write(slug, PERSONA, current, text.encode(), by)
            # the etag of the saved text; another process may have replaced the file by now
            return msgspec.structs.replace(self.read(slug), etag=etag_of(text.encode()))

    def rename(self, old: str, new: str) -> AgentFiles:
        """Give an agent another slug, move its folder, inbox, history and versions, and return it.

        Its files are not changed. Raises `NotFound`, `Invalid` for an invalid slug, and `Conflict` if something of an
        agent with the new slug exists.
        """
        _require_slug(new)
        pairs = zip(places_of(old).values(), places_of(new).values(), strict=True)
        self._move((old, new), tuple(pairs))
        return self.read(new)

    def archive(self, slug: str, *, now: datetime) -> str:
        """Archive an agent with its inbox and its history, and return the name that `unarchive` takes.

        Raises `NotFound`.
        """
        return self._put_away(slug, ARCHIVE, now)

    def delete(self, slug: str, *, now: datetime) -> str:
        """Move an agent to the trash, `.agents/.trash/`, and return its name there, which `unarchive` takes.

        No file is erased. To free the disk space, a person removes the folder from the trash. Raises `NotFound`.
        """
        return self._put_away(slug, TRASH, now)

    def archived(self) -> tuple[PutAwayAgent, ...]:
        """Return the archived agents, by name."""
        return self._agents_in(ARCHIVE)

    def trashed(self) -> tuple[PutAwayAgent, ...]:
        """Return the deleted agents, by name."""
        return self._agents_in(TRASH)

    def unarchive(self, name: str) -> str:
        """Restore an archived or deleted agent, and return its slug.

        `name`: as `archive` and `delete` return it. Raises `NotFound`, and `Conflict` if something of an agent with
        this slug exists.
        """
        boxes = ((box, each) for box in (ARCHIVE, TRASH) for each in self._agents_in(box))
        box, slug = next(((box, each.slug) for box, each in boxes if each.name == name), (None, ""))
        if box is None:
            raise NotFound(f"There is no archived agent {name[:100]}.")
        pairs = tuple((f"{box}/{name}/{place}", place) for place in places_of(slug).values())
        with self._moves.holding(slug), disk_errors(f"The agent {slug}"):
            self._moves.move((slug,), pairs)
            self._safe.remove_empty(f"{box}/{name}")
        return slug

    # --- single files ------------------------------------------------------------------------

    def read_file(self, slug: str, path: str, *, limit: int = MAX_FILE_BYTES) -> AgentFile:
        """Return one file in the agent's folder. A file of memory may also be in the layout of older installations.

        Raises `NotFound` for the agent or the file, `OutsideRoot` or `Invalid` for a path that leads out of the folder
        or is not valid, and `Malformed` for a link, a folder or a file larger than `limit` bytes.
        """
        self._reader.place_of(slug)
        clean = "/".join(check(path))
        for place in candidates(slug, clean):
            content = self._safe.read(place, limit=limit)
            if content is not None:
                return AgentFile(path=clean, content=content, etag=etag_of(content))
        raise NotFound(f"The agent {slug} has no file {clean}.", field="path")

    def write_file(
        self,
        slug: str,
        path: str,
        content: bytes,
        etag: str | None,
        *,
        by: str = "",
        check_persona: Callable[[Persona], None] = lambda persona: None,
    ) -> str:
        """Save a file and return its new etag.

        `etag`: of the version that the caller has seen; None: the file is new. `by`: as in `save_persona`. Raises
        `Conflict` with the current etag if it is another version, `Invalid` for a file of more than 4 MiB, and as
        `read_file`, `prepare` and, for the persona, `save_persona`.
        """
        clean = "/".join(check(path))
        if clean == PERSONA:
            text = front_matter.decoded(content, file=persona_file(slug))
            return self.save_persona(slug, text, etag, by=by, check_persona=check_persona).etag
        if len(content) > MAX_FILE_BYTES:
            raise Invalid(f"The file is too large. The limit is {MAX_FILE_BYTES // 2**20} MiB.", field="content")
        with self.locked(slug):
            before = self._content_or_none(slug, clean)
            check_etag(before, etag, f"{AGENTS}/{slug}/{clean}")
            self.prepare(slug)
            with disk_errors(f"{AGENTS}/{slug}/{clean}"):
                self.versions.write(slug, clean, before, content, by)
        return etag_of(content)

    def list_files(self, slug: str) -> tuple[FileInfo, ...]:
        """Return the agent's files, sorted by path, at most 5,000. Raises `NotFound`.

        Links and remains of interrupted writes are left out.
        """
        self._reader.place_of(slug)
        found: dict[str, FileInfo] = {}
        for info in self._safe.everything_of(slug):
            if not files.TEMPORARY.fullmatch(Path(info.path).name):
                found.setdefault(info.path, info)
            if len(found) >= MAX_LISTED:
                break
        return tuple(found[path] for path in sorted(found))

    def list_memory(self, slug: str) -> dict[str, os.stat_result]:
        """Return the files of the agent's memory by their path, as `read_file` takes it. Raises `NotFound`."""
        self._reader.place_of(slug)
        found: dict[str, os.stat_result] = {}
        for path, state in self._safe.memory_of(slug):
            if not files.TEMPORARY.fullmatch(Path(path).name):
                found.setdefault(path, state)
        return found

    # --- shared steps ------------------------------------------------------------------------

    def _content_or_none(self, slug: str, path: str) -> bytes | None:
        try:
            return self.read_file(slug, path).content
        except NotFound:
            self._reader.place_of(slug)
            return None

    def _place_in_use(self, slug: str) -> str | None:
        return next((place for place in places_of(slug).values() if self._safe.exists(place)), None)

    def _make(self, slug: str, content: Mapping[str, bytes], beside: Sequence[Beside] = ()) -> AgentFiles:
        locks = (slug, *sorted({each.lock for each in beside if each.lock}))
        with self._moves.holding(*locks), disk_errors(f"The agent {slug}"):
            self.require_free(slug)
            self._build(locks, content, beside)
        return self.read(slug)

    def _build(self, locks: tuple[str, ...], content: Mapping[str, bytes], beside: Sequence[Beside]) -> None:
        """Create the files under temporary names, then make them appear together."""
        slug = locks[0]
        begun = f"{BEGUN}/{slug}"
        self._remove_begun(slug)  # remains of a server that died here
        try:
            for name in SUBFOLDERS:
                self._safe.make_folder(f"{begun}/{name}")
            for name, text in content.items():
                self._safe.write(f"{begun}/{name}", text)
            pairs = staged(self._safe, f"{BEGUN}/.{slug}", beside)
            self._moves.move(locks, (*pairs, (begun, slug)))
        except (OSError, CabinetError):
            self._remove_begun(slug)
            raise
        self._remove_begun(slug)

    def _remove_begun(self, slug: str) -> None:
        for begun in (f"{BEGUN}/{slug}", f"{BEGUN}/.{slug}"):
            self._safe.refuse_links(begun)
            shutil.rmtree(self._safe.path / begun, ignore_errors=True)

    def _move_to_current_layout(self, slug: str, layout: Layout) -> None:
        """Move files from the layout of older installations to their current paths, unless a file is there already."""
        self._safe.make_folder(slug)
        pairs = [(f"{slug}.md", f"{slug}/{PERSONA}")] if layout == "legacy" else []
        names = [(f".memory/{slug}", entry.name) for entry in self._safe.names(f".memory/{slug}")]
        for folder, name in [*names, *([(slug, FACTS)] if self._safe.exists(f"{slug}/{FACTS}") else [])]:
            target = f"{slug}/memory/{OLD_MEMORY.get(name, name)}"
            if not self._safe.exists(target) and target not in [new for _old, new in pairs]:
                pairs.append((f"{folder}/{name}", target))
        self._moves.move((slug,), pairs)

    def _put_away(self, slug: str, box: str, now: datetime) -> str:
        name = name_for(slug, now)
        self._move((slug,), tuple((place, f"{box}/{name}/{place}") for place in places_of(slug).values()))
        return name

    def _move(self, slugs: tuple[str, ...], pairs: tuple[tuple[str, str], ...]) -> None:
        with self._moves.holding(*slugs), disk_errors(f"The agent {slugs[0]}"):
            self._reader.place_of(slugs[0])
            for place in (place for pair in pairs for place in pair):
                self._safe.refuse_links(str(Path(place).parent))
            self._moves.move(slugs, pairs)

    def _agents_in(self, box: str) -> tuple[PutAwayAgent, ...]:
        self._moves.finish_begun()
        named = [agent_named(entry.name) for entry in self._safe.names(box)]
        agents = (agent for agent in named if agent is not None and self._has_files(box, agent))
        return tuple(
            msgspec.structs.replace(each, agent_name=self._reader.name_in(f"{box}/{each.name}", each.slug))
            for each in agents
        )

    def _has_files(self, box: str, agent: PutAwayAgent) -> bool:
        """Return whether an archive folder has files. It is empty if a server died while it restored the agent."""
        return any(self._safe.exists(f"{box}/{agent.name}/{place}") for place in places_of(agent.slug).values())


def _require_slug(slug: str) -> None:
    if not is_slug(slug):
        raise Invalid("An agent's name has lowercase letters, digits and hyphens only.", field="slug")
