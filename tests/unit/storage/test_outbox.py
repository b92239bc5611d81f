"""The outbox keeps the order of the effects of each key, even if one of them fails for some time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.outbox import AGAIN_SECONDS, Effect, Outbox
from jupyter_cabinet.testing.manual_clock import ManualClock


@asynccontextmanager
async def opened(folder: Path, clock: ManualClock) -> AsyncIterator[tuple[Outbox, Database]]:
    database = Database(f"sqlite:///{folder / 'c.db'}")
    await database.open()
    outbox = Outbox(database=database, clock=clock, holder="one", may_act=lambda: True)
    try:
        yield outbox, database
    finally:
        await outbox.stop()
        await database.close()


async def test_after_a_failure_the_rest_of_its_key_waits_and_no_other(tmp_path: Path) -> None:
    clock, done, failing = ManualClock(), [], True

    async def do(body: str) -> None:
        if failing and body == "first of a":
            raise Unavailable("Not yet.")
        done.append(body)

    async with opened(tmp_path, clock) as (outbox, database):
        outbox.register("told", do)
        effects = [Effect(topic="told", key=body[-1], body=body) for body in ("first of a", "second of a", "only of b")]
        await database.write(lambda connection: outbox.put(connection, effects))
        await outbox.start()
        await outbox.settled()
        assert done == ["only of b"]
        failing = False
        await clock.advance(AGAIN_SECONDS[0])
        await outbox.settled()
        assert done == ["only of b", "first of a", "second of a"]


async def test_an_effect_is_tried_again_however_often_it_has_failed(tmp_path: Path) -> None:
    clock, tries, failing = ManualClock(), 0, True

    async def do(body: str) -> None:
        nonlocal tries
        tries += 1
        if failing:
            raise Unavailable("Not yet.")

    async with opened(tmp_path, clock) as (outbox, database):
        outbox.register("told", do)
        await database.write(lambda connection: outbox.put(connection, [Effect(topic="told", body="one")]))
        await outbox.start()
        for _ in range(len(AGAIN_SECONDS) + 2):
            await outbox.settled()
            await clock.advance(AGAIN_SECONDS[-1])
        failing, before = False, tries
        await outbox.settled()
        await clock.advance(AGAIN_SECONDS[-1])
        await outbox.settled()
        assert before > len(AGAIN_SECONDS)
        assert tries == before + 1


async def test_what_comes_in_the_last_moment_is_done_before_the_end(tmp_path: Path) -> None:
    done: list[str] = []

    async def do(body: str) -> None:
        done.append(body)

    async with opened(tmp_path, ManualClock()) as (outbox, database):
        outbox.register("told", do)
        await outbox.start()
        await outbox.settled()
        await database.write(lambda connection: outbox.put(connection, [Effect(topic="told", body="last")]))
        outbox.wake()
        await outbox.stop()
        assert done == ["last"]
