"""What people see of an exported agent before it is imported. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from ..agents.files import powers
from ..core.plain_text import hidden_characters, plain
from ..runtimes.port import Located, Missing
from ..schedules.words import in_words
from ..skills.library import Standing
from ..skills.outlines import outline_of
from .archive import AGENT, MEMORY, PLAYS, SKILLS, Bundle
from .arriving import Arrival
from .model import (
    ArrivingAgent,
    ArrivingPlay,
    ArrivingSkill,
    ArrivingText,
    ArrivingToolServer,
    SkillArrivalState,
    UserFileState,
)
from .uploads import Uploaded

LONGEST_SHOWN = 64 * 1024  # bytes of a file's text
MOST_SHOWN = 2 * 2**20  # bytes of all texts
OTHER_NAME = "The name {slug} is taken here, so the agent would be called {new}."
NO_RUNTIME = "Its runtime {name} cannot be used on this server. Choose another one after the import."
NO_SKILL = "It lists the skill {name}, which is neither in the file nor on this server."
OTHER_SKILL = "Another skill {name} is on this server. It stays as it is, and the agent would use that one."
NO_TOOL_SERVER = (
    "It lists the tool server {name}, which you do not have here. Commands and secrets never travel: add it."
)
OTHER_PLAY = "The name of its play {slug} is taken here, so the play would be called {new}."
OTHER_USER = "Another USER.md is on this server. It stays as it is."
MEMORY_COUNTS = (
    "Its memory becomes part of the agent's prompt, and the confirmation does not cover it. Read it before you import."
)
NOT_SHOWN = "Files that are not shown, or only their beginning: {count}. Unpack the file to read them completely."
HIDDEN = "Invisible characters in its texts: {count}. They are made visible in the texts that are shown."


class Here(msgspec.Struct, frozen=True, kw_only=True):
    """What this server has, as far as an exported agent asks for it.

    `runtime`: None if the agent names none. `user`: the text of USER.md; None: there is none. `schedule`: of the
    heartbeats, in words.
    """

    skills: Mapping[str, Standing]
    tool_servers: frozenset[str]
    runtime: Located | Missing | None
    user: bytes | None
    may_add_user: bool
    schedule: str


def view_of(arrival: Arrival, here: Here, read: Uploaded) -> ArrivingAgent:
    """Return what an agent would bring here. `read`: where it comes from."""
    bundle, persona = arrival.bundle, arrival.persona
    skills = tuple(_skills(arrival, here))
    tool_servers = tuple(
        ArrivingToolServer(name=name, known=name in here.tool_servers) for name in dict.fromkeys(persona.tool_servers)
    )
    user = _user_state(bundle, here)
    files = tuple(_texts(_all_files(arrival)))
    missing = _missing(here, persona.runtime, skills, tool_servers, user)
    return ArrivingAgent(
        slug=bundle.slug,
        new_slug=arrival.slug,
        name=persona.name,
        role=persona.role,
        emoji=persona.emoji,
        cabinet=plain(bundle.cabinet),
        runtime=persona.runtime,
        schedule=here.schedule,
        hash=read.hash,
        system=read.system,
        converted=read.rows,
        powers=tuple(powers.difference({}, powers.powers(persona, arrival.texts))),
        skills=skills,
        plays=tuple(_plays(arrival)),
        tool_servers=tool_servers,
        memory=sum(path.startswith(MEMORY) for path in bundle.agent),
        user=user,
        may_add_user=here.may_add_user,
        files=files,
        notes=(*_name_notes(arrival), *missing, *_reading_notes(arrival, files)),
    )


def skills_to_write(arrival: Arrival, here: Mapping[str, Standing]) -> frozenset[str]:
    """Return the names of the skills that would be added: those of which none is here."""
    return frozenset(name for name in arrival.bundle.skills if name not in here)


def _skills(arrival: Arrival, here: Here) -> Iterator[ArrivingSkill]:
    for name in dict.fromkeys((*arrival.persona.skills, *arrival.skills)):
        version, standing = arrival.bundle.skills.get(name), here.skills.get(name)
        if version is None:
            yield ArrivingSkill(name=name, state="here" if standing else "missing")
            continue
        outline = outline_of(name, version)
        state: SkillArrivalState = "new"
        if standing is not None:
            state = "same" if standing.outline.hash == outline.hash else "other"
        yield ArrivingSkill(
            name=name,
            state=state,
            description=arrival.skills[name].description,
            files=outline.files,
            has_scripts=outline.has_scripts,
        )


def _plays(arrival: Arrival) -> Iterator[ArrivingPlay]:
    for old, new in arrival.new_plays.items():
        play = arrival.plays[new].play
        assert play is not None, "it was checked"
        yield ArrivingPlay(
            slug=old,
            new_slug=new,
            title=play.shown,
            schedule=in_words(play.schedule) if play.schedule else "",
            triggers=play.triggers,
        )


def _user_state(bundle: Bundle, here: Here) -> UserFileState:
    if bundle.user is None:
        return "none"
    if here.user is None:
        return "new"
    return "same" if here.user == bundle.user else "other"


def _name_notes(arrival: Arrival) -> Iterator[str]:
    if arrival.slug != arrival.bundle.slug:
        yield OTHER_NAME.format(slug=arrival.bundle.slug, new=arrival.slug)
    for old, new in arrival.new_plays.items():
        if old != new:
            yield OTHER_PLAY.format(slug=old, new=new)


def _missing(
    here: Here,
    runtime: str | None,
    skills: tuple[ArrivingSkill, ...],
    tool_servers: tuple[ArrivingToolServer, ...],
    user: UserFileState,
) -> Iterator[str]:
    if isinstance(here.runtime, Missing):
        yield NO_RUNTIME.format(name=runtime)
    for skill in skills:
        if skill.state in ("missing", "other"):
            yield (NO_SKILL if skill.state == "missing" else OTHER_SKILL).format(name=skill.name)
    yield from (NO_TOOL_SERVER.format(name=each.name) for each in tool_servers if not each.known)
    if user == "other":
        yield OTHER_USER


def _all_files(arrival: Arrival) -> Iterator[tuple[str, bytes]]:
    """Yield all files by their path in the bundle: first those that everybody should read."""
    bundle = arrival.bundle
    agent = sorted(bundle.agent, key=lambda path: (path.startswith(MEMORY), path))
    yield from ((f"{AGENT}{path}", bundle.agent[path]) for path in agent if not path.startswith(MEMORY))
    yield from ((f"{PLAYS}{slug}.md", bundle.plays[slug]) for slug in sorted(bundle.plays))
    for name, version in sorted(bundle.skills.items()):
        yield from ((f"{SKILLS}{name}/{file.path}", file.content) for file in version.files)
    if bundle.user is not None:
        yield "USER.md", bundle.user
    yield from ((f"{AGENT}{path}", bundle.agent[path]) for path in agent if path.startswith(MEMORY))
    for path, texts in sorted(arrival.versions.items()):
        yield from ((f"earlier versions of {path}, {each.saved.date()}", each.content) for each in reversed(texts))


def _texts(files: Iterator[tuple[str, bytes]]) -> Iterator[ArrivingText]:
    left = MOST_SHOWN
    for path, content in files:
        most = min(LONGEST_SHOWN, left)
        text = _decoded(content[:most]) if most or not content else None
        left -= min(len(content), most)
        yield ArrivingText(
            path=plain(path),
            size=len(content),
            text=None if text is None else plain(text),
            cut=text is not None and len(content) > most,
        )


def _decoded(content: bytes) -> str | None:
    """Return a text that may be cut within a character; None if it is not text."""
    text = content.decode(errors="replace")
    return None if "\0" in text or "\ufffd" in text.rstrip("\ufffd") else text.rstrip("\ufffd")


def _reading_notes(arrival: Arrival, files: tuple[ArrivingText, ...]) -> Iterator[str]:
    if any(path.startswith(MEMORY) for path in arrival.bundle.agent):
        yield MEMORY_COUNTS
    if incomplete := sum(file.cut or file.text is None for file in files):
        yield NOT_SHOWN.format(count=incomplete)
    count = sum(hidden_characters(_decoded(content) or "") for _path, content in _all_files(arrival))
    if count:
        yield HIDDEN.format(count=count)
