"""The index of past sessions: reading, a sweep without changes, a grown file, search, and opening a long timeline.

The corpus is written in pi's format: outputs of tools are source files of this project, what people and agents say are
paragraphs of its documentation. `JUPYTER_CABINET_BENCHMARK_SESSIONS` is the number of sessions, of 0.5 MB each.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import cycle
from pathlib import Path

from jupyter_cabinet.runtimes.pi.stored_sessions import session_stores
from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexing import read_sources, sweep
from jupyter_cabinet.transcripts.model import session_key
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies
from jupyter_cabinet.transcripts.reading.entry_reader import read_entries, rows_at, rows_of
from jupyter_cabinet.transcripts.search import text_search
from jupyter_cabinet.transcripts.session_list import load_session
from jupyter_cabinet.transcripts.timeline.outline import entry_of, outline_of, page_of

from .figures import Figure, interleave

ROOT = Path(__file__).parents[1]
SESSIONS = int(os.environ.get("JUPYTER_CABINET_BENCHMARK_SESSIONS", "400"))
SESSION_BYTES = 500_000
LONG_ENTRIES = 50_000
OUTPUT_CHARACTERS = 4000
QUERIES = ("walrus", "untrusted_files", "def read_line", "heartbeat", "msgspec.Struct frozen")
SEARCHES = 40  # of each query, for the percentiles
CONFIRMED = 20  # as many matches are read again from the transcripts
INDEX_AIM, SWEEP_AIM_SECONDS, GROWN_AIM_SECONDS, SEARCH_AIM, OPEN_AIM_SECONDS = 20, 2, 0.05, 1, 0.3


def measure(rounds: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="cabinet-benchmark-") as place:
        corpus = _Corpus(Path(place))
        return [
            corpus.reading(),
            corpus.unchanged(rounds),
            corpus.grown(rounds),
            *corpus.searches(rounds),
            corpus.opening(rounds),
        ]


class _Corpus:
    def __init__(self, place: Path) -> None:
        self._folder = place / "pi"
        self._stores = {"pi": session_stores({"PI_CODING_AGENT_SESSION_DIR": str(self._folder), "HOME": str(place)})}
        self._index = IndexFile(place / "index")
        texts = _texts()
        for number in range(SESSIONS):
            _write(self._path(f"s{number:05}"), f"s{number:05}", texts, size=SESSION_BYTES)
        self._connection = self._index.open()

    def _path(self, native_id: str) -> Path:
        return self._folder / f"--project-{hash(native_id) % 20}--" / f"time_{native_id}.jsonl"

    def _read(self) -> None:
        copies = DatabaseCopies()  # of nothing: pi keeps files
        found = sweep(self._connection, self._stores, copies)
        waiting = ((self._stores["pi"][each.store], each) for each in found.changed)
        for _ in read_sources(self._connection, waiting, copies):
            pass

    def reading(self) -> Figure:
        size = sum(path.stat().st_size for path in self._folder.glob("*/*.jsonl")) / 2**20
        ours = _seconds(self._read)
        peer = _seconds(lambda: [_decoded(path) for path in self._folder.glob("*/*.jsonl")])
        self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        share = self._index.path.stat().st_size / 2**20 / size
        return Figure(
            what=f"indexing {SESSIONS} sessions, {size:.0f} MiB (the index has {share:.2f} of their size)",
            unit="s",
            ours=(ours,),
            peer=(peer,),
            peer_is="`json.loads` of every line",
            measure="ratio",
            aim=INDEX_AIM,
        )

    def unchanged(self, rounds: int) -> Figure:
        parts = {
            "ours": lambda: _seconds(self._read),
            "peer": lambda: _seconds(lambda: [path.stat() for path in self._folder.glob("*/*.jsonl")]),
        }
        return Figure(
            what=f"comparing {SESSIONS} sessions with the index, without a change",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`stat` of every file",
            measure="ours",
            aim=SWEEP_AIM_SECONDS,
        )

    def grown(self, rounds: int) -> Figure:
        path, line = self._path("s00000"), _line("user", "One more walrus, please.")

        def ours() -> float:
            with path.open("a") as file:
                file.write(line)
            return _seconds(self._read)

        parts = {"ours": ours, "peer": lambda: _seconds(lambda: _decoded(path))}
        return Figure(
            what="a file of 0.5 MB that has grown by a line, with the sweep that finds it",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`json.loads` of every line of that file",
            measure="ours",
            aim=GROWN_AIM_SECONDS,
        )

    def searches(self, rounds: int) -> Iterator[Figure]:
        def ours() -> float:
            return _seconds(lambda: [self._search(query) for query in QUERIES])

        def peer() -> float:
            return _seconds(lambda: [_grep(query.split()[0], self._folder) for query in QUERIES])

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
        read = [_seconds(partial(_grep, query.split()[0], self._folder)) for _ in range(rounds) for query in QUERIES]
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
            entries = read_entries(self._stores["pi"][0], loaded[0], rows_at(self._connection, numbers[:5])).values()
            found += any(text_search.matches(text_search.searched_text(entry), words) for entry in entries)
        return found

    def opening(self, rounds: int) -> Figure:
        path = self._path("long")
        _write(path, "long", _texts(), entries=LONG_ENTRIES)
        self._read()
        parts = {"ours": lambda: _seconds(self._open_long), "peer": lambda: _seconds(lambda: _decoded(path))}
        return Figure(
            what=f"the last 200 of {LONG_ENTRIES:,} entries of a timeline",
            unit="s",
            **interleave(rounds, parts),
            peer_is="`json.loads` of every line of that file",
            measure="ours",
            aim=OPEN_AIM_SECONDS,
        )

    def _open_long(self) -> None:
        with closing(self._index.open()) as connection:
            loaded = load_session(connection, session_key("pi", "long"))
            assert loaded is not None
            outline = outline_of(rows_of(connection, loaded[0].number))
            start = len(outline.shown) - 200
            page, needed = page_of(outline, start, 200)
            entries = read_entries(self._stores["pi"][0], loaded[0], needed)
            shown = [entry_of(outline, start + at, entries, {}, "pi") for at in range(len(page))]
            assert len(shown) == 200 and all(each.text or each.tool for each in shown)


def _texts() -> Iterator[tuple[str, str]]:
    """Yield pairs of an output and a paragraph, always the same ones."""
    chosen = random.Random(27)
    outputs = [path.read_text()[:OUTPUT_CHARACTERS] for path in sorted((ROOT / "jupyter_cabinet").rglob("*.py"))]
    pages = "\n\n".join(path.read_text() for path in sorted((ROOT / "docs").rglob("*.md")))
    paragraphs = [each for each in pages.split("\n\n") if each]
    for output in cycle(outputs):
        yield output, chosen.choice(paragraphs)


def _write(path: Path, native_id: str, texts: Iterator[tuple[str, str]], *, size: int = 0, entries: int = 0) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    count = 0
    with path.open("w") as file:
        file.write(json.dumps({"type": "session", "version": 3, "id": native_id, "cwd": "/work"}) + "\n")
        while (size and file.tell() < size) or count < entries:
            output, said = next(texts)
            file.write(_line("user", said))
            call = {"type": "toolCall", "id": f"c{count}", "name": "bash", "arguments": {"command": f"cat {count}.py"}}
            file.write(_line("assistant", said, call))
            text = output if size else output[:200]
            file.write(_line("toolResult", text, toolCallId=f"c{count}"))
            count += 3


def _line(role: str, text: str, *blocks: object, **more: object) -> str:
    content = [{"type": "text", "text": text}, *blocks]
    usage = {"usage": {"input": 1000, "output": 100}, "model": "big"} if role == "assistant" else {}
    message = {"role": role, "content": content, **usage, **more}
    return json.dumps({"type": "message", "timestamp": "2026-01-01T00:00:00Z", "message": message}) + "\n"


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
