"""The sessions that real CLIs have stored, read into entries: the recordings in `tests/fixtures/sessions/`.

`UPDATE_GOLDEN=1` writes the expected entries again; read the difference before you commit it.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.runtimes.session_entries import Entry, SessionFiles

RECORDINGS = Path(__file__).parents[2] / "fixtures" / "sessions"
FILES = sorted(RECORDINGS.glob("*/*.jsonl"))
READERS = sorted({path.parent.name for path in FILES})
CUT = 300  # characters of a text in an expected entry


def store_of(cli: str) -> SessionFiles:
    stores = import_module(f"jupyter_cabinet.runtimes.{cli}.stored_sessions").session_stores({"HOME": "/nonexistent"})
    return next(store for store in stores if isinstance(store, SessionFiles))


def items_of(path: Path) -> list[dict]:
    store, position, found = store_of(path.parent.name), 0, []
    for line in path.read_bytes().splitlines(keepends=True):
        found += [shown(item) for item in store.read_line(position, json.loads(line))]
        position += len(line)
    return found


def shown(item: object) -> dict:
    values = {"item": type(item).__name__, **msgspec.to_builtins(item)}
    return {name: value[:CUT] if isinstance(value, str) else value for name, value in values.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_recorded_session_is_read_as_expected(path):
    expected = path.with_suffix(".entries.json")
    found = items_of(path)
    if os.environ.get("UPDATE_GOLDEN"):
        expected.write_text("[\n" + ",\n".join(json.dumps(each) for each in found) + "\n]\n")
    assert found == json.loads(expected.read_text())


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_no_two_entries_of_a_session_have_one_id_unless_one_replaces_the_other(path):
    entries = [each for each in items_of(path) if each["item"] == "Entry"]
    kinds = {}
    for each in entries:
        assert kinds.setdefault(each["id"], each["kind"]) == each["kind"]


values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("cli", READERS)
@given(data=st.data())
def test_a_line_with_any_values_in_it_is_read_without_an_error(cli, data):
    lines = [json.loads(line) for path in RECORDINGS.glob(f"{cli}/*.jsonl") for line in path.read_bytes().splitlines()]
    line = data.draw(st.sampled_from(lines))
    place = line
    while isinstance(place, dict) and place:
        name = data.draw(st.sampled_from(sorted(place)))
        if not isinstance(place[name], dict) or data.draw(st.booleans()):
            place[name] = data.draw(values)
            break
        place = place[name]
    for item in store_of(cli).read_line(0, line):
        if isinstance(item, Entry):
            assert isinstance(item.text, str)
            msgspec.json.encode(item)
