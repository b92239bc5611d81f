"""Search in an agent's memory: it finds what a scan of the files finds, as they are now, and no other agent's files."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.examples import examples
from harness.memory_texts import HEADING, TAINTED, WORDS, memory_texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.files.safe_files import MAX_FILE_BYTES
from jupyter_cabinet.agents.memory import memory_index, memory_search
from jupyter_cabinet.agents.memory.memory_index import IndexedFile, MemoryIndex
from jupyter_cabinet.agents.memory.memory_search import MemorySearch
from jupyter_cabinet.agents.memory.passages import passages
from jupyter_cabinet.agents.memory.word_matching import folded, words_of
from jupyter_cabinet.core.errors import NotFound, Unavailable

TEXTS_OF_AN_EXAMPLE = 10
EVERYTHING = 1_000_000
DAMAGED_INDEXES = 300


class Shelf:
    """The agents `ada` and `bob`, and the search over their memory."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.data = folder / "data"
        for slug in ("ada", "bob"):
            (self.root / ".agents" / slug / "memory").mkdir(parents=True)
            (self.root / ".agents" / slug / "persona.md").write_text(f"---\nname: {slug}\n---\nHi.\n")
        self.memory = self.root / ".agents" / "ada" / "memory"
        self.read: list[str] = []
        self.search = self.again()

    def again(self) -> MemorySearch:
        """What a server has after a restart."""
        folders = AgentFolders(self.root, self.root / ".cabinet")
        read_file = folders.read_file

        def counted(slug: str, path: str) -> object:
            self.read.append(path)
            return read_file(slug, path)

        folders.read_file = counted  # type: ignore[method-assign, assignment]
        return MemorySearch(folders, root=self.root, data=self.data)

    def write(self, name: str, text: str, *, age: float = 60.0) -> None:
        path = self.memory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        os.utime(path, (time.time() - age,) * 2)

    def found(self, query: str, *, limit: int = 20, slug: str = "ada", with_tainted: bool = True) -> list[str]:
        findings = self.search.search(slug, query, limit=limit, with_tainted=with_tainted)
        return [each.match.path.removeprefix("memory/") for each in findings.items]

    @property
    def index(self) -> Path:
        (path,) = self.data.rglob("ada.db")
        return path


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every file had been changed long ago; the time of its status cannot be set."""
    monkeypatch.setattr(memory_search, "SETTLED_NS", 0)


# --- the same as a scan ------------------------------------------------------------------------


def scan(texts: dict[str, str], words: tuple[str, ...], *, with_tainted: bool) -> set[tuple[str, int]]:
    """The file and the first character of each passage with all words."""
    return {
        (path, each.start)
        for path, text in texts.items()
        for each in passages(text)
        if (with_tainted or not each.tainted) and all(word in folded(each.text) for word in words)
    }


def state_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@settings(max_examples=examples(50), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    st.lists(memory_texts(30), min_size=TEXTS_OF_AN_EXAMPLE, max_size=TEXTS_OF_AN_EXAMPLE),
    st.lists(st.lists(st.sampled_from(WORDS) | st.text(max_size=4), min_size=1, max_size=3), min_size=1, max_size=8),
    st.booleans(),
)
def test_a_search_finds_what_a_scan_of_all_files_finds(
    tmp_path: Path, several: list[str], queries: list[list[str]], with_tainted: bool
) -> None:
    """One index for all examples: what an earlier example has stored must not be found."""
    index = MemoryIndex(tmp_path / "index.db")
    texts = {f"memory/{number}.md": text.encode().decode() for number, text in enumerate(several)}
    files = [IndexedFile(path=path, state=state_of(text), modified=1.0) for path, text in texts.items()]
    for query in queries:
        words = words_of(" ".join(query))
        if not words:
            continue
        found = index.search(
            files, lambda path: texts[path].encode(), words, limit=EVERYTHING, with_tainted=with_tainted
        ).passages
        assert {(each.path, each.start) for each in found} == scan(texts, words, with_tainted=with_tainted)
        assert len(found) == len({(each.path, each.start) for each in found})
        for each in found:
            start = each.start
            assert texts[each.path][start : start + len(each.text)] == each.text


def test_a_failure_while_a_file_is_indexed_keeps_the_others(tmp_path: Path) -> None:
    index = MemoryIndex(tmp_path / "index.db")
    old, new = (IndexedFile(path=name, state="1", modified=1.0) for name in ("old.md", "new.md"))
    assert len(index.search([old], lambda path: b"plums", ("plums",), limit=5, with_tainted=True).passages) == 1

    def failing(path: str) -> bytes:
        raise RuntimeError("It fails.")

    with pytest.raises(RuntimeError):
        index.search([old, new], failing, ("plums",), limit=5, with_tainted=True)
    assert len(index.search([old], failing, ("plums",), limit=5, with_tainted=True).passages) == 1


def test_a_search_with_too_little_time_answers_from_what_is_indexed(
    shelf: Shelf, settled: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        shelf.write(f"{number}.md", "plums", age=10 * number + 10)
    monkeypatch.setattr(memory_index, "INDEXING_SECONDS", 0)
    for searched in (1, 2, 3, 3):
        findings = shelf.search.search("ada", "plums", limit=5)
        assert [each.match.path for each in findings.items] == [f"memory/{number}.md" for number in range(searched)]
        assert (findings.unfinished, findings.left_out) == (3 - searched, 0)
        shelf.search = shelf.again()  # an unfinished index is kept
    assert len(shelf.read) == 3
    shelf.write("0.md", "pears", age=2)
    shelf.write("1.md", "pears", age=3)
    findings = shelf.search.search("ada", "plums", limit=5)
    assert [each.match.path for each in findings.items] == ["memory/2.md"], "an earlier text is not found"
    assert findings.unfinished == 1


# --- what is found -----------------------------------------------------------------------------


def test_all_words_must_occur_in_a_passage_in_any_case_and_also_within_a_word(shelf: Shelf) -> None:
    shelf.write("learnings.md", "The Plums are blue.\n")
    shelf.write("2026-01-14.md", "No plumstones today.\n")
    assert sorted(shelf.found("PLUM")) == ["2026-01-14.md", "learnings.md"]
    assert shelf.found("plum blue") == ["learnings.md"]
    assert shelf.found("plum pears") == []
    assert shelf.found(" \n") == []


@pytest.mark.parametrize(
    "query", ['"', "'", "plums OR pears", "NEAR(plums", "text:plums", "plums*", "-plums", "^plums", "%"]
)
def test_a_query_is_never_syntax(shelf: Shelf, query: str) -> None:
    shelf.write("learnings.md", "The plums are blue.\n")
    assert shelf.found(query) == []
    shelf.write("learnings.md", f"Say {query} here.\n")
    assert shelf.found(query) == ["learnings.md"]


def test_a_match_says_where_it_is(shelf: Shelf) -> None:
    shelf.write("context.md", f"Above.\n\n{HEADING.format(1, '')}🍇 Bought\nPlums and pears.\n")
    (found,) = shelf.search.search("ada", "plums PEARS", limit=5).items
    match = found.match
    assert (match.path, match.line, match.first_line, match.last_line) == ("memory/context.md", 5, 3, 5)
    assert [match.excerpt[start:end] for start, end in match.marks] == ["Plums", "pears"]
    assert "\n" not in match.excerpt and found.text.endswith("Plums and pears.\n")
    assert match.modified == pytest.approx(time.time() - 60, abs=30) and not match.tainted


def test_the_best_comes_first_then_the_newest_and_in_a_file_the_last(shelf: Shelf) -> None:
    shelf.write("old.md", "plums are here\n", age=3000)
    shelf.write("new.md", "plums are here\n", age=10)
    shelf.write("best.md", "plums plums plums\n", age=9000)
    shelf.write("long.md", "plums " + "and many other words " * 40, age=5)
    assert shelf.found("plums") == ["best.md", "new.md", "old.md", "long.md"]
    assert shelf.found("plums", limit=2) == ["best.md", "new.md"]
    assert shelf.found("re") == ["new.md", "old.md"]  # too short to be ranked
    shelf.write("context.md", HEADING.format(1, "") + "pears\n" + HEADING.format(2, "") + "pears\n")
    assert [each.match.line for each in shelf.search.search("ada", "pears", limit=5).items] == [4, 2]


def test_a_place_in_two_passages_is_found_once(shelf: Shelf) -> None:
    words = " ".join(f"word{number}" for number in range(2000))
    shelf.write("long.md", words)
    for number in range(0, 2000, 37):
        assert len(shelf.search.search("ada", f"word{number} ", limit=1).items) == 1
        findings = shelf.search.search("ada", f"word{number:04}", limit=50).items if number >= 1000 else ()
        assert len({each.match.excerpt for each in findings}) == len(findings)
        assert len(findings) == (1 if number >= 1000 else 0)


def test_tainted_entries_are_left_out_if_the_caller_says_so(shelf: Shelf) -> None:
    shelf.write("learnings.md", f"{HEADING.format(1, TAINTED)}plums\n{HEADING.format(2, '')}plums too\n")
    assert len(shelf.found("plums")) == 2
    (found,) = shelf.search.search("ada", "plums", limit=5, with_tainted=False).items
    assert "too" in found.text and not found.match.tainted


def test_only_memory_is_searched_and_only_the_agents_own(shelf: Shelf) -> None:
    for name in (
        "MEMORY.md",
        "2026-01-14.md",
        "archive/context-2025-01.md",
        "archive/other.md",
        "goals.json",
        "deep/a.md",
    ):
        shelf.write(name, "plums")
    (shelf.memory.parent / "SOUL.md").write_text("plums")
    (shelf.memory.parent / "workspace").mkdir()
    (shelf.memory.parent / "workspace" / "a.md").write_text("plums")
    (shelf.root / ".agents" / "bob" / "memory" / "learnings.md").write_text("plums of bob")
    assert sorted(shelf.found("plums")) == ["2026-01-14.md", "MEMORY.md", "archive/context-2025-01.md"]
    assert shelf.found("plums", slug="bob") == ["learnings.md"] and shelf.found("bob") == []
    assert [each.path for each in shelf.search.files("bob")] == ["memory/learnings.md"]
    for slug in ("nobody", "../bob", "ada.db"):
        with pytest.raises(NotFound):
            shelf.found("plums", slug=slug)


def test_memory_of_older_installations_is_searched(shelf: Shelf) -> None:
    older = shelf.root / ".agents" / ".memory" / "ada"
    older.mkdir(parents=True)
    (older / "decisions.md").write_text("old plums")
    (older / "learnings.md").write_text("old plums")
    shelf.write("learnings.md", "new plums")
    (shelf.memory.parent / "MEMORY.md").write_text("plums as a fact")
    assert sorted(shelf.found("plums")) == ["MEMORY.md", "decisions.md", "learnings.md"]
    assert shelf.found("old") == ["decisions.md"]


# --- files that cannot be used -----------------------------------------------------------------


def test_links_pipes_folders_and_files_that_are_too_large_hide_no_other(shelf: Shelf, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("plums outside")
    (shelf.memory / "link.md").symlink_to(secret)
    (shelf.memory / "archive").symlink_to(tmp_path)
    os.link(secret, shelf.memory / "hard.md")
    os.mkfifo(shelf.memory / "pipe.md")
    (shelf.memory / "folder.md").mkdir()
    shelf.write("large.md", "plums" * (MAX_FILE_BYTES // 5 + 1))
    os.close(os.open(os.fsencode(shelf.memory) + b"/\xff.md", os.O_CREAT))
    shelf.write("good.md", "plums")
    (shelf.memory / "bytes.md").write_bytes(b"\xff\xfe plums \0 pears")
    findings = shelf.search.search("ada", "plums", limit=50)
    assert sorted(each.match.path for each in findings.items) == ["memory/bytes.md", "memory/good.md"]
    assert findings.left_out == 2, "the hard link and the large file"
    assert "memory/hard.md" not in files_of(shelf)
    assert shelf.found("pears \0") == ["bytes.md"]


def test_a_file_that_cannot_be_read_is_counted_until_it_can(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf.write("good.md", "plums")
    shelf.write("bad.md", "plums")
    real, folders = shelf.search._folders.read_file, shelf.search._folders

    def refusing(slug: str, path: str) -> object:
        if path.endswith("bad.md"):
            raise NotFound("It is gone.")
        return real(slug, path)

    monkeypatch.setattr(folders, "read_file", refusing)
    for _ in range(2):
        findings = shelf.search.search("ada", "plums", limit=5)
        assert (len(findings.items), findings.left_out) == (1, 1)
    monkeypatch.setattr(folders, "read_file", real)
    findings = shelf.search.search("ada", "plums", limit=5)
    assert (len(findings.items), findings.left_out) == (2, 0)


def test_of_too_many_files_the_newest_are_searched(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(5):
        shelf.write(f"{number}.md", "plums", age=10 * number)
    monkeypatch.setattr(memory_search, "MOST_FILES", 3)
    assert shelf.found("plums") == ["0.md", "1.md", "2.md"]
    monkeypatch.setattr(memory_search, "MOST_BYTES", 11)
    assert shelf.found("plums") == ["0.md", "1.md"]
    assert shelf.search.search("ada", "plums", limit=5).left_out == 3


# --- changes -----------------------------------------------------------------------------------


def test_only_changed_files_are_read_again_also_after_a_restart(shelf: Shelf, settled: None) -> None:
    for name in ("a.md", "b.md"):
        shelf.write(name, "plums")
    assert len(shelf.found("plums")) == 2 and len(shelf.read) == 2
    assert len(shelf.found("plums")) == 2 and len(shelf.read) == 2
    shelf.write("b.md", "pears", age=30)
    shelf.search = shelf.again()
    assert shelf.found("plums") == ["a.md"] and shelf.read[2:] == ["memory/b.md"]
    assert shelf.found("pears") == ["b.md"] and len(shelf.read) == 3
    (shelf.memory / "a.md").unlink()
    assert shelf.found("plums") == [] and len(shelf.read) == 3


def test_a_change_right_after_a_search_is_found_even_with_the_same_size_and_time(shelf: Shelf) -> None:
    path = shelf.memory / "a.md"
    path.write_text("plums")
    before = path.stat()
    assert shelf.found("plums") == ["a.md"]
    with path.open("r+") as file:  # the same inode
        file.write("pears")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert shelf.found("pears") == ["a.md"] and shelf.found("plums") == []


@pytest.mark.parametrize("damage", ["nothing", "garbage", "middle", "empty", "layout", "removed"])
def test_an_index_that_is_missing_damaged_or_of_another_layout_is_built_again(
    shelf: Shelf, settled: None, damage: str
) -> None:
    for number in range(30):
        shelf.write(f"{number}.md", f"plums {number} " + "and some more words " * 40)
    assert len(shelf.found("plums", limit=50)) == 30
    path = shelf.index
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    if damage == "garbage":
        path.write_bytes(b"no database" * 1000)
    elif damage == "middle":
        content = bytearray(path.read_bytes())
        content[4096:-4096] = b"\xa5" * len(content[4096:-4096])
        path.write_bytes(content)
    elif damage == "empty":
        path.write_bytes(b"")
    elif damage == "layout":
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA user_version=99")
        connection.close()
    elif damage == "removed":
        path.unlink()
    assert len(shelf.found("plums", limit=50)) == 30
    assert len(shelf.read) == (30 if damage == "nothing" else 60)


@pytest.mark.long(reason="many ways to damage an index")
def test_each_damaged_index_is_built_again(shelf: Shelf) -> None:
    """The first search after a start finds damage of any kind: some of it is no error of SQLite."""
    shelf.write("a.md", "hello canary\n")
    assert shelf.found("canary") == ["a.md"]
    path, chosen = shelf.index, random.Random(2)
    good = path.read_bytes()
    for number in range(DAMAGED_INDEXES):
        damaged = bytearray(good)
        for _ in range(chosen.choice((1, 5, 200))):
            damaged[chosen.randrange(len(damaged))] = chosen.randrange(256)
        for each in path.parent.iterdir():
            each.unlink()
        path.write_bytes(damaged)
        shelf.search = shelf.again()
        assert shelf.found("canary") == ["a.md"], number


@pytest.mark.parametrize(
    "damage", ["DELETE FROM compared", "DELETE FROM passages", "DELETE FROM files", "DELETE FROM compared_data"]
)
@pytest.mark.parametrize("is_restarted", [False, True])
def test_an_index_with_lost_parts_is_built_again(shelf: Shelf, settled: None, damage: str, is_restarted: bool) -> None:
    shelf.write("a.md", "plums")
    shelf.found("plums")
    connection = sqlite3.connect(shelf.index)
    with connection:
        connection.execute(damage)
    connection.close()
    if is_restarted:
        shelf.search = shelf.again()
    assert shelf.found("plums") == ["a.md"]
    assert len(shelf.read) == 2


def test_an_index_that_cannot_be_written_is_an_error_in_words(shelf: Shelf) -> None:
    shelf.write("a.md", "plums")
    shelf.found("plums")
    path = shelf.index
    path.unlink()
    path.mkdir()
    (path / "in the way").touch()
    with pytest.raises(Unavailable, match="cannot be used"):
        shelf.found("plums")


def test_another_server_that_holds_the_index_for_long_is_an_error_and_damages_nothing(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jupyter_cabinet.agents.memory.memory_index.BUSY_SECONDS", 0.1)
    shelf.write("a.md", "plums")
    shelf.found("plums")
    other = sqlite3.connect(shelf.index, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    shelf.write("b.md", "plums")
    with pytest.raises(Unavailable, match="locked"):
        shelf.found("plums")
    other.execute("ROLLBACK")
    other.close()
    assert sorted(shelf.found("plums")) == ["a.md", "b.md"]


def test_searches_at_the_same_time_in_two_servers_find_the_same(shelf: Shelf) -> None:
    for number in range(20):
        shelf.write(f"{number}.md", "plums")
    servers = [shelf.again() for _ in range(2)]
    counts: list[int] = []

    def look(server: MemorySearch) -> None:
        for _ in range(5):
            counts.append(len(server.search("ada", "plums", limit=50).items))

    threads = [threading.Thread(target=look, args=(server,)) for server in servers * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert counts == [20] * 20


def test_indexes_of_agents_that_are_gone_are_removed(shelf: Shelf) -> None:
    shelf.search.remove_others()  # nothing is there yet
    shelf.write("a.md", "plums")
    (shelf.root / ".agents" / "bob" / "memory" / "a.md").write_text("plums")
    assert shelf.found("plums") and shelf.found("plums", slug="bob")
    (shelf.root / ".agents" / "bob" / "persona.md").unlink()
    shelf.search.remove_others()
    assert [path.name for path in sorted(shelf.data.rglob("*.db"))] == ["ada.db"]
    assert shelf.found("plums") == ["a.md"]


def files_of(shelf: Shelf) -> Iterator[str]:
    yield from (each.path for each in shelf.search.files("ada"))


def test_files_are_listed_by_path_with_size_and_time(shelf: Shelf) -> None:
    shelf.write("b.md", "12345")
    shelf.write("a.md", "")
    shelf.write("archive/learnings-2025-01.md", "x")
    assert list(files_of(shelf)) == ["memory/a.md", "memory/archive/learnings-2025-01.md", "memory/b.md"]
    assert [each.size for each in shelf.search.files("ada")] == [0, 1, 5]
