"""Finds the agents in their folder and reads them as they are on disk now. Writes nothing.

Called by `agent_folders.py`.
"""

from __future__ import annotations

import os
from collections.abc import Hashable
from contextlib import suppress
from typing import Literal

import msgspec

from ...core.errors import CabinetError, Malformed, NotFound
from ...core.slugs import is_slug
from ...storage.filesystem.file_cache import FileCache, Folders, Visited
from . import front_matter, persona
from .persona import Persona
from .persona_fields import FieldError, located
from .powers import STEERING_TEXTS
from .safe_files import AGENTS, GOALS_FILE, PERSONA, SafeFolder, candidates, etag_of

MAX_PERSONA_BYTES = 256 * 1024
MAX_TEXT_BYTES = 128 * 1024  # limit for each steering text
IDENTITY_FILES = ("IDENTITY.md", "CLAUDE.md", "SOUL.md")  # other installations describe an agent in these
OTHER_FILES = frozenset({"USER.md", "PROTOCOL.md", "README.md", "AGENTS.md", "CLAUDE.md", "GUIDE.md"})

# Kinds of cached values, each kept until its files change.
AGENT, LEGACY, GOALS, PUT_AWAY = "agent", "legacy agent", "goals", "put-away agent"

Layout = Literal["folder", "legacy"]


class AgentFiles(msgspec.Struct, frozen=True, kw_only=True):
    """One agent as its files define it.

    `persona`: None if the agent has an error; `errors` then says why, with file and field or line. `etag`: of the
    persona. `texts`: the existing steering texts, by name.
    """

    slug: str
    layout: Layout
    persona: Persona | None
    etag: str
    errors: tuple[FieldError, ...] = ()
    notes: tuple[str, ...] = ()
    texts: dict[str, str] = {}
    lines: dict[str, int] = {}  # line in the persona's file where each field begins

    @property
    def name(self) -> str:
        """The agent's display name; its slug if the persona cannot be read."""
        return self.persona.name if self.persona else self.slug

    @property
    def version(self) -> Hashable:
        """A value that differs after each change that people can see."""
        return self.etag, self.layout, tuple(sorted(self.texts.items())), tuple(each.message for each in self.errors)


