"""The sessions in opencode's database: a recording of 1.18.33, and rows with anything in them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.opencode.stored_sessions import entries, session_stores, sessions
from jupyter_cabinet.runtimes.session_entries import Entry

RECORDING = Path(__file__).parents[3] / "fixtures" / "sessions" / "opencode" / "edit-1.18.33.sql"


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:")
    made.executescript(RECORDING.read_text())
    yield made
    made.close()


def read(database: sqlite3.Connection, positions=None) -> list[tuple[int, Entry]]:
    (session,) = sessions(database)
    return [(at, item) for at, item in entries(database, session.facts.native_id, positions)]


def test_a_recorded_session_is_read_in_order(database):
    (session,) = sessions(database)
    assert (session.facts.cwd, session.facts.title, session.facts.is_sub_agent) == ("/workspace", "ok", False)
    shown = [f"{entry.kind}: {entry.text or entry.tool}" for _, entry in read(database)]
    assert shown == [
        "user: Please create hello.txt",
        "assistant: I will write the file.",
        "tool_call: write",
        "tool_result: Wrote file successfully.",
        "tool_call: read",
        "tool_result: File not found: /workspace/missing.txt",
        "tool_call: bash",
        "tool_result: hello\n",
        "assistant: I wrote hello.txt.",
        "user: second",
        "assistant: You said: second",
        "user: third",
        "error: scripted refusal",
        "user: fourth",
        "assistant: You said: fourth",
    ]


def test_an_answer_has_its_model_tokens_and_cost_once(database):
    answers = {entry.answer: entry for _, entry in read(database) if entry.answer}
    assert {entry.model for entry in answers.values()} == {"mock-model", "other-model"}
    assert sum(entry.cost_usd or 0 for entry in answers.values()) == pytest.approx(0.0007)
    assert all(entry.usage for entry in answers.values() if entry.kind != "error")


def test_single_entries_are_read_by_their_position(database):
    whole = read(database)
    for at, entry in whole:
        assert (at, entry) in read(database, [at])
    assert read(database, []) == []


def test_a_change_changes_the_revision(database):
    before = next(iter(sessions(database))).revision
    database.execute("DELETE FROM part WHERE rowid = (SELECT max(rowid) FROM part)")
    assert next(iter(sessions(database))).revision != before


def test_a_database_of_another_layout_is_an_error_of_the_database():
    other = sqlite3.connect(":memory:")
    other.execute("CREATE TABLE session (id TEXT)")
    with pytest.raises(sqlite3.Error):
        list(sessions(other))
    with pytest.raises(sqlite3.Error):
        list(entries(other, "x", None))
    other.close()


anything = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_rows_with_any_values_are_read_without_an_error(database, data):
    table = data.draw(st.sampled_from(["part", "message"]))
    row, text = data.draw(st.sampled_from(database.execute(f"SELECT rowid, data FROM {table}").fetchall()))
    value = msgspec.json.decode(text)
    place = value
    while isinstance(place, dict) and place:
        name = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[name], dict) or data.draw(st.booleans()):
            place[name] = data.draw(anything)
            break
        place = place[name]
    broken = data.draw(st.sampled_from([msgspec.json.encode(value), b"\xff{", b"[1]", text.encode()]))
    with database:
        database.execute(f"UPDATE {table} SET data = CAST(? AS TEXT) WHERE rowid = ?", (broken, row))
    for _, entry in read(database):
        msgspec.json.encode(entry)
    with database:
        database.execute(f"UPDATE {table} SET data = ? WHERE rowid = ?", (text, row))


def test_the_database_is_where_opencode_keeps_it():
    (store,) = session_stores({"HOME": "/home/agent"})
    assert store.folder == Path("/home/agent/.local/share/opencode") and "opencode.db" in store.patterns
    (store,) = session_stores({"HOME": "/home/agent", "OPENCODE_DB": "/data/mine.db"})
    assert (store.folder, store.patterns) == (Path("/data"), ("mine.db",))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("image", ["attachment: red.png", 'user: "Which colour is it?"', "assistant: It is red."]),
        ("reverted", ["user: First question", "assistant: Answer 1."]),
        (
            "rewound",
            ["user: First question", "assistant: Answer 1.", "user: Another question", "assistant: Answer 3."],
        ),
    ],
)
def test_an_image_is_named_and_what_was_reverted_is_left_out(name, expected):
    made = sqlite3.connect(":memory:")
    made.executescript(RECORDING.with_name(f"{name}-1.18.33.sql").read_text())
    assert [f"{entry.kind}: {entry.text}" for _, entry in read(made) if entry.kind != "other"] == expected


def test_an_interruption_by_a_person_is_not_an_error():
    made = sqlite3.connect(":memory:")
    made.executescript(RECORDING.with_name("interrupted-1.18.33.sql").read_text())
    assert [(entry.kind, entry.text) for _, entry in read(made)] == [
        ("user", "Count slowly."),
        ("assistant", "Number 0 is here. Number 1 is here. Number 2 is "),
        ("other", "Aborted"),
    ]
