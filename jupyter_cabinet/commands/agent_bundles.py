"""`jupyter cabinet agents export | import`: agents that travel to another server, or come from another system.

What arrives was written by strangers, so that its texts are printed as `core/plain_text.py` shows them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ..agents.model import AgentDetail
from ..bundles.model import ArrivingAgent, ArrivingSystem, ArrivingText, SkillArrivalState
from ..client.agent_archives import AgentArchive, archive_of
from ..client.api import Api, converted
from ..core.errors import Invalid
from ..core.plain_text import one_line, plain, table
from .agents import HOW_TO_CONFIRM, TEXT_CHARACTERS
from .downloads import written
from .printing import Printed
from .problems import CommandFailed

SKILLS: dict[SkillArrivalState, str] = {
    "new": "comes along, and waits for approval",
    "same": "is here already",
    "other": "another one is here, which stays",
    "here": "is not in the file, but here",
    "missing": "is neither in the file nor here",
}
SYSTEMS: dict[ArrivingSystem, str] = {
    "cabinet": "",
    "gateway": "the configuration of a gateway for chats",
    "orchestrator": "an agent of an orchestrator",
}
LEFT_OUT = "(left out)"
NOTHING_WRITTEN = "Nothing was written. Without --show, the agent is imported."


def exported(api: Api, given: argparse.Namespace) -> Printed:
    """`agents export AGENT`: into a new file."""
    file = Path(given.to or f"{given.slug}.agent.zip")
    query = {name: "true" for name in ("memory", "user") if getattr(given, name)}
    return written(api, f"agents/{given.slug}/export", query, file)


def imported(api: Api, given: argparse.Namespace) -> Printed:
    """`agents import PATH`: import it, or show what it brings."""
    archive = _read(given)
    seen = api.post("agent-bundles", archive.body)
    arriving = archive.completed(converted(seen, ArrivingAgent))
    if given.show:
        texts = (line for text in arriving.files for line in _text(text))
        return Printed(value=arriving, lines=(*_described(arriving), *texts, "", NOTHING_WRITTEN))
    chosen = {"hash": arriving.hash, "slug": given.slug or "", "user": given.user}
    value = api.post("agent-bundles/import", {**archive.body, **chosen})
    agent = converted(value, AgentDetail)
    first = f"The agent {agent.slug} was imported. Its files are in .agents/{agent.slug}/."
    confirm = () if agent.confirmed else ("", HOW_TO_CONFIRM.format(url=api.server.browser_url))
    return Printed(value=value, lines=(first, *_described(arriving), *confirm))


def _read(given: argparse.Namespace) -> AgentArchive:
    try:
        return archive_of(given.path, given.agent or "")
    except OSError as error:
        why = error.strerror or "an error of the disk"
        raise CommandFailed(f"{one_line(given.path)} cannot be read: {why}.", "Name another file or folder.") from None
    except Invalid as error:
        several = error.detail.get("field") == "agent"
        raise CommandFailed(error.message, "Add --agent NAME." if several else "Name another folder.") from None


def _described(agent: ArrivingAgent) -> Iterator[str]:
    facts = {
        "Role": agent.role,
        "Runtime": agent.runtime or "the server's default",
        "Schedule": agent.schedule,
        "Exported by": f"Jupyter Cabinet {agent.cabinet}" if agent.cabinet else "",
        "Seems to be": SYSTEMS[agent.system],
        "Files of its memory": str(agent.memory or ""),
    }
    yield f"{one_line(agent.emoji)} {one_line(agent.name)}".strip()
    yield from (f"  {name}: {one_line(fact)}" for name, fact in facts.items() if fact)
    yield from (f"  Skill {one_line(each.name)}: {SKILLS[each.state]}" for each in agent.skills)
    for play in agent.plays:
        yield f"  Play {play.new_slug}: {one_line(play.title)}{f', {one_line(play.schedule)}' if play.schedule else ''}"
    yield from (f"  {one_line(note)}" for note in agent.notes)
    if agent.converted:
        rows = [(each.path, each.becomes or LEFT_OUT, each.note) for each in agent.converted]
        yield "  What each file becomes:"
        yield from (f"    {line}" for line in table(("file", "becomes", "note"), rows))
    yield "  What a person has to confirm:"
    for each in agent.powers:
        yield f"    {one_line(each.what)}: {one_line(each.after, most=TEXT_CHARACTERS) or '(nothing)'}"


def _text(file: ArrivingText) -> Iterator[str]:
    yield ""
    yield f"== {one_line(file.path)}{' (the beginning)' if file.cut else ''}"
    yield from plain(file.text if file.text is not None else "(not shown)").splitlines()
