"""The search in one session: every match has its place, also far from the beginning, in a result and beside others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from harness.pi_files import PiFile

from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.runtimes.session_entries import Entry
from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexing import read_sources, sweep
from jupyter_cabinet.transcripts.model import TimelineMatches, session_key
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies
from jupyter_cabinet.transcripts.reading.entry_reader import IndexedEntry, read_entries, rows_of
from jupyter_cabinet.transcripts.search import text_search, timeline_search
from jupyter_cabinet.transcripts.session_list import load_session
from jupyter_cabinet.transcripts.timeline.outline import outline_of


def searched(place: Path, query: str) -> TimelineMatches:
    """Index the sessions of pi in a folder, and search in the one with the native id `one`."""
    stores = {"pi": session_stores({"PI_CODING_AGENT_SESSION_DIR": str(place / "pi"), "HOME": "/none"})}
    connection = IndexFile(place / "index").open()
    with DatabaseCopies() as copies:
        changed = sweep(connection, stores, copies).changed
        list(read_sources(connection, ((stores["pi"][0], each) for each in changed), copies))
    found = load_session(connection, session_key("pi", "one"))
    assert found is not None

    def read(rows: Collection[IndexedEntry]) -> Mapping[str, Entry]:
        return read_entries(stores["pi"][0], found[0], tuple(rows))

    outline = outline_of(rows_of(connection, found[0].number))
    matches = timeline_search.find_matches(connection, outline, text_search.words_of(query), read)
    connection.close()
    return matches


def test_a_match_is_found_wherever_it_is_and_never_one_of_another_session(tmp_path: Path) -> None:
    file, other = PiFile(tmp_path / "pi", "one"), PiFile(tmp_path / "pi", "two")
    for number in range(700):
        file.user(f"step {number}")
        other.user("a quokka")
    file.call("bash", {"command": "ls zoo"}, "quokka.txt")
    file.assistant("An unquokkable Quokka.")
    assert searched(tmp_path, "quokka").places == (700, 701)
    assert searched(tmp_path, "step 69").places == (
        69,
        *range(690, 700),
    )  # fewer than three characters: words that begin so
    assert searched(tmp_path, "zoo QUOKKA").places == ()  # not in one entry: the result is another one
    assert searched(tmp_path, "  ").places == ()


def test_a_timeline_without_entries_has_no_match(tmp_path: Path) -> None:
    connection = IndexFile(tmp_path).open()
    assert timeline_search.find_matches(connection, outline_of(()), ("x",), lambda rows: {}).places == ()
    connection.close()


def test_too_frequent_words_are_searched_for_from_the_beginning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timeline_search, "MOST_READ", 5)
    monkeypatch.setattr(timeline_search, "READ_AT_ONCE", 2)
    file = PiFile(tmp_path / "pi", "one")
    for number in range(9):
        file.user(f"step {number}")
    found = searched(tmp_path, "step")
    assert (found.places, found.is_complete) == ((0, 1, 2, 3, 4), False)
    assert searched(tmp_path, "step 8").is_complete
