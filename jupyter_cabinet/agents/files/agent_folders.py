"""The files of all agents of a root: list, read, make, save, rename, archive, delete. The one way to `.agents/`, beside
`effects/`.

Files are the truth, and people write them too: each call sees them as they are now. What was made from a file is kept
until the file changes (`storage/file_cache.py`). Everything blocks: call it off the loop.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ...core.errors import Conflict, Invalid, NotFound, Unavailable
from ...core.paths import check
from ...core.slugs import is_slug
from ...storage import files
from ...storage.file_cache import FileCache
from .. import templates
from . import front_matter, persona
from .agent_locks import AgentLocks
from .agent_reader import MAX_PERSONA_BYTES, AgentFiles, AgentReader, Layout, checked
from .archive_names import PutAwayAgent, agent_named, name_for
from .atomic_moves import Moves
from .file_versions import FileVersions
from .persona import Persona
from .persona_fields import wrong_fields
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

OLD_MEMORY = {"state.json": "goals.json"}  # which has the goals in older installations
ARCHIVE, TRASH, BEGUN = ".archive", ".trash", ".new"
MAX_ATTEMPTS = 5  # to finish what others have begun: each of them may die at it too
SUBFOLDERS = ("memory", "tasks", "sessions", "workspace")


class AgentFolders:
    """`root`: the server's folder. `state_folder`: its `.cabinet/`, for locks and the notes of what was begun.
    `cache`: keeps agents until their files change; each has its own by default.

    `create`, `rename`, `archive`, `unarchive` and `delete` raise `NoRoom` or `Unavailable` where the disk refuses;
    whenever a server dies, the agent is as before or as after.
    """

    def __init__(self, root: Path, state_folder: Path, cache: FileCache | None = None) -> None:
        self._safe = SafeFolder(root.resolve())
        self._reader = AgentReader(self._safe, FileCache() if cache is None else cache)
        self._locks = AgentLocks(state_folder)
        self.versions = FileVersions(self._safe)
        self._moves = Moves(self._safe.path, state_folder, self._locks)

    # Looking

    def slugs(self) -> tuple[str, ...]:
        """The agents that are there, sorted, in order or not."""
        self._finish_moves()
        return self._reader.slugs()

    def problems(self) -> tuple[str, ...]:
        """A sentence for each thing among the agents that is none, though it looks like one. It is not read."""
        self._finish_moves()
        return self._reader.problems()

    def read(self, slug: str) -> AgentFiles:
        """One agent. Raises `NotFound`. What is wrong with its files is in the value."""
        self._finish_moves()
        return self._reader.read(slug)

    def read_all(self) -> list[AgentFiles]:
        """All agents, by slug; those whose files have not changed are not read again."""
        self._finish_moves()
        return self._reader.read_all()

    def read_goals(self, slug: str) -> bytes | None:
        """The content of an agent's `goals.json`, in whatever layout, or None. Raises `NotFound`,
        `Malformed`."""
        return self._reader.read_goals(slug)

    def folder(self, slug: str) -> Path:
        """Where the agent's files lie, or would lie. Raises `NotFound` for what is no name of an agent."""
        return self._safe.path / checked(slug)

    @contextmanager
    def locked(self, slug: str) -> Iterator[None]:
        """Hold the agent against every other reader-and-writer of its files, in this server and others.

        Blocks. Who holds it may take it again, read and save this agent. It must not hold a second agent, nor create,
        rename, archive or delete any: two that do so in another order would wait for each other.
        """
        if self._locks.held(checked(slug)):
            yield
        else:
            with self._unheld(slug):
                yield

    def prepare(self, slug: str) -> Path:
        """Bring an agent into the layout of today, with its usual folders, and return its folder.

        To be called before anything is written there. Raises `NotFound`, `NoRoom`, `Unavailable`, `OutsideRoot`.
        """
        with self.locked(slug), disk_errors(f"The agent {slug}"):
            _place, layout = self._reader.place_of(slug)
            self._modernise(slug, layout)
            for name in SUBFOLDERS:
                self._safe.make_folder(f"{slug}/{name}")
        return self.folder(slug)

    # Making, saving, moving

    def create(self, slug: str, template: str, values: Mapping[str, Any]) -> AgentFiles:
        """Make an agent from a template (`templates.names`), with other values of some fields of its persona.

        Raises `NotFound` for an unknown template, `Invalid` for what is no slug or a wrong value (`errors` in its
        detail), `Conflict` where an agent of this name is there.
        """
        self.planned(slug, template, values)
        content = templates.files_of(template)
        text = front_matter.changed(content[PERSONA].decode(), values, file=_file(slug))
        return self._make(slug, {**content, PERSONA: text.encode()})

    def duplicate(
        self, files: AgentFiles, new: str, values: Mapping[str, Any], *, check_persona: Callable[[Persona], None]
    ) -> AgentFiles:
        """Make an agent with the persona and the steering texts of another one, with other values of some fields (None
        removes one). It begins without memory, tasks, messages, history and other files. `files`: the other one as it
        was read.

        Raises `Conflict` where its persona was changed meanwhile, and as `create` and `save_persona`.
        """
        _require_slug(new)
        current = self.read_file(files.slug, PERSONA, limit=MAX_PERSONA_BYTES).content
        check_etag(current, files.etag, _file(files.slug))
        text = self._with_fields(new, current, values)
        check_persona(self._require_valid(new, text))
        texts = {name: content.encode() for name, content in files.texts.items() if name in STEERING_TEXTS}
        return self._make(new, {**texts, PERSONA: text.encode()})

    def planned(self, slug: str, template: str, values: Mapping[str, Any]) -> Persona:
        """The persona that `create` would write. Raises as `create` does for what it is given."""
        _require_slug(slug)
        text = templates.files_of(template)[PERSONA].decode()
        return self._require_valid(slug, front_matter.changed(text, values, file=_file(slug)))

    def save_persona(
        self,
        slug: str,
        change: Mapping[str, Any] | str,
        etag: str | None = None,
        *,
        by: str = "",
        check_persona: Callable[[Persona], None] = lambda persona: None,
    ) -> AgentFiles:
        """Save other values of some fields (None removes one), or the whole text.

        `etag`: of the version that the caller has seen; it may be left out for fields. `by`: who saves, as the kept
        versions say. `check_persona`: raises for one
        that must not be saved. Raises `NotFound`, `Conflict`, `Malformed` for a text that cannot be read, `Invalid` for
        wrong fields (`errors` in its detail): then nothing was saved.
        """
        with self.locked(slug):
            place, _layout = self._reader.place_of(slug)
            current = self._safe.read(place, limit=MAX_PERSONA_BYTES) or b""
            if etag is not None or isinstance(change, str):
                check_etag(current, etag, f"{AGENTS}/{place}")
            text = change if isinstance(change, str) else self._with_fields(slug, current, change)
            check_persona(self._require_valid(slug, text))
            self.prepare(slug)
            with disk_errors(_file(slug)):
                self.versions.write(slug, PERSONA, current, text.encode(), by)
            # of what was written: somebody may have written something else by now
            return msgspec.structs.replace(self.read(slug), etag=etag_of(text.encode()))

    def rename(self, old: str, new: str) -> AgentFiles:
        """Give an agent another name: its folder, its inbox and its history go along.

        Raises `NotFound`, `Invalid` for what is no slug, `Conflict` where one of that name is there.
        """
        _require_slug(new)
        pairs = zip(places_of(old).values(), places_of(new).values(), strict=True)
        self._move((old, new), tuple(pairs))
        return self.read(new)

    def archive(self, slug: str, *, now: datetime) -> str:
        """Put an agent away, with its inbox and its history, and return the name that `unarchive` takes."""
        return self._put_away(slug, ARCHIVE, now)

    def delete(self, slug: str, *, now: datetime) -> str:
        """Put an agent into the trash, `.agents/.trash/`, and return its name there, which `unarchive` takes too.

        Nothing is erased: a person who wants the room removes the folder.
        """
        return self._put_away(slug, TRASH, now)

    def archived(self) -> tuple[PutAwayAgent, ...]:
        """The archived agents, by name."""
        return self._kept(ARCHIVE)

    def trashed(self) -> tuple[PutAwayAgent, ...]:
        """The deleted agents, by name."""
        return self._kept(TRASH)

    def unarchive(self, name: str) -> str:
        """Bring back what was archived or deleted, and return its slug. Raises `NotFound`, `Conflict`."""
        boxes = ((box, each) for box in (ARCHIVE, TRASH) for each in self._kept(box))
        box, slug = next(((box, each.slug) for box, each in boxes if each.name == name), (None, ""))
        if box is None:
            raise NotFound(f"There is no archived agent {name[:100]}.")
        pairs = tuple((f"{box}/{name}/{place}", place) for place in places_of(slug).values())
        with self._unheld(slug), disk_errors(f"The agent {slug}"):
            self._moves.move((slug,), pairs)
            self._safe.remove_empty(f"{box}/{name}")
        return slug

    # Single files

    def read_file(self, slug: str, path: str, *, limit: int = MAX_FILE_BYTES) -> AgentFile:
        """One file below the agent's folder; of memory, also where older installations kept it.

        Raises `NotFound`, `OutsideRoot`, `Malformed` for a link, a folder or more than `limit` bytes.
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
        """Save a file and return its new etag. `etag`: of the version that the caller has seen, None for a new file.
        `by`: as in `save_persona`.

        Raises `Conflict` with the current etag, and as `read_file`, `prepare` and, for the persona, `save_persona`.
        """
        clean = "/".join(check(path))
        if clean == PERSONA:
            text = front_matter.decoded(content, file=_file(slug))
            return self.save_persona(slug, text, etag, by=by, check_persona=check_persona).etag
        if len(content) > MAX_FILE_BYTES:
            raise Invalid(f"A file of at most {MAX_FILE_BYTES // 2**20} MiB is accepted.", field="content")
        with self.locked(slug):
            before = self._current(slug, clean)
            check_etag(before, etag, f"{AGENTS}/{slug}/{clean}")
            self.prepare(slug)
            with disk_errors(f"{AGENTS}/{slug}/{clean}"):
                self.versions.write(slug, clean, before, content, by)
        return etag_of(content)

    def list_files(self, slug: str) -> tuple[FileInfo, ...]:
        """The agent's files, sorted by path; at most 5,000, without links and what a dead server left of a file."""
        self._reader.place_of(slug)
        found: dict[str, FileInfo] = {}
        for info in self._safe.everything_of(slug):
            if not files.TEMPORARY.fullmatch(Path(info.path).name):
                found.setdefault(info.path, info)
            if len(found) >= MAX_LISTED:
                break
        return tuple(found[path] for path in sorted(found))

    # Inside

    def _current(self, slug: str, path: str) -> bytes | None:
        try:
            return self.read_file(slug, path).content
        except NotFound:
            self._reader.place_of(slug)
            return None

    def _with_fields(self, slug: str, current: bytes, changes: Mapping[str, Any]) -> str:
        text = front_matter.decoded(current, file=_file(slug))
        fields = front_matter.read(text, file=_file(slug)).fields
        return front_matter.changed(text, persona.spelled(changes, fields), file=_file(slug))

    def _require_valid(self, slug: str, text: str) -> Persona:
        if len(text.encode()) > MAX_PERSONA_BYTES:
            raise Invalid(f"A persona of at most {MAX_PERSONA_BYTES // 1024} KiB is accepted.", field="persona")
        found = front_matter.read(text, file=_file(slug))
        validated = persona.validate(found.fields, found.body, slug=slug, file=_file(slug))
        if validated.persona is None:
            raise wrong_fields(validated.errors)
        return validated.persona

    def _make(self, slug: str, content: Mapping[str, bytes]) -> AgentFiles:
        with self.locked(slug), disk_errors(f"The agent {slug}"):
            for place in places_of(slug).values():
                if self._safe.exists(place):
                    raise Conflict(f"{AGENTS}/{place} is there already. Choose another name.", field="slug")
            self._build(slug, content)
        return self.read(slug)

    def _build(self, slug: str, content: Mapping[str, bytes]) -> None:
        """Under another name first: one rename makes the agent be there."""
        begun = f"{BEGUN}/{slug}"
        self._safe.refuse_links(begun)
        shutil.rmtree(self._safe.path / begun, ignore_errors=True)  # of a server that died here
        try:
            for name in SUBFOLDERS:
                self._safe.make_folder(f"{begun}/{name}")
            for name, text in content.items():
                self._safe.write(f"{begun}/{name}", text)
            self._moves.move((slug,), ((begun, slug),))
        except OSError:
            shutil.rmtree(self._safe.path / begun, ignore_errors=True)
            raise

    def _modernise(self, slug: str, layout: Layout) -> None:
        """What lies where older installations kept it goes where it belongs, unless something is there."""
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
        with self._unheld(*slugs), disk_errors(f"The agent {slugs[0]}"):
            self._reader.place_of(slugs[0])
            for place in (place for pair in pairs for place in pair):
                self._safe.refuse_links(str(Path(place).parent))
            self._moves.move(slugs, pairs)

    @contextmanager
    def _unheld(self, *slugs: str) -> Iterator[None]:
        """The locks of these agents, with nothing begun left undone."""
        assert not self._locks.holds_any(), "who holds an agent does not ask for another"
        for _attempt in range(MAX_ATTEMPTS):
            self._finish_moves()
            with self._locks.holding(*slugs):
                if not any(self._moves.concern(slug) for slug in slugs):
                    yield
                    return
        raise Unavailable(f"What was begun with the agent {slugs[0]} cannot be finished. The server's log says why.")

    def _finish_moves(self) -> None:
        """Finish the moves that a dead server began. A process that holds an agent has done so already."""
        if not self._locks.holds_any() and (notes := self._moves.unfinished()):
            self._moves.finish(notes)

    def _kept(self, box: str) -> tuple[PutAwayAgent, ...]:
        self._finish_moves()
        named = [agent_named(entry.name) for entry in self._safe.names(box)]
        held = (agent for agent in named if agent is not None and self._holds(box, agent))
        return tuple(
            msgspec.structs.replace(each, agent_name=self._reader.name_in(f"{box}/{each.name}", each.slug))
            for each in held
        )

    def _holds(self, box: str, agent: PutAwayAgent) -> bool:
        """An empty one is what a server left that died while it brought the agent back."""
        return any(self._safe.exists(f"{box}/{agent.name}/{place}") for place in places_of(agent.slug).values())


def _file(slug: str) -> str:
    return f"{AGENTS}/{slug}/{PERSONA}"


def _require_slug(slug: str) -> None:
    if not is_slug(slug):
        raise Invalid("An agent's name has lower-case letters, digits and hyphens only.", field="slug")
