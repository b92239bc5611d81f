"""The search in the memory of one agent: the first searches in 10,000 notes, and further ones beside `grep`.

The notes are paragraphs of this project's documentation. `JUPYTER_CABINET_BENCHMARK_NOTES` is their number. A search
includes comparing every file with the index, as each search of an agent or a person does.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median, quantiles

from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.memory.memory_search import MemorySearch

from .figures import Figure, interleave

ROOT = Path(__file__).parents[1]
NOTES = int(os.environ.get("JUPYTER_CABINET_BENCHMARK_NOTES", "10000"))
PARAGRAPHS = 6  # of a note
QUERIES = ("heartbeat", "wal", "untrusted text", "agent", "an", "no such words", "JupyterHub token", "snapshot")
TIMES = 5  # searches of each query in a round
SETTLED_SECONDS = 2.1  # after which a changed file is not read again
SEARCH_AIM, BUILD_AIM_SECONDS = 1, 30


def measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-") as place:
        notes = _Notes(Path(place))
        return [notes.built(), *notes.searches(rounds)]


class _Notes:
    def __init__(self, place: Path) -> None:
        self._folder = place / ".agents" / "ada" / "memory"
        self._folder.mkdir(parents=True)
        (place / ".agents" / "ada" / "persona.md").write_text("---\nname: Ada\n---\n\nHi.\n")
        self._search = MemorySearch(AgentFolders(place, place / ".cabinet"), root=place, data=place / "data")
        pages = "\n\n".join(path.read_text() for path in sorted((ROOT / "docs").rglob("*.md")))
        paragraphs = [each for each in pages.split("\n\n") if each]
        chosen = random.Random(27)
        for number in range(NOTES):
            text = "\n\n".join(chosen.choices(paragraphs, k=PARAGRAPHS))
            (self._folder / f"{number:05}.md").write_text(text)
        time.sleep(SETTLED_SECONDS)

    def built(self) -> Figure:
        size = sum(path.stat().st_size for path in self._folder.iterdir()) / 2**20
        ours = _seconds(self._build)
        peer = _seconds(lambda: _grep("walrus", self._folder))
        return Figure(
            what=f"the first searches in {NOTES:,} notes of an agent, {size:.0f} MiB, which build the index",
            unit="s",
            ours=(ours,),
            peer=(peer,),
            peer_is="`grep -rilF`",
            measure="ours",
            aim=BUILD_AIM_SECONDS,
        )

    def _build(self) -> None:
        while self._search.search("ada", "walrus", limit=20).unfinished:
            pass

    def searches(self, rounds: int) -> Iterator[Figure]:
        parts = {
            "ours": lambda: self._times(lambda query: self._search.search("ada", query, limit=20)),
            "peer": lambda: self._times(lambda query: _grep(query.split()[0], self._folder)),
        }
        found: dict[str, list[list[float]]] = {"ours": [], "peer": []}

        def keep(name: str) -> Callable[[], float]:
            def measured() -> float:
                found[name].append(parts[name]())
                return 0.0

            return measured

        interleave(rounds, {name: keep(name) for name in parts})
        for what, of in (("half take at most", median), ("99 of 100 take at most", _p99)):
            yield Figure(
                what=f"searches in {NOTES:,} notes of an agent: {what}",
                unit="ms",
                ours=tuple(1000 * of(times) for times in found["ours"]),
                peer=tuple(1000 * of(times) for times in found["peer"]),
                peer_is="`grep -rilF` of one word of each, over the same files",
                measure="ratio",
                aim=SEARCH_AIM,
            )

    def _times(self, work: Callable[[str], object]) -> list[float]:
        return [_seconds(lambda query=query: work(query)) for query in QUERIES * TIMES]  # type: ignore[misc]


def _p99(times: list[float]) -> float:
    return quantiles(times, n=100, method="inclusive")[-1]


def _grep(word: str, folder: Path) -> None:
    subprocess.run([shutil.which("grep") or "grep", "-rilF", word, folder], stdout=subprocess.DEVNULL, check=False)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
