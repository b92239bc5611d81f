"""The index: files that grow, shrink, are replaced and vanish; lists, search and timelines over them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import msgspec
import pytest
from harness.pi_files import PiFile
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.openclaw.stored_sessions import session_stores as of_openclaw
from jupyter_cabinet.runtimes.opencode.stored_sessions import session_stores as of_opencode
from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.transcripts.index import index_file, session_reading
from jupyter_cabinet.transcripts.index.index_file import IndexFile, empty, forget_words, has_outgrown
from jupyter_cabinet.transcripts.index.indexing import compare_files, read_sources, sweep
from jupyter_cabinet.transcripts.model import CliSession, SessionFilter, session_key
from jupyter_cabinet.transcripts.reading import cli_databases, positioned_lines
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies, opened_database
from jupyter_cabinet.transcripts.reading.entry_reader import read_entries, rows_of
from jupyter_cabinet.transcripts.search import text_search
from jupyter_cabinet.transcripts.session_list import list_sessions, load_session, projects, usage_rows
from jupyter_cabinet.transcripts.timeline.outline import entry_of, outline_of, page_of


class Index:
    """An index over pi's sessions in a folder."""

    def __init__(self, place: Path) -> None:
        self.sessions = place / "pi"
        self.sessions.mkdir(parents=True)
        self.file = IndexFile(place / "index")
        self.connection = self.file.open()
        self.stores = {"pi": session_stores({"PI_CODING_AGENT_SESSION_DIR": str(self.sessions), "HOME": "/none"})}

    def read(self) -> int:
        """Index one turn of what has changed, and return how many sessions were read."""
        with DatabaseCopies() as copies:
            found = sweep(self.connection, self.stores, copies)
            waiting = ((self.stores[each.runtime][each.store], each) for each in found.changed)
            return sum(len(batch.ids) for batch in read_sources(self.connection, waiting, copies))

    def read_reported(self, *paths: Path) -> int | None:
        """Index one turn of what has changed among some files; None: a sweep is needed."""
        found = compare_files(self.connection, self.stores, map(str, paths))
        if found is None:
            return None
        waiting = ((self.stores[each.runtime][each.store], each) for each in found.changed)
        return sum(len(batch.ids) for batch in read_sources(self.connection, waiting, DatabaseCopies()))

    def list(self, **wanted) -> list[CliSession]:
        return [session for _, session in list_sessions(self.connection, SessionFilter(**wanted))[0]]

    def timeline(self, native_id: str, branch: str = "") -> list[str]:
        found = load_session(self.connection, session_key("pi", native_id))
        assert found is not None
        outline = outline_of(rows_of(self.connection, found[0].number), branch=branch)
        _, needed = page_of(outline, 0, 500)
        entries = read_entries(self.stores["pi"][0], found[0], needed)
        made = (entry_of(outline, at, entries, {}, "pi") for at in range(len(outline.shown)))
        return [f"{each.kind}: {each.text or each.tool}" for each in made]

    def found(self, query: str) -> set[int]:
        return set(text_search.candidates(self.connection, text_search.words_of(query)))


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    made = Index(tmp_path)
    yield made
    made.connection.close()


def test_a_session_is_listed_with_what_people_want_to_know(index):
    file = PiFile(index.sessions, "one", cwd="/work/project")
    file.user("  Fix the\nflaky test ")
    file.call("bash", {"command": "pytest"}, "2 failed", is_error=True)
    file.assistant("Done.")
    assert index.read() == 1
    (session,) = index.list()
    assert (session.id, session.title, session.cwd) == (session_key("pi", "one"), "Fix the flaky test", "/work/project")
    assert (session.messages, session.calls, session.errors, session.grade) == (1, 1, 1, "A")
    assert session.usage.input_tokens == 200 and session.cost_usd == 1.0 and session.models == ("big-1",)
    assert projects(index.connection, None)[0] == [("/work/project", 1, session.ended_at)]
    (row,) = usage_rows(index.connection, since=None, project=None, only=None)
    assert (row.day, row.answers, row.model, row.cost_usd) == ("2026-01-01", 2, "big-1", 1.0)


