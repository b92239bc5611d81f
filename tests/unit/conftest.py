"""Runs `async def` tests on their own loop, and waits with a bound for what happens outside."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Iterator

import pytest
from harness.waiting import holds
from sqlalchemy import Connection, create_engine

from jupyter_cabinet.sandboxes.process_table.processes import table
from jupyter_cabinet.storage.tables import counters, metadata


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.function):
        return None
    names = pyfuncitem._fixtureinfo.argnames
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}))
    return True


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], Awaitable[None]]:
    """Wait until a condition holds."""
    return holds


@pytest.fixture
def gone() -> Callable[..., Awaitable[None]]:
    """Wait until none of these processes lives."""

    def nobody(pids: tuple[int, ...]) -> bool:
        rows = table()
        return not any(pid in rows and rows[pid].alive for pid in pids)

    return lambda *pids: holds(lambda: nobody(pids))


@pytest.fixture
def connection() -> Iterator[Connection]:
    """A connection to an empty database in memory."""
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        connection.execute(counters.insert().values(name="order", value=0))
        yield connection
    engine.dispose()
