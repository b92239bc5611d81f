"""Converts the configuration folder of a gateway for chats into an agent. Pure.

Its `CLAUDE.md` has identity, personality, facts about the person and notes about tools; `agents.md` has rules, cron
jobs and hooks. Some gateways keep these parts in separate files.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from ...agents.files import front_matter
from ...agents.files.agent_reader import MAX_TEXT_BYTES
from ...agents.prompts.checks import shortest_interval
from ...agents.prompts.gathering import MAX_SHARED_BYTES
from ...core.errors import CabinetError
from ...core.plain_text import one_line
from ...plays import play
from ...plays.play_files import MAX_PLAY_BYTES
from ..archive import MOST_PLAYS
from . import sections
from .conversion import IF_ADDED, MAX_BODY_PART_BYTES, Conversion, Converted, slug_of
from .source import USER, Source

FOLDER = "config/"
MARKS = frozenset({"claude.md", "agents.md", "user.md", "sessions.json"})  # an orchestrator's agent has none of them
PARTS = frozenset({"soul.md", "tools.md", "heartbeat.md", "memory.md", "identity.md"})
INSTRUCTIONS = "instructions in persona.md"
SOUL, TOOLS = ("soul", "personality"), ("tool configuration", "tools")
ABOUT_PEOPLE, IDENTITY = ("user context", "user"), ("identity",)
CRON_JOBS, HOOKS = ("cron jobs", "cron"), ("hooks",)

OUTSIDE = "Only the folder config/ is imported."
NO_HOOKS = "Hooks have no equivalent here."
NO_JOB = "No line Cron: and no line Instruction: were found in it."
NOT_SCHEDULED = "Its schedule cannot be used here, so it starts only when a person starts it: {why}"
SCHEDULED = "With its schedule, in the time zone of the agent. It starts nothing before you have confirmed it."
WAKES = "The agent wakes as often as the shortest interval in it."
NO_INTERVAL = "No interval was found in it, so the agent has no schedule."

_FACT = re.compile(r"[ \t]*[-*][ \t]+\**(name|emoji|role)\**[ \t]*:\**[ \t]*(.+)", re.IGNORECASE)
_CRON = re.compile(r"(?:[-*][ \t]+)?\**cron:?\**:?[ \t]*(.+)", re.IGNORECASE)
_INSTRUCTION = re.compile(r"(?:[-*][ \t]+)?\**instruction:?\**:?[ \t]*(.*)", re.IGNORECASE)


def is_gateway(names: frozenset[str]) -> bool:
    """Return whether a folder with these names, in lowercase, is the configuration of a gateway."""
    return not MARKS.isdisjoint(names) and not (PARTS | {"claude.md", "agents.md"}).isdisjoint(names)


def converted(source: Source) -> Converted:
    """Return the agent of a gateway. Raises `Invalid` if nothing of it can be used.

    If there is a folder `config/`, only that is converted.
    """
    inside = any(path.startswith(FOLDER) for path in source.files)
    made = _Gateway(Conversion(_inner(source), FOLDER) if inside else Conversion(source))
    if inside:
        for top in sorted({_top(path) for path in (*source.files, *source.unread)} - {FOLDER}):
            made.conversion.outside(top, OUTSIDE)
    return made.converted()


def _inner(source: Source) -> Source:
    """Return what is in the configuration folder."""
    files = {path.removeprefix(FOLDER): file for path, file in source.files.items() if path.startswith(FOLDER)}
    unread = {path.removeprefix(FOLDER): why for path, why in source.unread.items() if path.startswith(FOLDER)}
    return msgspec.structs.replace(source, files=files, unread=unread)


def _top(path: str) -> str:
    first, slash, _rest = path.partition("/")
    return f"{first}{slash}"


class _Gateway:
    """One conversion."""

    def __init__(self, conversion: Conversion) -> None:
        self.conversion = conversion
        self._body: list[str] = []
        self._facts: dict[str, str] = {}
        self._jobs: list[sections.Section] = []

    def converted(self) -> Converted:
        for name in ("SOUL.md", "TOOLS.md", "HEARTBEAT.md"):
            self.conversion.steering(name)
        self.conversion.about_people(self.conversion.find(USER))
        self._identity()
        self._main_text()
        self._rules()
        self.conversion.memory()
        for folder in self.conversion.skills_in():
            self.conversion.skill(folder)
        named = self.conversion.source.name
        name = self._facts.get("name") or ("" if named.lower() in ("", "config") else named)
        slug = slug_of(name, "gateway")
        self._plays(slug)
        fields = {"name": one_line(name, most=200) or slug, **self._known(), **self._schedule()}
        if self.conversion.skills:
            fields["skills"] = sorted(self.conversion.skills)
        return self.conversion.finished("gateway", slug, fields, "\n\n".join(self._body))

    def _known(self) -> dict[str, str]:
        limits = {"emoji": 32, "role": 2000}
        return {name: one_line(self._facts[name], most=most) for name, most in limits.items() if self._facts.get(name)}

    def _identity(self) -> None:
        path = self.conversion.find("IDENTITY.md")
        text = self.conversion.text(path, MAX_BODY_PART_BYTES)
        if path is not None and text is not None:
            self._note_facts(text)
            self._body.append(text.strip())
            self.conversion.becomes(path, INSTRUCTIONS)

    def _main_text(self) -> None:
        path = self.conversion.find("CLAUDE.md")
        text = self.conversion.text(path, MAX_TEXT_BYTES)
        if path is None or text is None:
            return
        kept = []
        for section in sections.split(text, 1):
            title = section.title.casefold()
            if title in IDENTITY:
                self._note_facts(section.body)
            if not self._is_part(path, title, section):
                kept.append(section.whole.strip())
        if kept:
            self._body.append("\n\n".join(kept))
            self.conversion.becomes(path, INSTRUCTIONS)
        else:
            self.conversion.taken(path)

    def _is_part(self, path: str, title: str, section: sections.Section) -> bool:
        """Take a section of `CLAUDE.md` that is a separate file here, unless there is such a file already."""
        part = f"{path}, section {one_line(section.title, most=80)}"
        agent = self.conversion.agent
        for target, titles in (("SOUL.md", SOUL), ("TOOLS.md", TOOLS)):
            if title in titles and section.body and target not in agent:
                agent[target] = f"{section.whole.strip()}\n".encode()
                self.conversion.becomes(part, target)
                return True
        content = f"{section.whole.strip()}\n".encode()
        if title in ABOUT_PEOPLE and section.body and self.conversion.user is None and len(content) <= MAX_SHARED_BYTES:
            self.conversion.user = content
            self.conversion.becomes(part, USER, IF_ADDED)
            return True
        return False

    def _note_facts(self, text: str) -> None:
        for line in text.splitlines()[:100]:
            if (found := _FACT.fullmatch(line.rstrip())) is not None:
                self._facts.setdefault(found[1].lower(), found[2].strip(" *"))

    def _rules(self) -> None:
        path = self.conversion.find("agents.md")
        text = self.conversion.text(path, MAX_BODY_PART_BYTES)
        if path is None or text is None:
            return
        kept = []
        for section in sections.split(text, 2):
            title = section.title.casefold()
            if title in CRON_JOBS:
                self._jobs += [each for each in sections.split(section.body, 3) if each.title]
            elif title in HOOKS:
                self.conversion.leaves(f"{path}, section {one_line(section.title, most=80)}", NO_HOOKS)
            else:
                kept.append(section.whole.strip())
        if kept:
            self._body.append("\n\n".join(kept))
            self.conversion.becomes(path, INSTRUCTIONS)
        else:
            self.conversion.taken(path)

    def _plays(self, agent: str) -> None:
        for job in self._jobs:
            part = f"agents.md, cron job {one_line(job.title, most=80)}"
            cron, instruction = _cron_job(job.body)
            slug = slug_of(job.title, "job")
            if not instruction:
                self.conversion.leaves(part, NO_JOB)
            elif slug in self.conversion.plays:
                self.conversion.leaves(part, "Another cron job has the same name.")
            elif len(self.conversion.plays) == MOST_PLAYS:
                self.conversion.leaves(part, f"More than {MOST_PLAYS} plays cannot come along.")
            else:
                self._play(part, slug, {"agent": agent, "title": one_line(job.title, most=200)}, cron, instruction)

    def _play(self, part: str, slug: str, fields: Mapping[str, Any], cron: str, instruction: str) -> None:
        wanted = {**fields, "schedule": {"type": "cron", "cron": one_line(cron, most=100)}}
        checked = play.validate(wanted, instruction, slug=slug, file=part, zone="UTC")
        note = SCHEDULED
        if checked.left_out or not cron:
            note = NOT_SCHEDULED.format(why=checked.left_out[0].message if cron else "no line Cron: was found.")
            wanted = dict(fields)
        try:
            content = f"{front_matter.changed('', wanted, file=part)}{instruction}\n".encode()
        except (CabinetError, UnicodeError) as error:
            self.conversion.leaves(part, str(error))
            return
        if len(content) > MAX_PLAY_BYTES:
            self.conversion.leaves(part, f"It is larger than {MAX_PLAY_BYTES // 1024} KiB.")
            return
        self.conversion.plays[slug] = content
        self.conversion.becomes(part, f"play {slug}", one_line(note, most=300))

    def _schedule(self) -> dict[str, Any]:
        content = self.conversion.agent.get("HEARTBEAT.md")
        shortest = shortest_interval(content.decode()) if content is not None else None
        if shortest is None:
            if content is not None:
                self.conversion.explain("HEARTBEAT.md", NO_INTERVAL)
            return {"heartbeat_enabled": False}
        self.conversion.explain("HEARTBEAT.md", WAKES)
        minutes = max(1, int(shortest.total_seconds()) // 60)
        return {"heartbeat": f"every {minutes // 60}h" if minutes % 60 == 0 else f"every {minutes}m"}


def _cron_job(text: str) -> tuple[str, str]:
    """Return the cron expression and the instruction of a job; each empty if it is not there."""
    cron, instruction = "", list[str]()
    for line in text.splitlines():
        if instruction:
            instruction.append(line)
        elif (begun := _INSTRUCTION.fullmatch(line.strip())) is not None:
            instruction.append(begun[1])
        elif (found := _CRON.fullmatch(line.strip())) is not None:
            cron = found[1].strip(" `\"'")
    return cron, "\n".join(instruction).strip()
