"""How long it takes to see what a run has changed, beside git in the same folder: cold, warm and after a restart.

49,900 files of 2 GB together, of which 20 change. `python -m benchmarks.changes FILES MEGABYTES` measures less. Each
round is a process of its own, so that its memory is its own; git and we take turns with who goes first.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jupyter_cabinet.changes.snapshots.objects import Objects
from jupyter_cabinet.changes.snapshots.scan import SETTLED_NS
from jupyter_cabinet.changes.snapshots.scanner import Scanner
from jupyter_cabinet.changes.snapshots.stat_cache import StatCache

from . import report
from .figures import Figure

FILES, MEGABYTES = 49_900, 1_990  # less than are looked at: the changes and the ignore file come to it
FOLDER_FILES = 100
CHANGED = 20
MOST = 1.5  # of git's time, warm
MOST_COLD = 2.0
MOST_MIB = 200.0
IGNORED = "".join(
    f"*.{ending}\n" for ending in ["pyc", "pyo", "so", "egg", "log", "tmp", "bak", "swp", "o", "a", "class", "jar"]
) + "".join(
    f"{folder}/\n"
    for folder in ["build", "dist", ".tox", ".cache", ".idea", ".vscode", "target", "out", "tmp", "logs", "htmlcov"]
)
PARTS = {
    "cold": "a folder is looked at for the first time",
    "warm": "20 changes are found in a folder that is known",
    "restarted": "the same by a server that was just started",
}
PEERS = {"cold": "`git add --all`", "warm": "`git stash create`", "restarted": "`git stash create`"}


def measure(rounds: int, files: int = FILES, megabytes: int = MEGABYTES) -> list[Figure]:
    found = [_round(number, files, megabytes) for number in range(rounds)]
    figures = [
        Figure(
            what=f"{about} ({files:,} files, {megabytes:,} MB)",
            unit="s",
            ours=tuple(one[f"{part} ours"] for one in found),
            peer=tuple(one[f"{part} git"] for one in found),
            peer_is=PEERS[part],
            measure="ratio",
            aim=MOST_COLD if part == "cold" else MOST,
        )
        for part, about in PARTS.items()
    ]
    memory = tuple(one["memory"] for one in found)
    nothing = tuple(0.0 for _ in memory)
    figures.append(
        Figure(
            what=f"memory that looking at {files:,} files takes at its peak",
            unit="MiB",
            ours=memory,
            peer=nothing,
            peer_is="before",
            measure="difference",
            aim=MOST_MIB,
        )
    )
    return figures


def _round(number: int, files: int, megabytes: int) -> dict[str, float]:
    """In a process of its own."""
    order = "git" if number % 2 else "ours"
    command = [sys.executable, "-m", "benchmarks.changes", "--one", str(files), str(megabytes), order]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


class _Trial:
    def __init__(self, place: Path, files: int, megabytes: int) -> None:
        self.root, self._place = place / "root", place
        self._numbers = random.Random(1)
        self._bytes = megabytes * 1_000_000 // files
        self.paths = [self.root / f"{number // FOLDER_FILES}" / f"{number}.txt" for number in range(files)]
        for path in self.paths:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._content())
        (self.root / ".gitignore").write_text(IGNORED)
        self._git("init", "-q")
        time.sleep(SETTLED_NS / 1e9)  # what was written in this moment would be read again
        self._objects, self._cache = Objects(place / "objects"), StatCache(place / "known")
        self._scanner = Scanner(self.root, "", self._objects, self._cache)

    def _content(self) -> bytes:
        """Half of it is random, so that it takes up room as text does."""
        return self._numbers.randbytes(self._bytes // 4).hex().ljust(self._bytes - 1, "x").encode() + b"\n"

    def _git(self, *arguments: str) -> None:
        people = ("-c", "user.name=b", "-c", "user.email=b@b", "-c", "gc.auto=0")
        subprocess.run(["git", "-C", str(self.root), *people, *arguments], check=True, stdout=subprocess.DEVNULL)

    def git_cold(self) -> None:
        self._git("add", "--all")

    def git_warm(self) -> None:
        self._git("stash", "create")

    def commit(self) -> None:
        self._git("commit", "-qm", "all")

    def ours_cold(self) -> None:
        self._before = self._objects.put_listing(self._scanner.look().files)

    def ours_warm(self) -> None:
        """As at the end of a run: what was there before is looked at whatever the ignore file says."""
        before = self._objects.listing(self._before)
        after = self._objects.put_listing(self._scanner.look(before).files)
        assert len(self._objects.differences(self._before, after)) == CHANGED
        self._before = after

    def ours_restarted(self) -> None:
        """As at the beginning of the first run."""
        after = self._objects.put_listing(self._scanner.look().files)
        assert len(self._objects.differences(self._before, after)) == CHANGED

    def restart(self) -> None:
        self._git("commit", "-qam", "changed")
        self._scanner.save()
        self._objects = Objects(self._place / "objects")
        self._scanner = Scanner(self.root, "", self._objects, self._cache)

    def change(self) -> None:
        for path in self._numbers.sample(self.paths, CHANGED):
            path.write_bytes(self._content())
        time.sleep(SETTLED_NS / 1e9)


def _one(files: int, megabytes: int, first: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as place:
        trial = _Trial(Path(place), files, megabytes)
        found: dict[str, float] = {}
        before = _peak_mib()

        def timed(part: str, ours: Callable[[], None], git: Callable[[], None]) -> None:
            both = {"ours": ours, "git": git}
            for name in sorted(both, key=lambda name: name != first):
                start = time.perf_counter()
                both[name]()
                found[f"{part} {name}"] = time.perf_counter() - start

        timed("cold", trial.ours_cold, trial.git_cold)
        trial.commit()
        trial.change()
        timed("warm", trial.ours_warm, trial.git_warm)
        trial.restart()
        trial.change()
        timed("restarted", trial.ours_restarted, trial.git_warm)
        return {**found, "memory": _peak_mib() - before}


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(json.dumps(_one(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])))
    else:
        print(report.table(measure(3, int(sys.argv[1]), int(sys.argv[2]))))
