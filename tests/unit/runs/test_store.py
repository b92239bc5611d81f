"""Queries of runs that several people may see."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.values import example_run
from sqlalchemy import Connection, create_engine

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun
from jupyter_cabinet.storage.tables import counters, metadata

ADA, BEN = (Principal(username=name, display_name=name.title()) for name in ("ada", "ben"))


@pytest.fixture
def connection() -> Iterator[Connection]:
    engine = create_engine("sqlite://")
    metadata.create_all(engine)
    with engine.connect() as connection:
        connection.execute(counters.insert().values(name="order", value=0))
        yield connection
    engine.dispose()


def put(connection: Connection, id: str, **fields: object) -> None:
    store.insert_run(connection, example_run(id=id, **fields), NewManualRun(instruction="x"), "h")


def test_the_first_run_of_a_session_is_the_first_that_the_person_may_see(connection: Connection) -> None:
    put(connection, "1", owner="ada")
    put(connection, "2", owner="ben")
    put(connection, "3", owner="ben")
    put(connection, "4", owner="ada", session_id="t")
    first = {one: [run.id for run in store.first_runs(connection, {"s", "t"}, one)] for one in (ADA, BEN)}
    assert sorted(first[ADA]) == ["1", "4"] and first[BEN] == ["2"]
