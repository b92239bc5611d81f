"""Collects what an exported agent consists of.

Commands and secrets never travel: not those of tool servers, and not those that this server knows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from ..agents.files import front_matter, persona_text
from ..agents.files.agent_folders import AgentFolders
from ..agents.files.powers import POWERFUL_UNKNOWN
from ..agents.files.safe_files import MAX_MEMORY_BYTES, PERSONA
from ..agents.files.shared_file import SharedFile
from ..agents.roster.roster import RosterEntry
from ..core.errors import Invalid, NotFound
from ..core.people import Principal
from ..core.redaction import Redactor
from ..plays.play import Play
from ..plays.playbook import Playbook
from ..skills.library import Library
from ..skills.skill_versions import SkillVersion
from .archive import IDENTITY, MAX_BUNDLE_BYTES, Bundle, belongs, packed, too_large, unpacked
from .model import ExportChoice

NOT_PORTABLE = "This agent cannot be exported as it is, because no server would import it. {why}"


class Exporter:
    """Exports the agents of a root."""

    def __init__(
        self, *, folders: AgentFolders, playbook: Playbook, library: Library, user_file: SharedFile, redactor: Redactor
    ) -> None:
        self._folders = folders
        self._playbook = playbook
        self._library = library
        self._user_file = user_file
        self._redactor = redactor

    async def export(self, entry: RosterEntry, choice: ExportChoice, principal: Principal) -> bytes:
        """Return an agent as the file of an exported agent. The caller makes sure that it may be exported.

        It includes the plays that the agent carries out and the person may see, and the approved skills that it lists.
        Fields of the persona that say which programs to start are left out, and secrets that this server knows are
        removed. Raises `Invalid` if it is too large or no server would import it, and `Malformed` for an unreadable
        file.
        """
        plays, skills = await self._plays_of(entry, principal), await self._skills_of(entry)
        agent = await asyncio.to_thread(lambda: dict(self._files_of(entry.slug, choice)))
        user = await asyncio.to_thread(self._user_text) if choice.user else None
        bundle = Bundle(slug=entry.slug, agent=agent, plays=plays, skills=skills, user=user)
        return await asyncio.to_thread(_packed_and_read, bundle)

    def _files_of(self, slug: str, choice: ExportChoice) -> Iterator[tuple[str, bytes]]:
        found = self._folders.list_memory(slug) if choice.memory else {}
        memory = sorted(path for path in found if belongs(path))
        if sum(found[path].st_size for path in memory) > MAX_BUNDLE_BYTES:
            raise too_large()
        for path in (*IDENTITY, *memory):
            try:
                content = self._folders.read_file(slug, path, limit=MAX_MEMORY_BYTES).content
            except NotFound:
                continue
            yield path, self._without_secrets(_without_commands(slug, content) if path == PERSONA else content)

    def _user_text(self) -> bytes | None:
        try:
            return self._without_secrets(self._user_file.read().content)
        except NotFound:
            return None

    async def _plays_of(self, entry: RosterEntry, principal: Principal) -> dict[str, bytes]:
        """Return the texts of the plays that the agent carries out, by slug."""
        listed = entry.files.persona.plays if entry.files.persona else ()
        return {
            standing.slug: self._without_secrets(standing.file.text.encode())
            for standing in await self._playbook.find(principal)
            if standing.file.play is not None and _is_of(standing.file.play, entry.slug, listed)
        }

    async def _skills_of(self, entry: RosterEntry) -> dict[str, SkillVersion]:
        """Return the skills that the agent lists, as a person has approved them, by name."""
        names = dict.fromkeys(entry.files.persona.skills if entry.files.persona else ())
        found = {name: await self._approved(name) for name in names}
        return {name: version for name, version in found.items() if version is not None}

    async def _approved(self, name: str) -> SkillVersion | None:
        try:
            return await self._library.usable_version(*await self._library.get(name))
        except NotFound:
            return None

    def _without_secrets(self, content: bytes) -> bytes:
        return self._redactor.redact(content.decode(errors="surrogateescape")).encode(errors="surrogateescape")


def _is_of(play: Play, slug: str, listed: tuple[str, ...]) -> bool:
    return play.agent == slug or (play.agent is None and play.slug in listed)


def _without_commands(slug: str, content: bytes) -> bytes:
    """Return a persona without the fields that say which programs to start. Raises `Malformed`."""
    file = persona_text.persona_file(slug)
    fields = front_matter.read(front_matter.decoded(content, file=file), file=file).fields
    removed = {name: None for name in POWERFUL_UNKNOWN if name in fields}
    return persona_text.with_fields(slug, content, removed).encode() if removed else content


def _packed_and_read(bundle: Bundle) -> bytes:
    """Return the file, read once as the other server will: it must not refuse what this one has written."""
    content = packed(bundle)
    try:
        unpacked(content)
    except Invalid as error:
        raise Invalid(NOT_PORTABLE.format(why=error.message)) from None
    return content