def test_a_file_that_has_grown_is_read_from_its_end(index, monkeypatch):
    file = PiFile(index.sessions, "one")
    file.user("first")
    index.read()
    begins = []
    whole = session_reading.items_of_file
    monkeypatch.setattr(
        session_reading, "items_of_file", lambda s, p, at: (begins.append(at.position), whole(s, p, at))[1]
    )
    size = file.path.stat().st_size
    file.assistant("second")
    assert index.read() == 1
    assert begins == [size]
    assert index.timeline("one") == ["user: first", "assistant: second"]
    assert index.list()[0].title == "first"
    assert index.read() == 0


def test_a_torn_last_line_is_read_when_it_is_complete(index):
    file = PiFile(index.sessions, "one")
    file.user("first")
    file.write({"type": "message", "id": "torn", "parentId": "e1", "message": {"role": "user"}}, torn=True)
    index.read()
    assert index.timeline("one") == ["user: first"]
    with file.path.open("r+") as text:
        lines = text.read().splitlines(keepends=True)
        text.seek(0)
        text.truncate()
        text.write("".join(lines[:-1]))
    file.user("second")
    index.read()
    assert index.timeline("one") == ["user: first", "user: second"]


@pytest.mark.parametrize("how", ["shrunk", "replaced", "rewritten in place"])
def test_a_file_with_other_content_is_read_again(index, how):
    file = PiFile(index.sessions, "one")
    for number in range(20):
        file.user(f"old {number}")
    index.read()
    before = file.path.read_bytes()
    file.path.unlink()
    other = PiFile(index.sessions, "one")
    for number in range(3 if how == "shrunk" else 40):
        other.user(f"new {number}")
    if how != "replaced":
        content = other.path.read_bytes()
        file.path.write_bytes(before)
        file.path.write_bytes(content)
    index.read()
    shown = index.timeline("one")
    assert len(shown) == (3 if how == "shrunk" else 40) and all("new" in each for each in shown)
    assert len(index.list()) == 1


def test_a_session_whose_file_vanishes_stays_and_comes_back(index):
    file = PiFile(index.sessions, "one")
    file.user("first")
    index.read()
    aside = file.path.with_suffix(".aside")
    file.path.rename(aside)
    assert index.read() == 0
    assert index.list()[0].is_gone
    aside.rename(file.path)
    assert index.read() == 1
    assert not index.list()[0].is_gone


def test_links_out_of_the_folder_are_not_followed(index, tmp_path):
    outside = PiFile(tmp_path / "outside", "secret")
    outside.user("secret")
    (index.sessions / "--work--").mkdir()
    (index.sessions / "--work--" / outside.path.name).symlink_to(outside.path)
    (index.sessions / "--linked--").symlink_to(outside.path.parent)
    os.mkfifo(index.sessions / "--work--" / "time_pipe.jsonl")
    index.read()
    assert index.list() == []


def test_a_line_of_any_length_and_any_bytes_is_skipped_and_said(index):
    file = PiFile(index.sessions, "one")
    file.user("before")
    with file.path.open("ab") as text:
        text.write(b'{"type": "message", "x": "' + b"a" * (9 << 20) + b'"}\n')
        text.write(b"\xff\xfe not json\n[1, 2]\n\n")
    file.user("after")
    index.read()
    assert index.timeline("one") == ["user: before", "user: after"]
    session = load_session(index.connection, session_key("pi", "one"))
    assert outline_of(rows_of(index.connection, session[0].number)).hidden == 3


@pytest.fixture
def short_turns(monkeypatch):
    """Turns of 64 KiB, in which a line has at most 32 KiB."""
    monkeypatch.setattr(positioned_lines, "MAX_LINE_BYTES", 32 << 10)
    monkeypatch.setattr(positioned_lines, "TURN_BYTES", 64 << 10)
    monkeypatch.setattr(positioned_lines, "CHUNK_BYTES", 4 << 10)


def test_a_long_file_is_read_in_turns_between_which_others_appear(index, short_turns):
    long = PiFile(index.sessions, "long")
    for number in range(300):
        long.user(f"{number} " + "x" * 1000)
    short = PiFile(index.sessions, "short")
    short.user("hello")
    os.utime(short.path, (0, 0))  # the long one comes first
    assert index.read() == 2
    assert {each.title[:5] for each in index.list()} == {"hello", "0 xxx"}
    assert 10 < len(index.timeline("long")) < 100
    turns = 1
    while index.read():
        turns += 1
    assert 4 < turns < 10
    assert [each.split()[1] for each in index.timeline("long")] == [str(number) for number in range(300)]
    assert {each.native_id: each.messages for each in index.list()} == {"short": 1, "long": 300}


