"""A server that dies between any two writes, or finds the disk full, loses nothing and does nothing twice."""

import itertools
import json
import multiprocessing
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from harness.agent_files import (
    BLOCK,
    NOW,
    Died,
    FileOperations,
    apply_all,
    contents,
    directives,
    doer_in,
    put_agents,
    task_of_ada,
)

from jupyter_cabinet.agents.directives.answer_block import parse
from jupyter_cabinet.agents.directives.effects.heartbeat_records import HeartbeatRecord
from jupyter_cabinet.agents.directives.effects.model import Origin
from jupyter_cabinet.agents.memory.entries import CAPS, read
from jupyter_cabinet.core.errors import NoRoom

ORIGIN = Origin(run_id="01kxyz", agent="ada", at=NOW)
RECORD = HeartbeatRecord(
    run_id="01kxyz", at=NOW, duration_seconds=1.5, completed=True, summary="Fine", output="All of it\n"
)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A root whose agent has a full memory, a task and a message."""
    root = tmp_path_factory.mktemp("before")
    put_agents(root)
    doer = doer_in(root)
    for number in range(CAPS["context"].entries or 0):
        earlier = Origin(run_id=f"run{number}", agent="ada", at=NOW - timedelta(days=30 - number))
        apply_all(doer, earlier, directives("CONTEXT_UPDATE: before", f"LEARNING: {'x' * 1700}"))
    task_of_ada(root / ".agents")
    apply_all(
        doer, Origin(run_id="m", agent="bob", at=NOW), directives("MESSAGE_TO [ada]: one", "MESSAGE_TO [ada]: two")
    )
    return root


def settle(root: Path) -> None:
    """What follows from a heartbeat that has succeeded."""
    doer = doer_in(root)
    results = apply_all(doer, ORIGIN, parse(BLOCK).directives)
    assert {each.state for each in results} == {"applied"}
    doer.acknowledge("ada", ["2026-01-14T12-30-00Z_from_bob_m-1"])
    doer.record_heartbeat("ada", RECORD)


def copied(before: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(before, tmp_path / "root"))


def numbers() -> Iterator[int]:
    return itertools.count(1)


@pytest.fixture(scope="module")
def settled(before: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], int]:
    """The files after one clean application, and how many operations it takes."""
    root = copied(before, tmp_path_factory.mktemp("settled"))
    with pytest.MonkeyPatch.context() as patch:
        operations = FileOperations(patch)
        settle(root)
    return contents(root / ".agents"), operations.count


def test_the_clean_application_archives_acknowledges_and_records(settled: tuple[dict[str, str], int]) -> None:
    found, operations = settled
    assert operations > 40
    assert {"ada/memory/archive/context-2025-12.md", "ada/memory/archive/learnings-2025-12.md"} <= set(found)
    assert [name for name in found if name.startswith(".messages/ada")] == [
        ".messages/ada/.read/2026-01-14T12-30-00Z_from_bob_m-1.md",
        ".messages/ada/2026-01-14T12-30-00Z_from_bob_m-2.md",
    ]
    assert json.loads(found["ada/memory/stats.json"])["heartbeatsUsed"] == 1


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.long(reason="applies all effects twice for each file operation")
def test_a_server_killed_at_any_operation_leaves_nothing_lost_or_double(
    before: Path, settled: tuple[dict[str, str], int], tmp_path: Path, after: bool
) -> None:
    expected, operations = settled
    for number in range(1, operations + 1):
        root = copied(before, tmp_path / str(number))
        with pytest.MonkeyPatch.context() as patch:
            FileOperations(patch, dies_at=number, after=after)
            with pytest.raises(Died):
                settle(root)
        settle(root)
        assert contents(root / ".agents") == expected, number
        shutil.rmtree(root)


@pytest.mark.long(reason="applies all effects twice for each file operation")
def test_a_disk_that_is_full_at_any_operation_overwrites_nothing(
    before: Path, settled: tuple[dict[str, str], int], tmp_path: Path
) -> None:
    expected, operations = settled
    for number in range(1, operations + 1):
        root = copied(before, tmp_path / str(number))
        with pytest.MonkeyPatch.context() as patch:
            FileOperations(patch, fails_at=number)
            with pytest.raises(NoRoom):
                settle(root)
        for name, text in contents(root / ".agents").items():
            old = (before / ".agents" / name).read_text() if (before / ".agents" / name).exists() else None
            assert text in (old or "", expected.get(name)), name  # a journal that was made has no line yet
        settle(root)
        assert contents(root / ".agents") == expected, number
        shutil.rmtree(root)


@pytest.mark.long(reason="applies all effects twice for each file operation")
def test_another_run_may_come_between_a_crash_and_the_repetition(
    before: Path, settled: tuple[dict[str, str], int], tmp_path: Path
) -> None:
    other = Origin(run_id="other", agent="ada", at=NOW + timedelta(minutes=5))
    between = directives("CONTEXT_UPDATE: other", f"LEARNING: {'y' * 3000}", "GOAL_UPDATE [leads]: +1")
    expected = entries_of(settled[0]) + [f"other/{number}" for number in (1, 2)]
    for number in range(1, settled[1] + 1):
        root = copied(before, tmp_path / str(number))
        with pytest.MonkeyPatch.context() as patch:
            FileOperations(patch, dies_at=number)
            with pytest.raises(Died):
                settle(root)
        apply_all(doer_in(root), other, between)
        settle(root)
        found = contents(root / ".agents")
        assert sorted(entries_of(found)) == sorted(expected), number
        assert json.loads(found["ada/memory/goals.json"])["goals"]["leads"]["current"] == 3.5, number
        assert json.loads(found["ada/memory/stats.json"])["heartbeatsUsed"] == 1, number
        shutil.rmtree(root)


def entries_of(found: dict[str, str]) -> list[str]:
    """The keys of all entries of ada's memory, those of the archives too."""
    memory = [text for name, text in found.items() if name.startswith("ada/memory/") and name.endswith(".md")]
    return [section.key for text in memory for section in read(text).sections]


def apply_fifty(root: str, name: str) -> None:
    """As one of two servers."""
    doer = doer_in(Path(root))
    for number in range(50):
        origin = Origin(run_id=f"{name}{number}", agent="ada", at=NOW)
        found = directives(f"LEARNING: {name} {number}", "GOAL_UPDATE [leads]: +0.1", "SLACK [general]: hello")
        assert {each.state for each in apply_all(doer, origin, found)} == {"applied"}


@pytest.mark.slow(reason="two new Python processes, and 300 writes that wait for the disk")
def test_two_servers_lose_nothing_of_each_other(tmp_path: Path) -> None:
    put_agents(tmp_path)
    context = multiprocessing.get_context("spawn")
    servers = [context.Process(target=apply_fifty, args=(str(tmp_path), name)) for name in ("one", "two")]
    for server in servers:
        server.start()
    for server in servers:
        server.join(60)
        assert server.exitcode == 0
    found = contents(tmp_path / ".agents")
    assert len({section.key for section in read(found["ada/memory/learnings.md"]).sections}) == 100
    assert json.loads(found["ada/memory/goals.json"])["goals"]["leads"]["current"] == 10
    assert len({json.loads(line)["id"] for line in found[".slack/general.jsonl"].splitlines()}) == 100
