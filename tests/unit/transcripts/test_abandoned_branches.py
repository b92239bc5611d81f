"""What a rewind has left, in recordings of real CLIs and in a chain through lines without entries."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from jupyter_cabinet.transcripts.index.index_file import IndexFile
from jupyter_cabinet.transcripts.index.indexing import read_sources, sweep
from jupyter_cabinet.transcripts.model import SessionFilter
from jupyter_cabinet.transcripts.reading.cli_databases import DatabaseCopies
from jupyter_cabinet.transcripts.reading.entry_reader import read_entries, rows_of
from jupyter_cabinet.transcripts.session_list import list_sessions, load_session
from jupyter_cabinet.transcripts.timeline.outline import outline_of

RECORDINGS = Path(__file__).parents[2] / "fixtures" / "sessions"
ID = "11111111-1111-4111-8111-111111111111"
PLACES = {
    "codex": f".codex/sessions/2026/11/29/rollout-2026-11-29T07-42-11-{ID}.jsonl",
    "claude": f".claude/projects/-workspace/{ID}.jsonl",
    "gemini": ".gemini/tmp/workspace/chats/session-2026-11-29T07-42-11111111.jsonl",
    "pi": ".pi/agent/sessions/--workspace--/2026_11111111.jsonl",
}
KEPT = ["First question", "Answer 1.", "Another question", "Answer 3."]
LEFT = ["First question", "Answer 1.", "Second question", "Answer 2."]


class Index:
    """An index over one session, which a test writes line by line."""

    def __init__(self, home: Path, cli: str) -> None:
        self.path = home / PLACES[cli]
        self.path.parent.mkdir(parents=True)
        module = import_module(f"jupyter_cabinet.runtimes.{cli}.stored_sessions")
        self._stores = {cli: module.session_stores({"HOME": str(home)})}
        self._connection = IndexFile(home / "index").open()

    def append(self, *lines: str) -> None:
        with self.path.open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))
        with DatabaseCopies() as copies:
            found = sweep(self._connection, self._stores, copies)
            waiting = ((self._stores[each.runtime][each.store], each) for each in found.changed)
            list(read_sources(self._connection, waiting, copies))

    def branches(self) -> list[list[str]]:
        """Return what was said on each branch that has an own end; the one that is shown comes last."""
        [(_, listed)] = list_sessions(self._connection, SessionFilter())[0]
        loaded = load_session(self._connection, listed.id)
        assert loaded is not None
        rows = rows_of(self._connection, loaded[0].number)
        store = self._stores[listed.runtime][loaded[0].store]
        found = []
        for end in outline_of(rows).ends:
            shown = outline_of(rows, branch=end).shown
            entries = read_entries(store, loaded[0], shown)
            found.append([entries[row.id].text for row in shown])
        return found


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("cli", [cli for cli in PLACES if cli != "codex"])
def test_what_a_real_rewind_has_left_is_not_mixed_in(tmp_path: Path, cli: str, at_once: bool) -> None:
    [recording] = (RECORDINGS / cli).glob("rewound-[0-9]*.jsonl")
    lines = recording.read_text().splitlines()
    index = Index(tmp_path, cli)
    for batch in [lines] if at_once else [[line] for line in lines]:
        index.append(*batch)
    branches = index.branches()
    assert branches[-1] == KEPT
    # Gemini CLI writes the conversation again, without what was left, before the next instruction
    assert LEFT in branches if cli != "gemini" else branches == [KEPT]


def test_a_rewind_is_found_before_the_next_instruction_of_gemini(tmp_path: Path) -> None:
    [recording] = (RECORDINGS / "gemini").glob("rewound-*.jsonl")
    lines = recording.read_text().splitlines()
    index = Index(tmp_path, "gemini")
    index.append(*lines[: next(at for at, line in enumerate(lines) if "$rewindTo" in line) + 1])
    assert index.branches() == [LEFT, KEPT[:2]]


def _line(kind: str, uuid: str, parent: str | None, text: str = "") -> str:
    message = {"id": uuid, "role": kind, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": kind, "uuid": uuid, "parentUuid": parent, "message": message})


TALK = (
    _line("user", "q1", None, "one"),
    _line("assistant", "a1", "q1", "first"),
    _line("attachment", "x1", "a1"),
    _line("user", "q2", "x1", "two"),
    _line("assistant", "a2", "q2", "second"),
    _line("attachment", "x2", "a2"),
)


def test_an_instruction_after_lines_without_entries_abandons_nothing(tmp_path: Path) -> None:
    index = Index(tmp_path, "claude")
    index.append(*TALK)
    index.append(_line("user", "q3", "x2", "three"))
    assert index.branches() == [["one", "first", "two", "second", "three"]]
    index.append(_line("user", "q4", "unknown", "four"))
    assert index.branches() == [["one", "first", "two", "second", "three", "four"]]


def test_a_rewind_to_a_line_without_an_entry_is_found_also_if_the_file_was_read_before(tmp_path: Path) -> None:
    index = Index(tmp_path, "claude")
    index.append(*TALK)
    index.append(_line("user", "q3", "x1", "three"), _line("assistant", "a3", "q3", "third"))
    assert index.branches() == [["one", "first", "two", "second"], ["one", "first", "three", "third"]]
    index.append(_line("user", "q4", "a3", "four"))
    index.append(_line("user", "q5", "x2", "five"))
    assert index.branches() == [
        ["one", "first", "three", "third", "four"],
        ["one", "first", "two", "second", "five"],
    ]


def _item(kind: str, **payload: object) -> str:
    return json.dumps({"type": kind, "payload": payload})


def _turn(number: int, *instruction: str) -> list[str]:
    """A turn of Codex; an instruction may have several parts."""
    asked = [{"type": "input_text", "text": text} for text in instruction]
    answer = [{"type": "output_text", "text": f"answer {number}"}]
    return [
        _item("turn_context", model="m"),
        _item("response_item", type="message", id=f"q{number}", role="user", content=asked),
        _item("response_item", type="message", id=f"a{number}", role="assistant", content=answer),
    ]


def _rolled_back(turns: object) -> str:
    return _item("event_msg", type="thread_rolled_back", num_turns=turns)


@pytest.mark.parametrize("at_once", [True, False])
def test_turns_that_codex_has_rolled_back_are_an_earlier_branch(tmp_path: Path, at_once: bool) -> None:
    lines = [*_turn(1, "one"), *_turn(2, "two", "and more"), *_turn(3, "three"), _rolled_back(2), *_turn(4, "four")]
    index = Index(tmp_path, "codex")
    for batch in [lines] if at_once else [[line] for line in lines]:
        index.append(*batch)
    first, kept = ["one", "answer 1"], ["one", "answer 1", "four", "answer 4"]
    assert index.branches() == [[*first, "two", "and more", "answer 2", "three", "answer 3"], kept]
    index.append(_rolled_back(1))
    assert index.branches()[-1] == first
    index.append(_rolled_back(5), *_turn(5, "five"))
    assert index.branches()[-1] == ["five", "answer 5"]


@pytest.mark.parametrize("turns", [0, -1, "2", None])
def test_no_turns_of_codex_are_abandoned_without_a_number(tmp_path: Path, turns: object) -> None:
    index = Index(tmp_path, "codex")
    index.append(*_turn(1, "one"), _rolled_back(turns), *_turn(2, "two"))
    assert index.branches() == [["one", "answer 1", "two", "answer 2"]]