def test_a_line_without_an_end_stops_nobody_and_is_said_when_it_ends(index, short_turns):
    long = PiFile(index.sessions, "long")
    with long.path.open("ab") as file:
        file.write(b"\0" * (1 << 20))
    PiFile(index.sessions, "short").user("hello")
    begins = long.path.read_text().index("\n") + 1
    index.read()
    assert [each.title for each in index.list()] == ["hello"]
    while index.read():
        pass
    with long.path.open("ab") as file:
        file.write(b"\n")
    long.user("after")
    while index.read():
        pass
    assert index.timeline("long") == ["user: after"]
    rows = list(index.connection.execute("SELECT position FROM entries WHERE id LIKE 'line %'"))
    assert rows == [(begins,)]


def test_a_sparse_file_takes_neither_time_nor_memory(index):
    long = PiFile(index.sessions, "long")
    os.truncate(long.path, 10 << 30)
    PiFile(index.sessions, "short").user("hello")
    tracemalloc.start()
    turns, began = 0, process_time()
    while index.read() and turns < 10:
        turns += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [each.title for each in index.list()] == ["hello"] and turns <= 3
    assert peak < 32 << 20 and process_time() - began < 5  # reading all of it takes 30 s


def test_a_long_file_that_is_replaced_meanwhile_is_read_from_its_beginning(index, short_turns):
    long = PiFile(index.sessions, "long")
    for number in range(300):
        long.user(f"old {number} " + "x" * 1000)
    index.read()
    long.path.unlink()
    other = PiFile(index.sessions, "long")
    for number in range(100):
        other.user(f"new {number} " + "x" * 1000)
    while index.read():
        pass
    assert [each.split()[1] for each in index.timeline("long")] == ["new"] * 100


def test_branches_are_offered_and_not_mixed(index):
    file = PiFile(index.sessions, "one")
    root = file.user("question")
    left = file.assistant("left")
    file.assistant("right", parent=root)
    index.read()
    assert index.timeline("one") == ["user: question", "assistant: right"]
    assert index.timeline("one", branch=left) == ["user: question", "assistant: left"]


def test_a_file_without_a_tree_is_read_too(index):
    file = PiFile(index.sessions, "one", tree=False)
    file.user("question")
    file.assistant("answer")
    index.read()
    assert index.timeline("one") == ["user: question", "assistant: answer"]


def test_copies_of_a_session_are_both_listed_and_the_id_survives_a_rebuild(index):
    file = PiFile(index.sessions, "one")
    file.user("first")
    index.read()
    copy = index.sessions / "--copy--"
    shutil.copytree(file.path.parent, copy)
    index.read()
    ids = {each.id for each in index.list()}
    assert len(ids) == 2 and session_key("pi", "one") in ids
    empty(index.connection)
    index.read()
    assert session_key("pi", "one") in {each.id for each in index.list()}


def test_words_are_found_in_outputs_and_parts_of_words_in_what_people_said(index):
    file = PiFile(index.sessions, "one")
    file.user("Repariere den Zusammenbau, bitte: 修复失败的测试")
    file.call("bash", {"command": "grep -n parse_line src/main.py"}, "src/main.py:12: def parse_line(text):")
    index.read()
    for query in ("zusammen", "sammenb", "失败的测", "parse_li", "src/main.py", "MAIN.PY parse_line", "grep"):
        assert index.found(query), query
    for query in ("nowhere", "arse_line", "zusammenbau parse_line"):
        assert not index.found(query), query


def test_a_replaced_entry_is_no_longer_found(index):
    file = PiFile(index.sessions, "one")
    file.user("elephant")
    index.read()
    file.path.unlink()
    PiFile(index.sessions, "one").user("giraffe")
    index.read()
    assert index.found("giraffe") and not index.found("elephant")


