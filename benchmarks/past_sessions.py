"""The index of past sessions: reading, a second start, a grown file, search, and opening a long timeline.

`session_corpus.py` writes the transcripts, `JUPYTER_CABINET_BENCHMARK_SESSIONS` of them, of 0.5 MB on average.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

from jupyter_cabinet.runtimes.claude import stored_sessions as claude
from jupyter_cabinet.runtimes.codex import stored_sessions as codex
from jupyter_cabinet.runtimes.gemini import stored_sessions as gemini
from jupyter_cabinet.runtimes.pi import stored_sessions as pi
from jupyter_cabinet.runtimes.session_entries import SessionStore
from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexing import compare_files, read_sources, sweep
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies
from jupyter_cabinet.transcripts.reading.entry_reader import read_entries, rows_at, rows_of
from jupyter_cabinet.transcripts.search import text_search
from jupyter_cabinet.transcripts.session_list import load_session
from jupyter_cabinet.transcripts.timeline.outline import entry_of, outline_of, page_of

from .figures import Figure, interleave
from .session_corpus import SessionCorpus

SESSIONS = int(os.environ.get("JUPYTER_CABINET_BENCHMARK_SESSIONS", "400"))
LONG_ENTRIES = 50_000
QUERIES = ("walrus", "untrusted_files", "def read_line", "heartbeat", "msgspec.Struct frozen", "ticket123456")
SEARCHES = 20  # of each query, for the percentiles
CONFIRMED = 20  # as many matches are read again from the transcripts
INDEX_AIM, SWEEP_AIM_SECONDS, GROWN_AIM_SECONDS, SEARCH_AIM, OPEN_AIM_SECONDS = 20, 2, 0.05, 1, 0.3
MEMORY_AIM_MIB = 200


def measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-") as place:
        corpus = _Corpus(Path(place))
        return [
            *corpus.reading(),
            corpus.second_start(rounds),
            corpus.grown(rounds),
            *corpus.searches(rounds),
            corpus.opening(rounds),
        ]


class _Corpus:
    def __init__(self, place: Path) -> None:
        self._place = place
        self._corpus = SessionCorpus(place / "home")
        self._corpus.write(SESSIONS)
        self._stores = _stores(self._corpus.environment)
        self._bytes = sum(path.stat().st_size for path in self._corpus.files())

    def reading(self) -> Iterator[Figure]:
        ours, our_memory = _in_new_process(_index, self._place)
        peer, peer_memory = _in_new_process(_decode_all, self._place)
        self._index = IndexFile(self._place / "index")
        self._connection = self._index.open()
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        mebibytes = self._bytes / 2**20
        share = self._index.path.stat().st_size / self._bytes
        peer_is = "`json.loads` of every line"
        yield Figure(
            what=(
                f"indexing {SESSIONS:,} sessions of four CLIs, {mebibytes:,.0f} MiB, {mebibytes / ours:.1f} MiB/s"
                f" (the index has {share:.2f} of their size)"
            ),
            unit="s",
            ours=(ours,),
            peer=(peer,),
            peer_is=peer_is,
            measure="ratio",
            aim=INDEX_AIM,
        )
        yield Figure(
            what="peak memory of a process that indexes them",
            unit="MiB",
            ours=(our_memory,),
            peer=(peer_memory,),
            peer_is=peer_is,
            measure="difference",
            aim=MEMORY_AIM_MIB,
        )

    def second_start(self, rounds: int) -> Figure:
        parts = {
            "ours": lambda: _in_new_process(_index, self._place)[0],
            "peer": lambda: _seconds(lambda: [path.stat() for path in self._corpus.files()]),
        }
        return Figure(
            what=f"a second start: a new process compares {SESSIONS:,} sessions with the index, without a change",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`stat` of every file",
            measure="ours",
            aim=SWEEP_AIM_SECONDS,
        )

    def grown(self, rounds: int) -> Figure:
        of_pi = (path for path in self._corpus.files() if ".pi" in path.parts)
        path = next(path for path in of_pi if 10**6 < path.stat().st_size < 2 * 10**6)
        message = {"role": "user", "content": "One more walrus, please."}
        line = json.dumps({"type": "message", "timestamp": "2026-12-01T00:00:00Z", "message": message}) + "\n"

        def ours() -> float:
            with path.open("a") as file:
                file.write(line)
            return _seconds(lambda: self._read_reported(path))

        parts = {"ours": ours, "peer": lambda: _seconds(lambda: _decoded(path))}
        return Figure(
            what="a file of 1 MB that has grown by a line, from the report of its change",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`json.loads` of every line of that file",
            measure="ours",
            aim=GROWN_AIM_SECONDS,
        )

    def _read_reported(self, path: Path) -> None:
        found = compare_files(self._connection, self._stores, [str(path)])
        assert found is not None and len(found.changed) == 1
        store = self._stores["pi"][0]
        for _ in read_sources(self._connection, ((store, each) for each in found.changed), DatabaseCopies()):
            pass

    def searches(self, rounds: int) -> Iterator[Figure]:
        def ours() -> float:
            return _seconds(lambda: [self._search(query) for query in QUERIES])

        def peer() -> float:
            return _seconds(lambda: [_grep(query.split()[0], self._corpus.home) for query in QUERIES])

        peer_is = "`grep -rilF` of one word of each, over the same files"
        yield Figure(
            what=f"{len(QUERIES)} searches, each with its first {CONFIRMED} matches confirmed",
            unit="s",
            **interleave(rounds, {"ours": ours, "peer": peer}),
            peer_is=peer_is,
            measure="ratio",
            aim=SEARCH_AIM,
        )
        found = [_seconds(partial(self._search, query)) for _ in range(SEARCHES) for query in QUERIES]
        read = [_seconds(partial(_grep, query.split()[0], self._corpus.home)) for query in QUERIES]
        for what, share in (("half", 50), ("99 of 100", 99)):
            yield Figure(
                what=f"searches in {SESSIONS:,} sessions: {what} take at most",
                unit="s",
                ours=(_percentile(found, share),),
                peer=(_percentile(read, share),),
                peer_is=peer_is,
                measure="ratio",
                aim=SEARCH_AIM,
            )

    def _search(self, query: str) -> int:
        words, found = text_search.words_of(query), 0
        for session, numbers in list(text_search.candidates(self._connection, words).items())[:CONFIRMED]:
            id = self._connection.execute("SELECT id FROM sessions WHERE number = ?", (session,)).fetchone()[0]
            loaded = load_session(self._connection, id)
            assert loaded is not None
            store = self._stores[loaded[0].runtime][loaded[0].store]
            entries = read_entries(store, loaded[0], rows_at(self._connection, numbers[:5])).values()
            found += any(text_search.matches(text_search.searched_text(entry), words) for entry in entries)
        return found

    def opening(self, rounds: int) -> Figure:
        path = self._corpus.write_session("claude", SESSIONS, entries=LONG_ENTRIES)
        _read(self._connection, self._stores)
        parts = {"ours": lambda: _seconds(partial(self._open, path)), "peer": lambda: _seconds(lambda: _decoded(path))}
        return Figure(
            what=f"the last 200 of the entries of a timeline of {LONG_ENTRIES:,} lines",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`json.loads` of every line of that file",
            measure="ours",
            aim=OPEN_AIM_SECONDS,
        )

    def _open(self, path: Path) -> None:
        with closing(self._index.open()) as connection:
            id = connection.execute("SELECT id FROM sessions WHERE source = ?", (str(path),)).fetchone()[0]
            loaded = load_session(connection, id)
            assert loaded is not None
            outline = outline_of(rows_of(connection, loaded[0].number))
            start = len(outline.shown) - 200
            page, needed = page_of(outline, start, 200)
            entries = read_entries(self._stores["claude"][0], loaded[0], needed)
            shown = [entry_of(outline, start + at, entries, {}, "claude") for at in range(len(page))]
            assert len(shown) == 200 and all(each.text or each.tool for each in shown)


def _stores(environment: dict[str, str]) -> dict[str, tuple[SessionStore, ...]]:
    readers = {"claude": claude, "codex": codex, "gemini": gemini, "pi": pi}
    return {name: reader.session_stores(environment) for name, reader in readers.items()}


def _read(connection: sqlite3.Connection, stores: dict[str, tuple[SessionStore, ...]]) -> None:
    copies = DatabaseCopies()  # of nothing: these CLIs keep files
    waiting = sweep(connection, stores, copies).changed
    while waiting:
        sources = ((stores[each.runtime][each.store], each) for each in waiting)
        waiting = tuple(each for batch in read_sources(connection, sources, copies) for each in batch.unfinished)


def _index(place: Path) -> None:
    stores = _stores(SessionCorpus(place / "home").environment)
    with closing(IndexFile(place / "index").open()) as connection:
        _read(connection, stores)


def _decode_all(place: Path) -> None:
    for path in SessionCorpus(place / "home").files():
        _decoded(path)


def _in_new_process(work: Callable[[Path], None], place: Path) -> tuple[float, float]:
    """Return the seconds of the work in a process with nothing else, and the peak memory of that process in MiB."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(work, place, there))
    process.start()
    seconds, mebibytes = here.recv()
    process.join()
    return float(seconds), float(mebibytes)


def _measured(work: Callable[[Path], None], place: Path, answer: Connection) -> None:
    seconds = _seconds(lambda: work(place))
    answer.send((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))


def _decoded(path: Path) -> int:
    with path.open("rb") as file:
        return sum(len(json.loads(line)) for line in file)


def _grep(word: str, folder: Path) -> None:
    subprocess.run([shutil.which("grep") or "grep", "-rilF", word, folder], stdout=subprocess.DEVNULL, check=False)


def _percentile(times: list[float], share: int) -> float:
    return sorted(times)[(len(times) - 1) * share // 100]


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
