"""Agents that travel: export one, look at one that arrives, import it. The interface of the room.

An import never overwrites anything, and appears completely or not at all, also if the server dies. Whoever may create
agents may import them. Nothing that comes along is confirmed or approved: a person does that afterwards, as with
everything that was made by hand.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from typing import NamedTuple

from ..agents.files.file_versions import USER
from ..agents.files.shared_file import SharedFile
from ..agents.model import AgentDetail
from ..agents.roster.timing import read_timing
from ..agents.service import Agents
from ..core.errors import CabinetError, Conflict, Invalid, NotAllowed, NotFound
from ..core.people import OWNER, Principal, owns
from ..core.plain_text import one_line
from ..core.work_places import WorkPlaces
from ..plays.playbook import Playbook
from ..plays.service import Plays
from ..runtimes.port import Located, Missing
from ..runtimes.registry import Runtimes
from ..schedules.words import in_words
from ..skills.library import Library, Standing
from ..skills.service import Skills
from ..tool_servers.service import ToolServers
from .archive import Bundle
from .arriving import Arrival, TakenNames, arrival
from .exporting import Exporter
from .model import ArrivingAgent, ExportChoice, ImportAgent, UploadedAgent
from .uploads import Uploaded, read_upload
from .views import Here, skills_to_write, view_of

SOURCE = "with the agent {slug}, imported by {by}"
LONGEST_NAME = 80  # characters of a person's name
ADMINISTRATORS = f"Every agent receives {USER}: only an administrator of this server may add it. Import without it."
CHANGED = "It has changed since you looked at it. Look at it again, then import it."
USER_HERE = f"There is a {USER} on this server already. Import without it."

log = logging.getLogger(__name__)


class BundleServices(NamedTuple):
    """The services of other rooms that take part in an import."""

    agents: Agents
    playbook: Playbook
    plays: Plays
    library: Library
    skills: Skills
    tool_servers: ToolServers
    runtimes: Runtimes


class Bundles:
    """Exports and imports the agents of a root."""

    def __init__(self, *, root: Path, exporter: Exporter, services: BundleServices, user_file: SharedFile) -> None:
        self._exporter = exporter
        self._user_file = user_file
        self._agents, self._playbook, self._plays = services.agents, services.playbook, services.plays
        self._library, self._skills = services.library, services.skills
        self._tool_servers, self._runtimes = services.tool_servers, services.runtimes
        self._root = root
        self._one_at_a_time = WorkPlaces(1)  # a small file can take much memory and time

    async def export(self, slug: str, choice: ExportChoice, principal: Principal) -> bytes:
        """Return the content of the file of an exported agent.

        Raises `NotFound`; `NotAllowed` unless the caller is the agent's owner or an administrator; and as
        `Exporter.export`.
        """
        return await self._exporter.export(await self._agents.owned(slug, principal), choice, principal)

    async def look(self, uploaded: UploadedAgent, principal: Principal) -> ArrivingAgent:
        """Return what an agent would bring. Writes nothing. One look or import runs at a time; others wait.

        Raises `Invalid` with the reason, and `OutsideRoot` for a folder outside the root or one of this server's
        agents.
        """
        return await self._one_at_a_time.run(lambda: self._look(uploaded, principal))

    async def bring(self, new: ImportAgent, principal: Principal) -> AgentDetail:
        """Import an agent; the caller owns it, and it needs confirmation.

        One look or import runs at a time; others wait. Its plays and new skills need confirmation too. Skills that this
        server has already are not replaced. Raises `Invalid` with the reason; `OutsideRoot` as `look`; `Conflict` if
        its name is taken or it has changed since the caller has looked at it; `NotAllowed` for USER.md unless the
        caller is an administrator; `NoRoom` or `Unavailable` if it cannot be written.
        """
        return await self._one_at_a_time.run(lambda: self._bring(new, principal))

    # --- inside ------------------------------------------------------------------------------

    async def _look(self, uploaded: UploadedAgent, principal: Principal) -> ArrivingAgent:
        read = await self._read(uploaded)
        arriving = await self._arrival(read, "")
        here = await self._here(arriving, principal)
        return await asyncio.to_thread(view_of, arriving, here, read)

    async def _bring(self, new: ImportAgent, principal: Principal) -> AgentDetail:
        read = await self._read(new)
        if new.hash and new.hash != read.hash:
            raise Conflict(CHANGED, hash=read.hash)
        arriving = await self._arrival(read, new.slug)
        await asyncio.to_thread(self._agents.roster.folders.require_free, arriving.slug)
        if new.user:
            await self._require_new_user_file(arriving.bundle, principal)
        names = skills_to_write(arriving, await self._skills_here())
        for name in names:
            await self._library.forget(name)
        for slug in arriving.plays:
            await self._plays.forget(slug)
        visibility = new.visibility or ("server" if principal.shared_token else "private")
        beside = arriving.beside(skills=names, user=new.user)
        agent = await self._agents.bring(arriving.slug, arriving.agent, beside, principal, visibility)
        await self._announce(arriving.slug, sorted(names), principal)
        return agent

    async def _read(self, given: UploadedAgent | ImportAgent) -> Uploaded:
        return await asyncio.to_thread(
            read_upload, self._root, archive=given.archive, folder=given.folder, agent=given.agent
        )

    async def _arrival(self, read: Uploaded, wanted: str) -> Arrival:
        folders, files = self._agents.roster.folders, self._playbook.files
        entries = await self._agents.roster.find()
        listed = {play for entry in entries if entry.files.persona for play in entry.files.persona.plays}
        taken = TakenNames(agent=folders.is_taken, play=lambda slug: slug in listed or files.exists(slug))
        return await asyncio.to_thread(
            arrival, read.bundle, wanted=wanted, taken=taken, files=files, versions=read.versions
        )

    async def _here(self, arriving: Arrival, principal: Principal) -> Here:
        persona = arriving.persona
        servers, _problems = await self._tool_servers.find(principal)
        timing = read_timing(persona, default_zone=self._agents.roster.settings.time_zone)
        is_scheduled = persona.heartbeat_enabled and timing.schedule is not None
        return Here(
            skills=await self._skills_here(),
            tool_servers=frozenset(each.name for each in servers),
            runtime=await asyncio.to_thread(self._located, persona.runtime),
            user=await asyncio.to_thread(self._user_text),
            may_add_user=owns(principal, OWNER),
            schedule=in_words(timing.schedule) if is_scheduled and timing.schedule else "",
        )

    async def _skills_here(self) -> dict[str, Standing]:
        return {each.name: each for each in await self._library.find()}

    def _located(self, runtime: str | None) -> Located | Missing | None:
        try:
            return None if runtime is None else self._runtimes.locate(runtime)
        except CabinetError as error:
            return Missing(reason=error.message)

    def _user_text(self) -> bytes | None:
        try:
            return self._user_file.read().content
        except NotFound:
            return None
        except CabinetError:
            return b""  # there is one that cannot be read

    async def _require_new_user_file(self, bundle: Bundle, principal: Principal) -> None:
        if bundle.user is None:
            raise Invalid(f"There is no {USER} in this file.", field="user")
        if not owns(principal, OWNER):
            raise NotAllowed(ADMINISTRATORS)
        if await asyncio.to_thread(self._user_text) is not None:
            raise Invalid(USER_HERE, field="user")

    async def _announce(self, slug: str, skills: list[str], principal: Principal) -> None:
        source = SOURCE.format(slug=slug, by=one_line(principal.display_name, most=LONGEST_NAME))
        for name in skills:
            try:
                await asyncio.to_thread(self._library.folders.note_source, name, source)
            except (OSError, CabinetError):  # it only informs people, and the agent is here already
                log.warning("The source of the skill %s could not be noted.", name)
            self._skills.announce(name)
        await self._plays.follow()