def test_a_full_text_index_that_is_mostly_about_replaced_entries_is_begun_again(index, monkeypatch):
    monkeypatch.setattr(index_file, "LEAST_REMOVED", 50)
    gone = PiFile(index.sessions, "gone")
    gone.user("walrus")
    index.read()
    aside = gone.path.with_suffix(".aside")
    gone.path.rename(aside)
    for version in range(8):
        (index.sessions / "--work--" / "2026-01-01T00-00-00-000Z_one.jsonl").unlink(missing_ok=True)
        file = PiFile(index.sessions, "one")
        for number in range(20):
            file.user(f"version{version} text{number} " + " ".join(f"{version}w{number}w{at}" for at in range(200)))
        index.read()
        assert has_outgrown(index.connection) == (version > 2)
    index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = index.file.path.stat().st_size

    forget_words(index.connection)
    assert {each.native_id: each.is_gone for each in index.list()} == {"one": False, "gone": True}
    index.read()
    assert index.connection.execute("SELECT count(*) FROM words_docsize").fetchone() == (20,)
    assert index.found("version7 text5") and index.found("ersion7") and not index.found("version6")
    assert not has_outgrown(index.connection)
    index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert index.file.path.stat().st_size < 0.6 * size

    aside.rename(gone.path)
    index.read()
    assert index.found("walrus") and not any(each.is_gone for each in index.list())


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(max_size=30))
def test_no_query_is_an_error(index, query):
    text_search.candidates(index.connection, text_search.words_of(query))


def test_an_index_that_is_damaged_or_of_another_layout_is_built_again(index):
    PiFile(index.sessions, "one").user("first")
    index.read()
    index.connection.execute("PRAGMA user_version = 99")
    index.connection.close()
    index.connection = index.file.open()
    assert index.read() == 1
    index.connection.close()
    index.file.path.write_bytes(b"not a database, but long enough to be read as one" * 100)
    index.connection = index.file.open()
    assert index.read() == 1 and len(index.list()) == 1


def test_one_process_writes(index):
    with index.file.writer() as first, IndexFile(index.file.folder).writer() as second:
        assert first and not second
    with index.file.writer() as first:
        assert first


def test_the_index_has_no_text_of_a_transcript(index):
    file = PiFile(index.sessions, "one")
    file.user("A title")
    file.call("bash", {"command": "echo supersecretargument"}, "supersecretoutput " * 50)
    file.assistant("supersecretanswer and more words")
    index.read()
    index.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    dump = "\n".join(sqlite3.connect(index.file.path).iterdump())
    assert "echo supersecret" not in dump and "and more words" not in dump
    assert index.file.path.stat().st_mode & 0o777 == 0o600


def test_hostile_values_keep_nobody_from_being_read(index, monkeypatch):
    file = PiFile(index.sessions, "huge", cwd="/" + "x" * 100_000)
    file.user("y" * 100_000)
    for _ in range(3):
        file.message("assistant", "z", model="m" * 100_000, usage={"input": 2**53 - 1, "output": 2**53 - 1})
    file.write({"type": "message", "id": "i" * 100_000, "parentId": file.last, "message": {"role": "user"}})
    for number in range(1100):
        usage = {"input": 2**53 - 1, "output": 1}
        file.write(
            {"type": "message", "id": f"n{number}", "message": {"role": "assistant", "usage": usage, "content": "a"}}
        )
    PiFile(index.sessions, "modest").user("hello")
    index.read()
    assert {each.native_id for each in index.list()} == {"huge", "modest"}
    huge = next(each for each in index.list() if each.native_id == "huge")
    assert len(huge.cwd) < 5000 and len(huge.title) <= 200 and len(huge.models[0]) < 400
    assert huge.usage.input_tokens > 2**60
    assert list(usage_rows(index.connection, since=None, project=None, only=None))


def test_a_reader_that_fails_is_not_asked_again_until_the_file_changes(index, monkeypatch):
    broken, fine = PiFile(index.sessions, "broken"), PiFile(index.sessions, "fine")
    broken.user("bad")
    fine.user("good")
    (store,) = index.stores["pi"]
    whole = store.read_line

    def read_line(position, line):
        if "bad" in str(line):
            raise ValueError("a bug")
        return whole(position, line)

    index.stores = {"pi": (msgspec.structs.replace(store, read_line=read_line),)}
    index.read()
    assert [each.native_id for each in index.list()] == ["fine"]
    assert index.read() == 0
    broken.user("better")
    index.stores = {"pi": (store,)}
    assert index.read() == 1
    assert {each.title for each in index.list()} == {"bad", "good"}


OPENCODE = Path(__file__).parents[2] / "fixtures" / "sessions" / "opencode" / "edit-1.18.33.sql"


@pytest.fixture
def opencode(index, tmp_path):
    """The same index, with opencode's database of one session."""
    file = tmp_path / "opencode" / "opencode.db"
    file.parent.mkdir()
    database = sqlite3.connect(file)
    database.executescript(OPENCODE.read_text())
    database.close()
    index.stores = {"opencode": of_opencode({"OPENCODE_DB": str(file), "HOME": "/none"})}
    return file


