"""An exported agent as it would be on this server: read and checked, with the names that are free here.

`service.py` shows it to people, and writes it. Nothing here depends on who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import msgspec

from ..agents.files import front_matter, persona_text
from ..agents.files.arrivals import ArrivingFile, Beside
from ..agents.files.file_versions import USER, EarlierText, version_files
from ..agents.files.persona import Persona
from ..agents.files.powers import POWERFUL_UNKNOWN, STEERING_TEXTS
from ..agents.files.safe_files import AGENTS, PERSONA, versions_of
from ..core.errors import Invalid, Malformed
from ..plays.play_files import LOCK, PlayFile, PlayFiles, file_of
from ..skills.outlines import skill_of
from ..skills.skill_folders import path_of
from ..skills.skill_text import Skill
from ..storage.filesystem.zip_archives import refused
from .archive import Bundle
from .play_names import adapted

LONGEST_SLUG = 64
SKILLS_LOCK = ".skills"  # no agent can have this name


class TakenNames(msgspec.Struct, frozen=True, kw_only=True):
    """Whether a slug is in use on this server: of an agent, and of a play.

    The slug of a play is also in use if an agent lists it, because such a play would belong to that agent too.
    """

    agent: Callable[[str], bool]
    play: Callable[[str], bool]


class Arrival(msgspec.Struct, frozen=True, kw_only=True):
    """What would be written. `agent`: files of its folder by path. `plays`: by their slugs here.

    `new_plays`: the slugs here by those of the bundle. `skills`: what they say about themselves, by name. `versions`:
    earlier texts of files of its folder, by path.
    """

    bundle: Bundle
    slug: str
    persona: Persona
    agent: Mapping[str, bytes]
    plays: Mapping[str, PlayFile]
    new_plays: Mapping[str, str]
    skills: Mapping[str, Skill]
    versions: Mapping[str, tuple[EarlierText, ...]] = {}

    @property
    def texts(self) -> dict[str, str]:
        """The steering texts, by name."""
        return {name: self.agent[name].decode(errors="replace") for name in STEERING_TEXTS if name in self.agent}

    def beside(self, *, skills: Container[str], user: bool) -> tuple[Beside, ...]:
        """Return what belongs outside the agent's folder.

        `skills`: the names of those that are written. `user`: whether USER.md is written.
        """
        plays = [
            Beside(target=file_of(slug), files=_one(play.text.encode()), lock=LOCK) for slug, play in self.plays.items()
        ]
        folders = [
            Beside(
                target=path_of(name),
                files={
                    each.path: ArrivingFile(content=each.content, executable=each.executable) for each in version.files
                },
                lock=SKILLS_LOCK,
            )
            for name, version in self.bundle.skills.items()
            if name in skills
        ]
        about = self.bundle.user if user else None
        people = [Beside(target=f"{AGENTS}/{USER}", files=_one(about), lock=USER)] if about is not None else []
        earlier = [
            Beside(
                target=f"{AGENTS}/{versions_of(self.slug)}/{path}",
                files={name: ArrivingFile(content=each) for name, each in version_files(texts).items()},
            )
            for path, texts in self.versions.items()
        ]
        return (*plays, *folders, *people, *earlier)


def arrival(
    bundle: Bundle,
    *,
    wanted: str,
    taken: TakenNames,
    files: PlayFiles,
    versions: Mapping[str, tuple[EarlierText, ...]] | None = None,
) -> Arrival:
    """Return how an exported agent would arrive here. Nothing is written.

    `wanted`: its slug here, which is not checked; empty: the one of the bundle, or another if it is taken. `files`:
    parses plays. `versions`: as in `Arrival`. Raises `Invalid` for a persona, a play or a skill that cannot be read
    here, and for a persona that says which programs to start.
    """
    slug = wanted or free_name(bundle.slug, taken.agent)
    new_plays: dict[str, str] = {}
    for old in sorted(bundle.plays):
        own = (*(each for each in bundle.plays if each != old), *new_plays.values())
        new_plays[old] = free_name(old, lambda name, own=own: name in own or taken.play(name))  # type: ignore[misc]
    persona, text = _persona(bundle, slug, new_plays)
    plays = (_play(bundle, old, slug, new_plays, files) for old in sorted(bundle.plays))
    return Arrival(
        bundle=bundle,
        slug=slug,
        persona=persona,
        agent={**bundle.agent, PERSONA: text},
        plays={play.slug: play for play in plays},
        new_plays=new_plays,
        skills={name: _skill(name, bundle) for name in sorted(bundle.skills)},
        versions=versions or {},
    )


def free_name(name: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name, or the first one with a number from 2 at its end that is not taken, such as `ada-2`.

    A longer name is cut so that the result has at most 64 characters.
    """
    number, found = 1, name
    while is_taken(found):
        number += 1
        found = f"{name[: LONGEST_SLUG - len(str(number)) - 1]}-{number}"
    return found


def _persona(bundle: Bundle, slug: str, new_plays: Mapping[str, str]) -> tuple[Persona, bytes]:
    file, content = persona_text.persona_file(slug), bundle.agent[PERSONA]
    try:
        text = front_matter.decoded(content, file=file)
        fields = front_matter.read(text, file=file).fields
        if commands := [name for name in POWERFUL_UNKNOWN if name in fields]:
            raise refused(f"the agent says which programs to start ({commands[0]}), which never travels")
        persona = persona_text.require_valid(slug, text)
        plays = [new_plays.get(play, play) for play in persona.plays]
        if plays == list(persona.plays):
            return persona, content
        text = persona_text.with_fields(slug, content, {"plays": plays})
        return persona_text.require_valid(slug, text), text.encode()
    except Malformed as error:
        raise Invalid(error.message, field="archive") from None


def _play(bundle: Bundle, old: str, agent: str, new_plays: Mapping[str, str], files: PlayFiles) -> PlayFile:
    slug, content = new_plays[old], bundle.plays[old]
    found = files.parsed(slug, content)
    if found.play is None:
        raise refused(f"its play {old} has an error: {' '.join(error.message for error in found.errors)[:500]}")
    changes = adapted(found.play, found.fields, agent=agent, before=bundle.slug, plays=new_plays)
    return files.parsed(slug, files.with_fields(slug, content, changes).encode()) if changes else found


def _skill(name: str, bundle: Bundle) -> Skill:
    try:
        return skill_of(name, bundle.skills[name])
    except Malformed as error:
        raise refused(f"its skill {name} has an error: {error.message.rstrip('.')}") from None


def _one(content: bytes) -> dict[str, ArrivingFile]:
    return {"": ArrivingFile(content=content)}
