"""Agents to start from: a folder for each, with the files that a new agent gets. Called by `folders.py` and the API."""

from __future__ import annotations

from importlib import resources

import msgspec

from ...core.errors import NotFound
from ...schedules.schedule_parser import parse_heartbeat
from ...schedules.words import in_words
from .. import front_matter
from ..persona import DEFAULT_BUDGET, DEFAULT_HEARTBEAT

NAMES = ("orchestrator", "coding", "research", "ops", "project-manager")
FILES = ("persona.md", "SOUL.md", "HEARTBEAT.md")
GUIDE = "GUIDE.md"  # what belongs where: the same for all


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A template as people choose it."""

    name: str
    title: str
    emoji: str
    description: str
    heartbeat: str  # as its persona has it
    schedule: str  # the same in words
    when_needed: bool  # its heartbeat calls no model where there is nothing to do
    budget: int  # heartbeats in a month


def templates() -> tuple[Template, ...]:
    """All of them, in the order in which they are offered."""
    return tuple(_described(name) for name in NAMES)


def files_of(name: str) -> dict[str, bytes]:
    """The files of a new agent, by name. Raises `NotFound` for what is no template."""
    if name not in NAMES:
        raise NotFound(f"There is no template {name[:100]}. There are {', '.join(NAMES)}.", field="template")
    folder = resources.files(__package__)
    return {
        **{file: (folder / name / file).read_bytes() for file in FILES},
        GUIDE: (folder / GUIDE).read_bytes(),
    }


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