class AgentReader:
    """Reads agents through a `SafeFolder`. Errors in a file are part of the returned value.

    `cache`: keeps agents, and whether a file is a legacy agent, until their files change.
    """

    def __init__(self, safe: SafeFolder, cache: FileCache) -> None:
        self._safe = safe
        self._cache = cache

    def slugs(self) -> tuple[str, ...]:
        """Return the slugs of all agents, sorted."""
        names = [entry.name for entry in self._safe.names()]
        pages = {name.removesuffix(".md") for name in names if name.endswith(".md")}
        legacy = {slug for slug in pages if self._is_still_legacy(slug)}
        self._cache.keep_only((LEGACY,), pages)
        return tuple(sorted({name for name in names if self._is_agent_folder(name)} | legacy))

    def problems(self) -> tuple[str, ...]:
        """Return a sentence for each file or folder that looks like an agent but is not one."""
        return tuple(problem for entry in self._safe.names() if (problem := self._problem(entry)))

    def place_of(self, slug: str) -> tuple[str, Layout]:
        """Return the path of the agent's persona, and its layout. Raises `NotFound`."""
        if self._is_agent_folder(checked(slug)):
            return f"{slug}/{PERSONA}", "folder"
        if self._is_legacy(f"{slug}.md"):
            return f"{slug}.md", "legacy"
        raise NotFound("There is no such agent.")

    def read_all(self) -> list[AgentFiles]:
        """Return all agents, by slug."""
        found, folders = [], Folders()
        for slug in self.slugs():
            with suppress(NotFound):  # it was removed in the meantime
                found.append(self.read(slug, folders))
        self._cache.keep_only((AGENT, GOALS), {each.slug for each in found})
        return found

    def read(self, slug: str, folders: Folders | None = None) -> AgentFiles:
        """Return one agent; errors in its files are part of the result.

        Raises `NotFound`. `folders`: see `FileCache.value`.
        """
        key = (AGENT, checked(slug))
        return self._cache.value(key, lambda visited: self._visiting(visited)._read(slug), folders)

    def read_goals(self, slug: str) -> bytes | None:
        """Return the content of the agent's `goals.json`, in the current or an older layout; None if there is none.

        Raises `NotFound` if there is no such agent, and `Malformed` for a link, a folder or a file that is too large.
        """
        return self._cache.value((GOALS, checked(slug)), lambda visited: self._visiting(visited)._goals(slug))

    def name_in(self, folder: str, slug: str) -> str:
        """Return the display name of an agent in an archive folder; its slug if the persona cannot be read."""
        return self._cache.value((PUT_AWAY, folder), lambda visited: self._visiting(visited)._name_in(folder, slug))

    def _name_in(self, folder: str, slug: str) -> str:
        errors: list[FieldError] = []
        for place in (f"{folder}/{slug}/{PERSONA}", f"{folder}/{slug}.md"):
            content = self._or_error(place, MAX_PERSONA_BYTES, errors)
            found = self._validated(slug, content, f"{AGENTS}/{place}", errors) if content is not None else None
            if found is not None:
                return found.persona.name if found.persona else slug
        return slug

    def _visiting(self, visited: Visited) -> AgentReader:
        return AgentReader(self._safe.visiting(visited), self._cache)

    def _goals(self, slug: str) -> bytes | None:
        self.place_of(slug)
        found = map(self._safe.read, candidates(slug, GOALS_FILE))
        return next((content for content in found if content is not None), None)

    def _read(self, slug: str) -> AgentFiles:
        place, layout = self.place_of(slug)
        errors: list[FieldError] = []
        content = self._or_error(place, MAX_PERSONA_BYTES, errors) or b""
        validated = None if errors else self._validated(slug, content, f"{AGENTS}/{place}", errors)
        texts = self._texts(slug, errors)
        lines = _lines(content, f"{AGENTS}/{place}") if validated else {}
        return AgentFiles(
            slug=slug,
            layout=layout,
            persona=None if errors or validated is None else validated.persona,
            etag=etag_of(content),
            errors=located(errors, lines),
            notes=validated.notes if validated else (),
            texts=texts,
            lines=lines,
        )

    def _validated(self, slug: str, content: bytes, file: str, errors: list[FieldError]) -> persona.Validated | None:
        try:
            found = front_matter.read(front_matter.decoded(content, file=file), file=file)
        except Malformed as error:
            errors.append(FieldError(field="", message=error.message))
            return None
        validated = persona.validate(found.fields, found.body, slug=slug, file=file)
        errors.extend(validated.errors)
        return validated

    def _texts(self, slug: str, errors: list[FieldError]) -> dict[str, str]:
        texts = {}
        for name in STEERING_TEXTS:
            content = self._or_error(f"{slug}/{name}", MAX_TEXT_BYTES, errors)
            if content is not None:
                texts[name] = content.decode(errors="replace")
        return texts

    def _or_error(self, place: str, limit: int, errors: list[FieldError]) -> bytes | None:
        try:
            return self._safe.read(place, limit=limit)
        except Malformed as error:
            errors.append(FieldError(field="", message=error.message))
            return None

    def _is_agent_folder(self, name: str) -> bool:
        return is_slug(name) and self._safe.exists(f"{name}/{PERSONA}")

    def _is_still_legacy(self, slug: str) -> bool:
        """Return `_is_legacy` from the cache, which is updated after each change of the file."""
        if not is_slug(slug):
            return False
        return self._cache.value((LEGACY, slug), lambda visited: self._visiting(visited)._is_legacy(f"{slug}.md"))

    def _is_legacy(self, name: str) -> bool:
        """Return whether a file is an agent in the legacy layout.

        Any other Markdown file that a person put there has no front matter and is not an agent.
        """
        if not name.endswith(".md") or not is_slug(name[:-3]) or self._is_agent_folder(name[:-3]):
            return False
        try:
            start = self._safe.read(name, limit=MAX_PERSONA_BYTES)
        except CabinetError:
            return True  # so that it is shown with its error
        return start is not None and start.removeprefix(b"\xef\xbb\xbf").startswith(b"---")

    def _problem(self, entry: os.DirEntry[str]) -> str:
        name, place = entry.name, f"{AGENTS}/{entry.name}"
        if name.startswith(".") or name in OTHER_FILES:
            return ""
        if name.endswith(".md"):
            known = self._is_still_legacy(name[:-3]) or self._is_agent_folder(name[:-3])
            return "" if known else f"{place} is no agent's file."
        if not entry.is_dir():
            return ""
        if not is_slug(name):
            return f"{place} is not read: an agent's name has lowercase letters, digits and hyphens only. Rename it."
        known = self._is_agent_folder(name) or self._is_legacy(f"{name}.md")
        return "" if known else f"{place} has no {PERSONA}: it is no agent yet.{self._advice(name)}"

    def _advice(self, name: str) -> str:
        """Return how to turn a folder of another installation into an agent; empty if there is no advice."""
        found = next((each for each in IDENTITY_FILES if self._safe.exists(f"{name}/{each}")), None)
        if found is None:
            return ""
        how = f"Write one beside {found}." if found in STEERING_TEXTS else f"Rename {found} to {PERSONA}."
        return f" {how}"


def checked(slug: str) -> str:
    """Return the slug. Raises `NotFound` for an invalid slug, which must not become part of a path."""
    if not is_slug(slug):
        raise NotFound("There is no such agent.")
    return slug


def _lines(content: bytes, file: str) -> dict[str, int]:
    """Return the line of each field of a persona, by the field's name. The file must be readable."""
    text = front_matter.decoded(content, file=file)
    written = front_matter.lines_of(text, file=file)
    spelled = persona.spellings(front_matter.read(text, file=file).fields)
    return {name: written[spelling] for name, spelling in spelled.items() if spelling in written}
