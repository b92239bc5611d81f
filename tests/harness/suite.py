"""Which tests run, in which order, and what they cost: tiers, shards, a limit of time, durations.

Used by `conftest.py` as a plugin of pytest. A shard is a share of the test files; shards are balanced by
`tests/durations.json`. Each run records what its files took in `test-results/durations`, to update that file from.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import subprocess
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
# Seconds by file, relative to the repository. Shards go by these alone: all of them must see the same figures.
DURATIONS = REPOSITORY / "tests" / "durations.json"
RECORDED = REPOSITORY / "test-results" / "durations"
UNKNOWN_SECONDS = 5.0  # of a file that has never run
QUICK_CPU_SECONDS = 5.0  # that a quick test without the mark `slow` may take, of this process and its children
# For a property test of the long tier, which tries ten times as many examples: up to 45 s of CPU, of which a busy
# machine gives a quarter. Not longer than the slice that `.ci/run` runs.
PROPERTY_TIMEOUT_SECONDS = 240.0
# Folders and files that say nothing of a subject.
_SAY_NOTHING = """jupyter_cabinet labextension src tests unit browser server cli packaging harness fixtures stores views
    index model service store tables settings conftest docs"""
NO_AREAS = frozenset(_SAY_NOTHING.split())
SLICED_COMMITS = 10  # whose changes say what a slice of the long tier begins with
TIERS = ("quick", "long", "all")


def files_of_shard(
    files: Iterable[str], durations: Mapping[str, float], shard: int, shards: int, together: Collection[str] = ()
) -> set[str]:
    """Return the files of one shard, counted from 1.

    Each file, the longest first, goes to the shard with the least work. All files of `together` go to the first shard:
    they share a browser, its pages and their servers.
    """
    load = [0.0] * shards
    chosen: set[str] = set()
    for file in sorted(files, key=lambda file: (file not in together, -durations.get(file, UNKNOWN_SECONDS), file)):
        place = 0 if file in together else load.index(min(load))
        load[place] += durations.get(file, UNKNOWN_SECONDS)
        if place == shard - 1:
            chosen.add(file)
    return chosen


def changed_files() -> set[str]:
    """Test files that differ from the last commit, or that it has changed; none where git cannot say."""
    found = git("diff", "--name-only", "HEAD") | git("show", "--name-only", "--format=", "HEAD")
    return {path for path in found if path.startswith("tests/")}


def git(*arguments: str) -> set[str]:
    """The words that it prints; none where it fails."""
    command = ["git", "-C", str(REPOSITORY), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return set(done.stdout.split()) if done.returncode == 0 else set()


def areas_of(paths: Iterable[str]) -> set[str]:
    """The words by which a test file may be known to be about a changed file: names of its folders, and its own."""
    parts = {part.removeprefix("test_") for path in paths for part in Path(path).with_suffix("").parts}
    return parts - NO_AREAS


def is_about(file: str, areas: Collection[str]) -> bool:
    return any(part.removeprefix("test_") in areas for part in Path(file).with_suffix("").parts)


def file_of(item: pytest.Item) -> str:
    return relative(item.path)


@cache
def relative(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


def add_options(parser: pytest.Parser) -> None:
    """Those of the command line."""
    parser.addoption(
        "--tier",
        choices=TIERS,
        default="quick",
        help="which tests run: those without the mark long, those with it, or all",
    )
    parser.addoption("--shard", default="1/1", metavar="I/N", help="run one share of the test files")
    parser.addoption("--slice", metavar="SEED", help="begin with what the last commits have touched, then by the seed")
    parser.addoption(
        "--limit", type=float, metavar="SECONDS", help="start no test after so long, and none that may take longer"
    )


class Suite:
    """The plugin. `tier`, `shard` and `limit` are pytest's options of these names."""

    def __init__(self, config: pytest.Config) -> None:
        self._tier: str = config.getoption("--tier")
        shard: str = config.getoption("--shard")
        self._shard, self._shards = map(int, shard.split("/"))
        self._seed: str | None = config.getoption("--slice")
        self._limit: float = config.getoption("--limit") or float("inf")
        self._ends_at = time.monotonic() + self._limit
        self._seconds: dict[str, float] = defaultdict(float)
        self._too_slow: list[str] = []

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Skip the files of other shards before they are imported: importing all of them takes half a minute."""
        if self._shards == 1 or not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
            return None
        return relative(collection_path) not in self._files or None

    @cached_property
    def _files(self) -> set[str]:
        """The test files of this shard. Those of `tests/cli` are shared separately: no run has both."""
        every = {relative(path) for path in (REPOSITORY / "tests").rglob("test_*.py")}
        clis = {file for file in every if file.startswith("tests/cli/")}
        browser = {file for file in every if file.startswith("tests/browser/")}
        durations = json.loads(DURATIONS.read_text())
        mine = files_of_shard(every - clis, durations, self._shard, self._shards, browser)
        return mine | files_of_shard(clis, durations, self._shard, self._shards)

    @pytest.hookimpl(trylast=True)  # after tests/browser/conftest.py has marked the tests in a browser
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        # pytest imports a file that the command line names without asking whether it is to be ignored.
        mine = [item for item in items if self._shards == 1 or file_of(item) in self._files]
        chosen = [item for item in mine if self._is_in_tier(item)]
        unused = {file_of(item) for item in mine} - {file_of(item) for item in chosen}
        self._seconds |= dict.fromkeys(unused, 0.0)
        if len(chosen) < len(items):
            kept = set(chosen)
            config.hook.pytest_deselected(items=[item for item in items if item not in kept])
        for item in chosen:
            if self._tier != "quick" and _is_property(item) and item.get_closest_marker("timeout") is None:
                item.add_marker(pytest.mark.timeout(PROPERTY_TIMEOUT_SECONDS))
        items[:] = self._in_order(chosen) if self._seed is None else self._slice(chosen, self._seed)

    def _in_order(self, items: list[pytest.Item]) -> list[pytest.Item]:
        changed = changed_files()
        # Playwright's sync API does not share a process well with event loops that come after it.
        return sorted(items, key=lambda item: (_is_in_browser(item), file_of(item) not in changed))

    def _slice(self, items: list[pytest.Item], seed: str) -> list[pytest.Item]:
        """What the last commits have touched comes first, then an order that the seed decides: another one for each
        commit. A slice is either in a browser or not, for the same reason as above."""
        areas = areas_of(git("log", f"-{SLICED_COMMITS}", "--name-only", "--format="))
        ranks = {file: _rank(seed, file) for file in {file_of(item) for item in items}}
        first = min(items, key=lambda item: (not is_about(file_of(item), areas), ranks[file_of(item)]), default=None)
        chosen = [item for item in items if first is not None and _is_in_browser(item) == _is_in_browser(first)]
        return sorted(chosen, key=lambda item: (not is_about(file_of(item), areas), ranks[file_of(item)]))

    def _is_in_tier(self, item: pytest.Item) -> bool:
        may_take = item.get_closest_marker("timeout")
        if may_take is not None and may_take.args[0] > self._limit:
            return False
        if self._tier == "long" and _is_property(item):
            return True
        return self._tier == "all" or (item.get_closest_marker("long") is not None) == (self._tier == "long")

    def pytest_runtest_setup(self) -> None:
        if time.monotonic() > self._ends_at:
            pytest.skip("the time of this slice is over")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        before = _cpu_seconds()
        result = yield
        used = _cpu_seconds() - before
        if used > QUICK_CPU_SECONDS and not any(map(item.get_closest_marker, ("slow", "long"))):
            self._too_slow.append(f"{item.nodeid} ({used:.1f} s)")
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._seconds[report.nodeid.split("::")[0]] += report.duration

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not any(self._seconds.values()):
            return
        RECORDED.mkdir(parents=True, exist_ok=True)
        kept = {file: round(seconds, 1) for file, seconds in sorted(self._seconds.items())}
        if self._tier == "quick" and not session.config.getoption("keyword"):
            path = RECORDED / f"{self._shard}-of-{self._shards}.json"
            path.write_text(json.dumps(kept, indent=1) + "\n")
        if self._too_slow and os.environ.get("GITHUB_ACTIONS"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._seed is not None:
            terminalreporter.write_line(f"A slice of the tier {self._tier}: --slice={self._seed}")
        for test in self._too_slow:
            terminalreporter.write_line(f"Over {QUICK_CPU_SECONDS:g} s of CPU without the mark slow: {test}")


def _is_in_browser(item: pytest.Item) -> bool:
    return item.get_closest_marker("browser") is not None


def _is_property(item: pytest.Item) -> bool:
    """Whether Hypothesis draws its examples."""
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False) is True


def _rank(seed: str, file: str) -> str:
    return hashlib.sha256(f"{seed} {file}".encode()).hexdigest()


def _cpu_seconds() -> float:
    """Of this process and of its children that have ended."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime
