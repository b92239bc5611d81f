"""A root with an agent of the demo runtime and plays, and what happened to them."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.plays.play_files import file_of
from jupyter_cabinet.runs.model import Run, RunFilter
from jupyter_cabinet.runs.rules.lifecycle import is_final

from .backend import ADA, BOUND_SECONDS, Place
from .waiting import QUERY_SECONDS, holds

HELLO = "reply with the single word hello"
PERSONA = "---\nname: Bob\nruntime: demo\nallow_unenforced: true\nheartbeat_enabled: false\n{fields}---\nBe kind.\n"


class Playhouse(Place):
    """`bob` carries plays out."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.agent("bob")

    def agent(self, slug: str, fields: str = "") -> None:
        place = self.root / ".agents" / slug
        place.mkdir(parents=True, exist_ok=True)
        (place / "persona.md").write_text(PERSONA.format(fields=fields))

    def play(self, slug: str, *fields: str, body: str = HELLO, agent: str | None = "bob") -> None:
        """Write a play. `fields`: lines of its front matter."""
        place = self.root / file_of(slug)
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = "\n".join([*([f"agent: {agent}"] if agent else []), f"name: {slug}", *fields])
        place.write_text(f"---\n{lines}\n---\n{body}\n")

    def chained(self, *slugs: str) -> None:
        """Plays of which each follows the one before."""
        for before, slug in zip((None, *slugs), slugs, strict=False):
            follows = [f"triggers: [{{on_complete: {{play: {before}}}}}]"] if before else []
            self.play(slug, *follows)

    def lines(self, slug: str) -> list[dict[str, Any]]:
        """The history of a play."""
        path = self.root / ".playbooks" / ".history" / f"{slug}.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


async def runs_of(backend: Backend, slug: str | None = None) -> list[Run]:
    """All runs of plays, or of one, oldest first."""
    path = file_of(slug) if slug else None
    return (await backend.runs.find(RunFilter(kind="play", path=path, limit=100), ADA))[::-1]


async def events_of(backend: Backend, kind: str) -> list[dict[str, Any]]:
    """The events of this kind that were published."""
    found = await backend.events.after(0)
    return [json.loads(bytes(each.body)) for each in found if each.type == kind]


async def settled(backend: Backend, count: int) -> list[Run]:
    """Wait until so many runs of plays have ended and nothing is left to follow from them; returns them all."""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            runs = await runs_of(backend)
            if len(runs) >= count and all(map(is_final, runs)) and not await left_to_do(backend):
                return runs
            await asyncio.sleep(QUERY_SECONDS)


async def left_to_do(backend: Backend) -> int:
    """How many effects wait."""
    return await backend.database.read(lambda c: c.exec_driver_sql("SELECT count(*) FROM outbox").scalar() or 0)


__all__ = ["ADA", "Playhouse", "events_of", "holds", "left_to_do", "runs_of", "settled"]