def test_a_database_is_read_and_a_change_in_it_noticed(index, opencode):
    assert index.read() == 1
    assert index.list()[0].title == "ok" and index.found("walrus") == set()
    with sqlite3.connect(opencode) as database:
        database.execute("UPDATE session SET title = 'walrus', time_updated = time_updated + 1")
    assert index.read() == 1
    assert index.list()[0].title == "walrus"


def test_a_database_that_its_cli_has_locked_is_read_from_a_copy(index, opencode):
    locked = sqlite3.connect(opencode, isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    assert index.read() == 1 and not index.list()[0].is_gone
    locked.close()


def copied(opencode: Path) -> None:
    """Add 20 copies of the session."""
    with sqlite3.connect(opencode) as database:
        columns = [str(row[1]) for row in database.execute("PRAGMA table_info(session)")]
        others = ", ".join(columns[1:])
        for number in range(20):
            database.execute(
                f"INSERT INTO session SELECT 'copy{number}', {others} FROM session WHERE title = 'ok' LIMIT 1"
            )


def test_a_locked_database_is_copied_once_for_all_its_sessions(index, opencode, monkeypatch):
    copied(opencode)
    made, folders = [], []
    whole = cli_databases._copy
    monkeypatch.setattr(cli_databases, "DATABASE_SECONDS", 0.05)
    monkeypatch.setattr(
        cli_databases, "_copy", lambda at, to, **more: (made.append(at), folders.append(to), whole(at, to, **more))[2]
    )
    locked = sqlite3.connect(opencode, isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    assert index.read() == 21
    assert made == [opencode, Path(f"{opencode}-wal")]
    assert not any(each.parent.exists() for each in folders)
    locked.execute("ROLLBACK")
    with sqlite3.connect(opencode) as database:
        database.execute("UPDATE session SET title = 'walrus', time_updated = time_updated + 1")
    assert index.read() == 21 and len(made) == 2
    assert {each.title for each in index.list()} == {"walrus"}
    locked.close()


def test_a_locked_database_that_cannot_be_copied_is_tried_once(index, opencode, monkeypatch):
    tried = []

    def copy(source: Path, *_: object, **__: object) -> None:
        tried.append(source)
        raise OSError("no space")

    monkeypatch.setattr(cli_databases, "DATABASE_SECONDS", 0.05)
    monkeypatch.setattr(cli_databases, "_copy", copy)
    locked = sqlite3.connect(opencode, isolation_level=None)
    locked.execute("BEGIN EXCLUSIVE")
    with DatabaseCopies() as copies:
        for _ in range(3):
            with pytest.raises(OSError, match="no space"), opened_database(opencode, opencode.parent, copies):
                pass
    assert tried == [opencode]
    locked.close()


def test_a_session_of_openclaw_is_listed_and_read_line_by_line(index, tmp_path):
    file = tmp_path / "agents" / "main" / "agent" / "openclaw-agent.sqlite"
    file.parent.mkdir(parents=True)
    database = sqlite3.connect(file)
    database.executescript((OPENCODE.parents[1] / "openclaw" / "edit-2026.9.6.sql").read_text())
    index.stores = {"openclaw": of_openclaw({"OPENCLAW_STATE_DIR": str(tmp_path)})}
    assert index.read() == 1
    (session,) = index.list()
    assert (session.title, session.cwd) == ("Please create hello.txt", "/home/agent/.openclaw/workspace")
    assert (session.messages, session.calls, session.usage.input_tokens) == (2, 1, 300)
    row, _, _ = load_session(index.connection, session.id)
    rows = rows_of(index.connection, row.number)
    outline = outline_of(rows)
    assert len(outline.ends) == 1 and len(outline.edits) == 1 and len(outline.people) == 2
    assert set(read_entries(index.stores["openclaw"][0], row, rows)) == {each.id for each in rows}
    database.execute("INSERT INTO transcript_events VALUES ('cab3', 14, '{\"type\": \"x\"}', 0, NULL, NULL, NULL)")
    database.commit()
    database.close()
    assert index.read() == 1 and index.read() == 0
    assert len(index.list()) == 1


@pytest.mark.parametrize("suffix", ["-journal", "-wal", "-shm"])
def test_a_pipe_beside_a_database_stops_nobody(index, opencode, suffix):
    index.read()
    Path(f"{opencode}{suffix}").unlink(missing_ok=True)
    os.mkfifo(f"{opencode}{suffix}")
    PiFile(index.sessions, "fine").user("hello")
    index.stores["pi"] = session_stores({"PI_CODING_AGENT_SESSION_DIR": str(index.sessions), "HOME": "/none"})
    index.read()
    assert {each.title: each.is_gone for each in index.list()} == {"ok": False, "hello": False}


def test_a_database_without_an_end_is_given_up_and_its_sessions_stay(index, opencode, monkeypatch):
    monkeypatch.setattr(cli_databases, "READING_SECONDS", 0.2)
    index.read()
    with sqlite3.connect(opencode) as database:
        database.executescript(
            "ALTER TABLE session RENAME TO old; CREATE VIEW session AS WITH RECURSIVE c(x) AS"
            " (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x AS id, '' AS parent_id, '' AS directory, '' AS title,"
            " 1 AS time_updated FROM c WHERE x < 0"
        )
    assert index.read() == 0
    assert [each.is_gone for each in index.list()] == [False]


def test_a_text_that_is_not_utf_8_costs_no_other_session(index, opencode):
    index.read()
    with sqlite3.connect(opencode) as database:
        database.execute(
            "INSERT INTO session SELECT 'ses_other', project_id, workspace_id, parent_id, slug, directory, path,"
            " CAST(x'ff41' AS TEXT), version, share_url, summary_additions, summary_deletions, summary_files,"
            " summary_diffs, metadata, cost, tokens_input, tokens_output, tokens_reasoning, tokens_cache_read,"
            " tokens_cache_write, revert, permission, agent, model, time_created, time_updated, time_compacting,"
            " time_archived FROM session"
        )
    index.read()
    assert not index.list()[0].is_gone


def test_a_session_that_is_moved_keeps_its_id(index):
    file = PiFile(index.sessions, "one")
    file.user("first")
    index.read()
    archive = index.sessions / "--archive--"
    archive.mkdir()
    file.path.rename(archive / file.path.name)
    index.read()
    (session,) = index.list()
    assert session.id == session_key("pi", "one") and not session.is_gone


def test_a_first_line_that_was_torn_does_not_fix_the_id(index):
    file = PiFile(index.sessions, "one")
    content = file.path.read_text().replace('"id": "one"', '"id": "the-whole-id"')
    file.path.write_text(content[:30])
    index.read()
    file.path.write_text(content)
    file.user("first")
    index.read()
    assert [each.native_id for each in index.list()] == ["the-whole-id"]


def test_a_file_whose_name_is_not_text_is_left_out(index):
    PiFile(index.sessions, "fine").user("hello")
    Path(os.fsdecode(os.fsencode(index.sessions) + b"/time_\xff.jsonl")).write_text("{}\n")
    index.read()
    assert [each.native_id for each in index.list()] == ["fine"]


def test_only_the_files_that_were_reported_are_compared(index):
    one, other = PiFile(index.sessions, "one"), PiFile(index.sessions, "other")
    one.user("hello")
    other.user("there")
    assert index.read() == 2
    one.assistant("hi")
    other.assistant("hi")
    (index.sessions / "--work--" / "notes.txt").write_text("no session")
    assert index.read_reported(one.path, one.path.parent / "notes.txt") == 1
    assert index.timeline("one")[-1] == "assistant: hi" and index.timeline("other") == ["user: there"]
    assert index.read_reported(one.path) == 0  # it has not changed since
    third = PiFile(index.sessions, "third")
    third.user("new")
    assert index.read_reported(third.path) == 1 and len(index.list()) == 3


def test_a_folder_a_vanished_file_another_name_and_a_database_need_a_sweep(index, tmp_path):
    file = PiFile(index.sessions, "one")
    file.user("hello")
    assert index.read() == 1
    (tmp_path / "link").symlink_to(index.sessions)
    assert index.read_reported(index.sessions / "--work--") is None
    assert index.read_reported(tmp_path / "link" / "--work--" / file.path.name) is None
    file.path.unlink()
    assert index.read_reported(file.path) is None
    index.stores["opencode"] = of_opencode({"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)})
    database = index.stores["opencode"][0].folder / "opencode.db"
    assert index.read_reported(database) is None
