"""Queries of runs that several people may see."""

from __future__ import annotations

import pytest
from harness.values import example_run
from sqlalchemy import Connection, update

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun, RunResult
from jupyter_cabinet.runs.tables import runs

ADA, BEN = (Principal(username=name, display_name=name.title()) for name in ("ada", "ben"))


def put(connection: Connection, id: str, **fields: object) -> None:
    store.insert_run(connection, example_run(id=id, **fields), NewManualRun(instruction="x"), "h")


def test_the_first_run_of_a_session_is_the_first_that_the_person_may_see(connection: Connection) -> None:
    put(connection, "1", owner="ada")
    put(connection, "2", owner="ben")
    put(connection, "3", owner="ben")
    put(connection, "4", owner="ada", session_id="t")
    first = {one: [run.id for run in store.first_runs(connection, {"s", "t"}, one)] for one in (ADA, BEN)}
    assert sorted(first[ADA]) == ["1", "4"] and first[BEN] == ["2"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("OKAPI", ["instructed"]),
        ("seven Walruses", ["answered"]),
        ('"two"\nlines', ["answered"]),
        ("C:\\zoo", ["answered"]),
        ("permission_mode", []),
        ("hippo", []),
        ("100%", []),
        ("ibex", ["damaged"]),
        ("count", ["damaged", "instructed"]),
    ],
)
def test_a_search_finds_what_was_asked_and_answered_and_no_other_field(
    connection: Connection, text: str, expected: list[str]
) -> None:
    put(connection, "1", session_id="instructed", instruction="Count the okapis")
    answer = RunResult(text='Seven walruses in "two"\nlines, see C:\\zoo')
    put(connection, "2", session_id="answered", result=answer, reason="A hippo", state="succeeded")
    put(connection, "3", session_id="of Ben", instruction="Count the okapis and seven walruses", owner="ben")
    put(connection, "4", session_id="damaged", instruction="Count the ibexes")
    connection.execute(update(runs).where(runs.c.id == "4").values(body="{"))
    put(connection, "5", session_id="instructed", instruction="Count the okapis again")
    assert sorted(store.sessions_with(connection, text, ADA)) == expected


def test_the_sessions_with_a_text_are_those_of_the_newest_runs(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "MAX_MATCHES", 2)
    for number, session in enumerate(("a", "b", "c", "a", "a")):
        put(connection, str(number), session_id=session)
    assert store.sessions_with(connection, "x", ADA) == ["a", "c"]
