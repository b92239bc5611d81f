"""A lease dies by standing still on the watcher's own clock, or with its process; never by comparing clocks."""

from pathlib import Path

import pytest

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.core.errors import LeaseLost
from jupyter_cabinet.core.processes import is_gone, this_process
from jupyter_cabinet.schedules import leases as room
from jupyter_cabinet.schedules.leases import DEAD_AFTER_SECONDS, Leases
from jupyter_cabinet.storage.database import Database


class HandClock(SystemClock):
    seconds = 0.0

    def monotonic(self) -> float:
        return self.seconds


async def test_a_living_holder_keeps_its_lease_and_a_still_one_loses_it(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'c.db'}")
    await database.open()
    clock = HandClock()
    mine, other = Leases("mine", clock), Leases("other", HandClock())
    await database.write(mine.take)
    await database.write(other.take)
    assert await database.write(mine.remove_dead) == {"mine", "other"}
    clock.seconds = DEAD_AFTER_SECONDS - 1
    assert await database.write(other.renew)
    assert await database.write(mine.remove_dead) == {"mine", "other"}
    clock.seconds += DEAD_AFTER_SECONDS - 1
    assert await database.write(mine.remove_dead) == {"mine", "other"}
    clock.seconds += 1
    assert await database.write(mine.remove_dead) == {"mine"}
    assert not await database.write(other.renew)
    await database.close()


async def test_the_lease_of_a_process_that_is_gone_is_dead_at_once(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    database = Database(f"sqlite:///{tmp_path / 'c.db'}")
    await database.open()
    name = this_process().rpartition("|")[0] + "|1"  # the same pid, started at another time
    monkeypatch.setattr(room, "this_process", lambda: name)
    await database.write(Leases("dead", HandClock()).take)
    assert await database.write(Leases("mine", HandClock()).remove_dead) == set()
    await database.close()


async def test_who_was_taken_for_dead_writes_nothing_under_its_old_lease(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'c.db'}")
    await database.open()
    clock = HandClock()
    mine, other = Leases("mine", clock), Leases("other", clock)
    await database.write(mine.require)  # before it has one, as when a foreign store is checked
    for lease in (mine, other):
        await database.write(lease.take)
    await database.write(mine.require)
    await database.write(other.remove_dead)
    clock.seconds = DEAD_AFTER_SECONDS
    assert await database.write(other.remove_dead) == {"other"}
    with pytest.raises(LeaseLost):
        await database.write(mine.require)
    await database.write(mine.take)  # again, with a greater number
    await database.write(mine.require)
    await database.close()


def test_a_holder_stops_acting_when_it_could_not_renew() -> None:
    clock = HandClock()
    lease = Leases("mine", clock)
    clock.seconds = DEAD_AFTER_SECONDS + 1
    assert not lease.may_act()


def test_this_process_lives_and_what_cannot_be_known_is_not_gone() -> None:
    assert not is_gone(this_process())
    assert not is_gone("otherhost|boot|1|2")
    assert not is_gone("nonsense")


async def test_a_time_in_which_nobody_could_see_the_others_does_not_count(tmp_path: Path) -> None:
    database, clock = Database(f"sqlite:///{tmp_path / 'c.db'}"), HandClock()
    await database.open()
    one, other = Leases("one", clock), Leases("other", HandClock())
    for leases in (one, other):
        await database.write(leases.take)
    assert await database.write(one.remove_dead) == {"one", "other"}
    clock.seconds += DEAD_AFTER_SECONDS + 5
    one.lost_sight()
    assert await database.write(one.remove_dead) == {"one", "other"}
    clock.seconds += DEAD_AFTER_SECONDS
    assert await database.write(one.remove_dead) == {"one"}
    await database.close()
