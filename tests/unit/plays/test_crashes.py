"""A server that dies at any write between the end of a play's run and what follows from it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from harness.crash_trial import KILLED, Side, forked
from harness.plays import ADA, Playhouse, settled


async def work(house: Playhouse) -> None:
    async with house.backend() as backend:
        await backend.plays.run("a", {}, ADA)
        await settled(backend, 2)


async def go_on(house: Playhouse) -> None:
    """The next server does what is left."""
    async with house.backend() as backend:
        runs = await settled(backend, 0)
        of_a = [run for run in runs if run.path == ".playbooks/plays/a.md"]
        if not of_a:
            return  # it died before the first run was on record
        followed = await settled(backend, 2) if of_a[0].state == "succeeded" else runs
        of_b = [run for run in followed if run.path == ".playbooks/plays/b.md"]
        assert len(of_b) == (1 if of_a[0].state == "succeeded" else 0), [run.state for run in followed]
        for slug, count in (("a", 1), ("b", len(of_b))):
            assert len(house.lines(slug)) == count, (slug, house.lines(slug))


def make(folder: Path) -> Playhouse:
    folder.mkdir()
    house = Playhouse(folder)
    house.chained("a", "b")
    return house


@pytest.mark.long(reason="a server is started twice for every other write")
@pytest.mark.skipif(sys.platform == "darwin", reason="forks with threads")
def test_what_follows_from_a_play_is_started_once_whenever_the_server_dies(tmp_path: Path) -> None:
    whole = make(tmp_path / "whole")
    code, writes = forked(lambda: work(whole))
    assert code == 0 and writes > 10
    for at in range(1, writes + 1):
        side: Side = "before" if at % 2 else "after"
        house = make(tmp_path / f"{at}-{side}")
        code, _ = forked(lambda house=house: work(house), at, side)  # type: ignore[misc]
        assert code in (0, KILLED), (at, side)
        code, _ = forked(lambda house=house: go_on(house))  # type: ignore[misc]
        assert code == 0, f"killed {side} write {at}"
