"""The sessions in OpenClaw's database: a recording of 2026.9.6, and lines that are damaged or compressed."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.openclaw import stored_sessions
from jupyter_cabinet.runtimes.openclaw.stored_sessions import entries, facts_of_path, session_stores, sessions
from jupyter_cabinet.runtimes.session_entries import Entry, Item, SessionFacts

RECORDING = Path(__file__).parents[3] / "fixtures" / "sessions" / "openclaw" / "edit-2026.9.6.sql"
SHOWN = [
    "user: Please create hello.txt",
    "assistant: I will write the file.",
    "tool_call: write",
    "tool_result: Successfully wrote 20 bytes to /home/agent/.openclaw/workspace/hello.txt",
    "assistant: Done: I wrote hello.txt.",
    "user: second",
    "assistant: 2nd",
]


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    made = sqlite3.connect(":memory:")
    made.executescript(RECORDING.read_text())
    yield made
    made.close()


def read(database: sqlite3.Connection, positions=None) -> list[tuple[int, Item]]:
    return list(entries(database, "cab3", positions))


def shown(database: sqlite3.Connection) -> list[str]:
    found = [item for _, item in read(database) if isinstance(item, Entry)]
    said = [each for each in found if each.kind not in ("other", "model_change")]
    return [f"{each.kind}: {each.text.splitlines()[0] if each.text else each.tool}" for each in said]


def compress(database: sqlite3.Connection, number: int, *, damaged: bool = False) -> None:
    zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    (text,) = database.execute("SELECT event_json FROM transcript_events WHERE seq = ?", (number,)).fetchone()
    data = zstd.compress(text.encode())
    database.execute(
        "UPDATE transcript_events SET event_json = NULL, event_zstd = ? WHERE seq = ?",
        (data[: len(data) // 2] if damaged else data, number),
    )


def test_a_recorded_session_is_read_in_order(database):
    (session,) = sessions(database)
    assert (session.facts.native_id, session.facts.parent_id, session.facts.is_sub_agent) == ("cab3", "", False)
    assert read(database)[0] == (0, SessionFacts(cwd="/home/agent/.openclaw/workspace"))
    assert shown(database) == SHOWN


def test_single_lines_are_read_by_their_number(database):
    whole = read(database)
    for number in {at for at, _ in whole}:
        assert read(database, [number]) == [each for each in whole if each[0] == number]
    assert read(database, []) == []


def test_a_compressed_line_is_read_like_any_other(database):
    whole = read(database)
    for number in (0, 5, 8):
        compress(database, number)
    assert read(database) == whole


@pytest.mark.parametrize("reason", ["damaged", "too long", "no package"])
def test_a_compressed_line_that_cannot_be_read_says_why_and_keeps_its_place_in_the_tree(database, monkeypatch, reason):
    whole = {at: item for at, item in read(database)}
    compress(database, 8, damaged=reason == "damaged")
    if reason == "too long":
        monkeypatch.setattr(stored_sessions, "LONGEST_LINE_BYTES", 100)
    if reason == "no package":
        monkeypatch.setattr(stored_sessions, "_zstandard", lambda: None)
    found = dict(read(database))
    assert (found[8].id, found[8].parent, found[8].kind) == (whole[8].id, whole[8].parent, "other")
    assert ("Install" in found[8].text) == (reason == "no package")
    assert {at: item for at, item in found.items() if at != 8} == {at: item for at, item in whole.items() if at != 8}


def test_a_line_whose_place_is_unknown_does_not_become_the_end_of_a_branch(database):
    database.execute("INSERT INTO transcript_events VALUES ('cab3', 14, 'not json', 0, NULL, NULL, NULL)")
    assert read(database)[-1] == (14, Entry(id="line 14", kind="other", at=0.0, text=stored_sessions.DAMAGED))


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM transcript_events WHERE seq = 13",
        "INSERT INTO transcript_events VALUES ('cab3', 14, '{}', 0, NULL, NULL, NULL)",
        "UPDATE transcript_rewrite_watermarks SET generation = 'second'",
        "UPDATE session_nodes SET label = 'Mine'",
    ],
)
def test_a_change_changes_the_revision(database, change):
    (before,) = sessions(database)
    database.execute(change)
    (after,) = sessions(database)
    assert before.revision != after.revision


def test_a_sub_agent_names_the_session_that_started_it(database):
    database.executescript("""
        INSERT INTO session_nodes (session_key, current_session_id, entry_json, updated_at, spawned_by, label)
            VALUES ('agent:main:subagent:1', 'other', '{}', 0, 'agent:main:explicit:cab3', 'Look it up');
        INSERT INTO session_windows VALUES ('other', 'agent:main:subagent:1', 0, 0);
        INSERT INTO transcript_events VALUES ('other', 0, '{"type": "session", "id": "cab3"}', 0, NULL, NULL, NULL);
    """)
    found = {each.facts.native_id: each.facts for each in sessions(database)}
    assert found["other"] == SessionFacts(native_id="other", title="Look it up", parent_id="cab3", is_sub_agent=True)
    assert list(entries(database, "other")) == [(0, SessionFacts())]


def test_a_database_with_only_the_lines_is_read_too(database):
    for table in ("session_nodes", "session_windows", "transcript_event_identities", "transcript_rewrite_watermarks"):
        database.execute(f"DROP TABLE {table}")
    database.execute("ALTER TABLE transcript_events DROP COLUMN event_zstd")
    assert [each.facts.native_id for each in sessions(database)] == ["cab3"]
    assert shown(database) == SHOWN


def test_the_state_folder_of_the_person_is_read():
    databases, files = session_stores({"HOME": "/home/agent"})
    assert databases.folder == files.folder == Path("/home/agent/.openclaw")
    databases, _ = session_stores({"HOME": "/home/agent", "OPENCLAW_STATE_DIR": "/state"})
    assert databases.folder == Path("/state")


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("cab3.jsonl", "cab3"),
        ("cab3-topic-7.jsonl", "cab3-topic-7"),
        ("cab3.trajectory.jsonl", ""),
        ("cab3.checkpoint.0fe1.jsonl", ""),
    ],
)
def test_files_beside_a_session_are_no_sessions(name, id):
    assert facts_of_path(Path("agents/main/sessions") / name).native_id == id
