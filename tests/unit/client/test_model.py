"""A list of runs, as a sequence and as a frame."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from harness.faulty_server import RUN

from jupyter_cabinet.client.model import RunList
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.model import Usage

ENDED = msgspec.convert(RUN, Run)
USED = msgspec.structs.replace(
    ENDED, id="02run", usage=Usage(input_tokens=3, output_tokens=4), cost_usd=0.5, result=None
)


def test_it_is_a_sequence() -> None:
    runs = RunList([ENDED, USED])
    assert (len(runs), runs[1], list(runs), runs[:1]) == (2, USED, [ENDED, USED], RunList([ENDED]))
    assert runs != RunList() and hash(runs) != hash(RunList()) and repr(runs) == "<RunList of 2 runs>"


def test_a_frame_has_a_row_for_each_run_and_the_columns_that_are_documented(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}

    def frame(rows: list[dict[str, Any]], columns: list[str]) -> str:
        made.update(rows=rows, columns=columns)
        return "frame"

    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=frame))
    assert RunList([ENDED, USED]).to_frame() == "frame"
    assert made["columns"] == list(RunList.COLUMNS) and all(set(row) == set(RunList.COLUMNS) for row in made["rows"])
    first, second = made["rows"]
    assert (first["text"], first["input_tokens"], first["cost_usd"]) == ("done", None, None)
    assert (second["text"], second["input_tokens"], second["output_tokens"], second["cost_usd"]) == ("", 3, 4, 0.5)
    assert first["queued_at"].tzinfo is not None
