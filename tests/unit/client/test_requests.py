"""What is asked of a server is checked before it is sent."""

from __future__ import annotations

from typing import Any

import pytest

from jupyter_cabinet.agents.model import NewMessageRun
from jupyter_cabinet.client.runs.requests import checked_id, play_inputs, run_body
from jupyter_cabinet.editor.model import Attachment, NewCellRun
from jupyter_cabinet.runs.model import NewManualRun

NOTHING: dict[str, Any] = {
    "agent": None,
    "notebook": None,
    "new_session": False,
    "context": (),
    "source": "",
    "session_id": None,
    "runtime": None,
    "model": None,
    "permission_mode": None,
    "mode": None,
    "isolate": None,
    "runner": None,
}
CELL = Attachment(kind="cell", title="Cell [3]", text="1 + 1")


def body(instruction: Any = "hello", **given: Any) -> Any:
    return run_body(instruction, **{**NOTHING, **given})


def test_the_kind_of_run_follows_from_what_is_given() -> None:
    assert body(runtime="demo", runner="dask") == NewManualRun(instruction="hello", runtime="demo", runner="dask")
    assert body(agent="ada", mode="headless") == NewMessageRun(instruction="hello", agent="ada", mode="headless")
    asked = body(notebook="a.ipynb", agent="ada", new_session=True, source="[5]", context=[CELL])
    assert asked == NewCellRun(
        instruction="hello", notebook="a.ipynb", agent="ada", new_session=True, source="[5]", attachments=(CELL,)
    )


def test_context_may_be_mappings() -> None:
    piece = {"kind": "cell", "title": "Cell [3]", "text": "1 + 1"}
    assert body(notebook="a.ipynb", context=[piece]).attachments == (CELL,)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"instruction": " \n"}, "is empty"),
        ({"agent": "Ada Lovelace"}, "not a valid name of an agent"),
        ({"permission_mode": "all"}, "ask, edit, bypass"),
        ({"mode": "quiet"}, "terminal, headless"),
        ({"runner": "moon"}, "local, dask"),
        ({"context": [CELL]}, "context only works for cells of a notebook"),
        ({"new_session": True}, "new_session only works for cells"),
        ({"source": "[5]"}, "source only works for cells"),
        ({"notebook": "a.ipynb", "context": [{"kind": "frame"}]}, "is not valid"),
        ({"notebook": "a.ipynb", "session_id": "s", "new_session": True}, "either session or new_session"),
    ],
)
def test_what_cannot_be_meant_is_told_in_words(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        body(**given)


@pytest.mark.parametrize("given", [{"instruction": 5}, {"agent": b"ada"}, {"model": 4}, {"notebook": 1}])
def test_what_is_no_text_is_a_type_error(given: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="must be a text, not"):
        body(**given)


def test_ids_become_part_of_an_address_only_where_they_are_ids() -> None:
    assert checked_id("01m8-a") == "01m8-a"
    for wrong in ("", "../switch", "a/b", "x" * 65, 5):
        with pytest.raises(ValueError, match="is not a valid id of a run"):
            checked_id(wrong)  # type: ignore[arg-type]


def test_inputs_of_a_play_are_texts_and_numbers() -> None:
    assert play_inputs({"days": 7, "word": "x"}) == {"days": "7", "word": "x"}
    with pytest.raises(TypeError, match="input days"):
        play_inputs({"days": [7]})
