"""Templates for new agents: a folder for each, with the files that a new agent gets."""

from __future__ import annotations

from functools import cache
from importlib import resources

import msgspec

from ...core.errors import Malformed, NotFound
from ...schedules.schedule_parser import parse_heartbeat
from ...schedules.words import in_words
from ..files import front_matter
from ..files.persona import DEFAULT_BUDGET, DEFAULT_HEARTBEAT
from ..files.safe_files import PERSONA

NAMES = ("orchestrator", "coding", "research", "ops", "project-manager")
FILES = ("persona.md", "SOUL.md", "HEARTBEAT.md")
GUIDE = "GUIDE.md"  # explains an agent's files; the same for all templates


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A template as people choose it."""

    name: str
    title: str
    emoji: str
    description: str
    heartbeat: str  # as in its persona
    schedule: str  # the heartbeat's schedule in words
    when_needed: bool  # its heartbeat calls no model if there is nothing to do
    budget: int  # heartbeats in a month


def templates() -> tuple[Template, ...]:
    """Return all templates, in the order in which they are offered."""
    return tuple(_described(name) for name in NAMES)


def files_of(name: str) -> dict[str, bytes]:
    """Return the files of a new agent, by name. Raises `NotFound` for an unknown template."""
    if name not in NAMES:
        raise NotFound(f"There is no template {name[:100]}. There are {', '.join(NAMES)}.", field="template")
    folder = resources.files(__package__)
    return {
        **{file: (folder / name / file).read_bytes() for file in FILES},
        GUIDE: (folder / GUIDE).read_bytes(),
    }


def is_from_template(file: str, content: bytes) -> bool:
    """Return whether the content of an agent's file equals that of a template.

    Only the body of a persona is compared, because a new agent gets other values for some fields.
    """
    return _without_fields(file, content) in _texts_of(file)


@cache
def _texts_of(file: str) -> frozenset[str]:
    """Return the contents that the templates have for a file."""
    found = (files_of(name) for name in NAMES)
    return frozenset(_without_fields(file, files[file]) for files in found if file in files)


def _without_fields(file: str, content: bytes) -> str:
    text = content.decode(errors="replace")
    if file != PERSONA:
        return text
    try:
        return front_matter.read(text, file=file).body.strip()
    except Malformed:
        return text


def _described(name: str) -> Template:
    fields = front_matter.read(files_of(name)["persona.md"].decode(), file=f"{name}/persona.md").fields
    heartbeat = fields.get("heartbeat", DEFAULT_HEARTBEAT)
    return Template(
        name=name,
        title=fields["name"],
        emoji=fields["emoji"],
        description=fields["role"],
        heartbeat=heartbeat,
        schedule=in_words(parse_heartbeat(heartbeat, default_zone="UTC")),
        when_needed=fields.get("heartbeat_mode") == "when_needed",
        budget=fields.get("budget", DEFAULT_BUDGET),
    )
