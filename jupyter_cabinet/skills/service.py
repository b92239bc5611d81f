"""Skills for people: list, read, add, change, approve, reject, remove. The interface of the room."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime

from ..agents.roster.roster import Roster
from ..agents.skill_desk import WrittenSkill
from ..core.clock import Clock
from ..core.errors import Conflict, Invalid, Malformed, NotAllowed, Refused
from ..core.events import EventBus, Scope
from ..core.paths import check
from ..core.people import Principal
from ..core.plain_text import one_line, plain
from ..trust.service import Trust
from . import skill_text
from .archives import read_archive
from .library import APPROVED, REJECTED, Library, Standing
from .model import NewSkill, SkillDecision, SkillDetail, SkillsChanged, SkillText, SkillView, WaitingSkill
from .outlines import skill_of
from .skill_folders import path_of
from .skill_text import MAIN_FILE
from .skill_versions import SkillFile, SkillVersion, compared, hidden_in, unseen_in, version_of

OTHER_FIELDS = "Give a description with instructions, or a folder, or an archive."
CHANGED = "The skill has changed since you read it. Look at its files again, then decide."
LONGEST_NAME = 80  # characters of a person's name
MOST_PENDING = 50  # beyond that, agents add none
FULL = f"{MOST_PENDING} skills wait for a person already. Try again when some of them were approved or removed."
ONLY_PEOPLE = "Only a person can decide about a skill, in the browser. Open Skills and Tools in JupyterLab."
NOT_SHOWN = "These files are not shown whole: {files}. Look at them in another editor, and accept each of them."
AFTER_OUTSIDE = ", which had read text from outside"
IGNORED = "SKILL.md has fields that have no effect here ({fields}), because a skill cannot give an agent rights."


class Skills:
    """The skills of a root folder. They belong to nobody: whoever may change agents may change them."""

    def __init__(self, *, library: Library, trust: Trust, roster: Roster, bus: EventBus, clock: Clock) -> None:
        self._library = library
        self._trust = trust
        self._roster = roster
        self._bus = bus
        self._clock = clock

    async def find(self, principal: Principal) -> list[SkillView]:
        """Return all skills, by name, also those that cannot be read."""
        agents, approvers = await self._agents(principal), await self._trust.confirmers(APPROVED)
        standings = await self._library.find()
        return [await asyncio.to_thread(self._view, each, agents, approvers) for each in standings]

    async def waiting(self) -> list[WaitingSkill]:
        """Return the skills that wait for a person to approve or reject them as they are, by name.

        Those that a person has rejected, or that cannot be read, do not wait.
        """
        standings = [each for each in await self._library.find() if each.state in ("pending", "changed")]
        return await asyncio.to_thread(lambda: [self._waiting(each) for each in standings])

    async def problems(self) -> tuple[str, ...]:
        """Return a sentence for each folder beside the skills that is not one."""
        return await asyncio.to_thread(self._library.folders.problems)

    async def get(self, name: str, principal: Principal) -> SkillDetail:
        """Return one skill with all its files beside the approved version. Raises `NotFound`.

        If it cannot be read, its state is `invalid`, and `problems` says why.
        """
        return await self._detail(*await self._library.get(name), principal)

    async def add(self, new: NewSkill, principal: Principal) -> SkillDetail:
        """Add a skill that a person has written, copied from a folder, or uploaded, and announce it.

        A text that was written in the browser is approved at once, because its author has seen all of it. Every other
        skill waits for a person. Raises `Invalid` unless exactly one source is given, and if its SKILL.md does not
        exist or is not valid; `Conflict` if there is a skill of this name; `OutsideRoot` for a folder outside the root
        or a link below `.playbooks/`; `Malformed` for a folder that does not exist, contains links or exceeds the
        limits; `NoRoom` or `Unavailable` if the disk cannot be written.
        """
        given = [bool(new.description or new.instructions), bool(new.folder), bool(new.archive)]
        if sum(given) != 1 or (new.name and not given[0]):
            raise Invalid(OTHER_FIELDS, field="description")
        if new.folder:
            path = "/".join(check(new.folder, field="folder"))
            version, source = await asyncio.to_thread(self._library.folders.read_elsewhere, path), f"from {path}"
        elif new.archive:
            version, source = await asyncio.to_thread(read_archive, new.archive), "from an uploaded archive"
        else:
            content = skill_text.written(new.name, new.description, new.instructions)
            version, source = _only(content), f"written by {one_line(principal.display_name, most=LONGEST_NAME)}"
        name = _name_in(version, new)
        await asyncio.to_thread(self._library.folders.write, name, version, source=source)
        if given[0] and principal.in_browser:
            await self._trust.confirm_version(f"{APPROVED}/{name}", version.hash, version.packed(), principal)
        return await self._changed(name, principal)

    async def save(self, name: str, text: SkillText, principal: Principal) -> SkillDetail:
        """Replace SKILL.md and announce it. In the browser that approves the skill again, if it was approved before.

        Otherwise it has to be approved again. Raises `NotFound`; `Conflict` if a file of it has changed since
        `text.hash`; `Malformed` if the new text is not valid or changes the name; `OutsideRoot`, `NoRoom` or
        `Unavailable` if it cannot be written.
        """
        before, files = await self._library.get(name)
        _require_seen(before, text.hash)
        content = text.text.encode(errors="replace")
        approved = await self._library.approved_version(name)
        was_approved = approved is not None and approved.hash == before.outline.hash  # whatever counts as approved here
        others = {file.path: file for file in files.files if file.path != MAIN_FILE}
        version = version_of({**others, MAIN_FILE: SkillFile(MAIN_FILE, False, content)})
        skill_of(name, version)
        await asyncio.to_thread(self._library.folders.replace_main_file, name, content)
        if was_approved and principal.in_browser:
            await self._trust.confirm_version(f"{APPROVED}/{name}", version.hash, version.packed(), principal)
        return await self._changed(name, principal)

    async def decide(self, name: str, decision: SkillDecision, principal: Principal) -> SkillDetail:
        """Approve or reject exactly the files that the person has seen, and announce it.

        A new decision replaces the old one. Raises `NotFound`; `Conflict` if a file of it has changed since
        `decision.hash`; `Invalid` for a skill that cannot be read, and for an approval that does not list in `unseen`
        each file that is not shown whole; `NotAllowed` outside the browser.
        """
        standing, version = await self._library.get(name)
        _require_seen(standing, decision.hash)
        if standing.outline.skill is None:
            raise Invalid(f"This skill cannot be approved. {standing.outline.problem}", field="decision")
        if decision.decision == "approve":
            _require_accepted(await asyncio.to_thread(unseen_in, version), decision.unseen)
        wanted, other = (APPROVED, REJECTED) if decision.decision == "approve" else (REJECTED, APPROVED)
        content = version.packed() if wanted == APPROVED else b""
        if not principal.in_browser:
            raise NotAllowed(ONLY_PEOPLE)
        await self._trust.forget(f"{other}/{name}")  # first: if this is interrupted, nobody gets the skill
        await self._trust.confirm_version(f"{wanted}/{name}", version.hash, content, principal)
        return await self._changed(name, principal)

    async def remove(self, name: str, principal: Principal) -> str:
        """Move a skill to the trash below `.playbooks/`, and forget the decision about it. Return its name there.

        Agents that list the skill are not changed. Raises `NotFound`; `OutsideRoot`, `NoRoom` or `Unavailable` if it
        cannot be moved.
        """
        kept_as = await asyncio.to_thread(self._library.folders.remove, name)
        await self._library.forget(name)
        self.announce(name)
        return kept_as

    async def keep(self, written: WrittenSkill) -> str:
        """Add a skill that an agent has written. It does nothing until a person has approved it.

        Returns a sentence for the agent. Raises `Invalid` for a name or text that is not valid, `Refused` if 50 skills
        wait already, `Conflict` if there is a skill of this name, and `OutsideRoot`, `NoRoom` or `Unavailable` if it
        cannot be written.
        """
        version = _only(skill_text.written(written.name, written.description, written.instructions))
        if sum(each.state == "pending" for each in await self._library.find()) >= MOST_PENDING:
            raise Refused(FULL)
        source = f"written by the agent {written.agent}{AFTER_OUTSIDE if written.tainted else ''}"
        await asyncio.to_thread(self._library.folders.write, written.name, version, source=source)
        self.announce(written.name)
        return f"The skill {written.name} was stored. Agents can use it once a person has approved it."

    async def _changed(self, name: str, principal: Principal) -> SkillDetail:
        self.announce(name)
        return await self.get(name, principal)

    def announce(self, name: str) -> None:
        """Announce that a skill was added, changed or removed, to everybody on this server."""
        self._bus.publish(SkillsChanged(skill=name, at=self._clock.now()), Scope(owner="", visibility="server"))

    async def _agents(self, principal: Principal) -> Mapping[str, tuple[str, ...]]:
        """Return the agents that list each skill, of those that the person may see."""
        found: dict[str, tuple[str, ...]] = {}
        for entry in await self._roster.find(principal):
            for skill in dict.fromkeys(entry.files.persona.skills if entry.files.persona else ()):
                found[skill] = (*found.get(skill, ()), entry.slug)
        return found

    async def _detail(self, standing: Standing, version: SkillVersion, principal: Principal) -> SkillDetail:
        agents, approvers = await self._agents(principal), await self._trust.confirmers(APPROVED)
        view = await asyncio.to_thread(self._view, standing, agents, approvers)
        approved = await self._library.approved_version(standing.name)
        return SkillDetail(
            **{field: getattr(view, field) for field in SkillView.__struct_fields__},
            file=f"{path_of(standing.name)}/{MAIN_FILE}",
            contents=await asyncio.to_thread(lambda: tuple(compared(version, approved))),
            unseen=tuple(map(plain, await asyncio.to_thread(unseen_in, version))),
            hidden_characters=await asyncio.to_thread(hidden_in, version),
        )

    def _view(
        self, standing: Standing, agents: Mapping[str, tuple[str, ...]], approvers: Mapping[str, str]
    ) -> SkillView:
        outline, skill = standing.outline, standing.outline.skill
        problems = [outline.problem] if outline.problem else []
        if skill is not None and skill.ignored:
            problems.append(IGNORED.format(fields=", ".join(skill.ignored)))
        return SkillView(
            name=standing.name,
            description=skill.description if skill else "",
            state=standing.state,
            hash=outline.hash,
            files=outline.files,
            size=outline.size,
            has_scripts=outline.has_scripts,
            agents=agents.get(standing.name, ()),
            source=self._library.folders.source_of(standing.name),
            approved_by=approvers.get(standing.name, ""),
            problems=tuple(problems),
        )

    def _waiting(self, standing: Standing) -> WaitingSkill:
        return WaitingSkill(
            name=standing.name,
            source=self._library.folders.source_of(standing.name),
            changed=standing.state == "changed",
            since=datetime.fromtimestamp(standing.outline.modified_ns / 1e9, UTC),
        )


def _only(content: bytes) -> SkillVersion:
    return version_of({MAIN_FILE: SkillFile(MAIN_FILE, False, content)})


def _name_in(version: SkillVersion, new: NewSkill) -> str:
    """Return the name in SKILL.md. Raises `Invalid` with the field of the request."""
    field = "folder" if new.folder else "archive" if new.archive else "name"
    content = version.content(MAIN_FILE)
    if content is None:
        raise Invalid(f"There is no {MAIN_FILE} in this folder.", field=field)
    try:
        return skill_text.read(content, file=MAIN_FILE).name
    except Malformed as error:
        raise Invalid(error.message, field=field) from None


def _require_accepted(unseen: tuple[str, ...], accepted: tuple[str, ...]) -> None:
    """Raise `Invalid` unless the person has accepted each file that could not be shown to them."""
    missing = [path for path in unseen if plain(path) not in accepted]
    if missing:
        raise Invalid(NOT_SHOWN.format(files=", ".join(map(plain, missing))), field="unseen")


def _require_seen(standing: Standing, digest: str) -> None:
    if standing.outline.hash != digest:
        raise Conflict(CHANGED, hash=standing.outline.hash)
