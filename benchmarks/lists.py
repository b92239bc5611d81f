"""What lists of agents and plays cost while no file changes: processor time of the services, without the web server.

Beside a loop that reads the same files and parses their fields with PyYAML. Each round is a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from .figures import Figure

AGENTS, PLAYS = 300, 1_000
SETTLED_SECONDS = 2.5  # files that were changed a moment ago are read again
LISTS = 3  # of which the fastest counts

PERSONA = """---
name: Agent {number}
runtime: demo
heartbeat: "0 8 * * *"
timezone: Europe/Berlin
plays: [play-{number}]
goals:
  - metric: pages
    target: 10
    period: weekly
---
You look after the notes.
"""
PLAY = """---
name: play-{number}
agent: agent-{agent}
title: A play
schedule: {{type: daily, at: "09:00"}}
---
Read the notes.
"""


def measure(rounds: int) -> list[Figure]:
    found = [_run() for _ in range(rounds)]
    peer_is = "the same files, read and parsed with PyYAML"
    return [
        Figure(
            what=f"list of {count:,} {what} whose files have not changed, processor time",
            unit="ms",
            ours=tuple(each[index] for each in found),
            peer=tuple(each[index + 1] for each in found),
            peer_is=peer_is,
            measure="ratio",
            aim=0.5,
        )
        for index, what, count in ((0, "agents", AGENTS), (2, "plays", PLAYS))
    ]


def _run() -> list[float]:
    with tempfile.TemporaryDirectory() as place:
        command = [sys.executable, "-m", "benchmarks.lists", place]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- in a process of its own ------------------------------------------------------------------


def _put_files(root: Path) -> tuple[list[Path], list[Path]]:
    plays = root / ".playbooks" / "plays"
    plays.mkdir(parents=True)
    for number in range(AGENTS):
        folder = root / ".agents" / f"agent-{number}"
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text(PERSONA.format(number=number))
    for number in range(PLAYS):
        (plays / f"play-{number}.md").write_text(PLAY.format(number=number, agent=number % AGENTS))
    return list(root.glob(".agents/*/persona.md")), list(plays.iterdir())


def _parse(files: list[Path]) -> None:
    import yaml

    for file in files:
        yaml.load(file.read_text().split("---\n")[1], yaml.CSafeLoader)


async def _fastest(work: Callable[[], Awaitable[object]]) -> float:
    """In milliseconds of processor time."""
    spent = []
    for _ in range(LISTS):
        begun = time.process_time()
        await work()
        spent.append(time.process_time() - begun)
    return min(spent) * 1000


async def _measure(folder: Path) -> list[float]:
    from harness.backend import ADA, Place

    place = Place(folder)
    personas, plays = _put_files(place.root)
    await asyncio.sleep(SETTLED_SECONDS)
    async with place.backend(trust="ask") as backend:

        async def agents() -> object:
            return await backend.agents.find(ADA), await backend.agents.beside(ADA)

        async def listed_plays() -> object:
            return await backend.plays.find(ADA), await backend.plays.problems()

        async def parsed(files: list[Path]) -> None:
            _parse(files)

        return [
            await _fastest(agents),
            await _fastest(lambda: parsed(personas)),
            await _fastest(listed_plays),
            await _fastest(lambda: parsed(plays)),
        ]


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    print(json.dumps(asyncio.run(_measure(Path(sys.argv[1])))))


if __name__ == "__main__":
    main()
