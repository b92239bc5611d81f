"""The outputs and metadata of a cell, as lines."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.changes.comparison.cell_details import lines_of_cell
from jupyter_cabinet.changes.comparison.notebooks import language_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def lines(*outputs: Any, **more: Any) -> list[str]:
    found = lines_of_cell({"id": "a", "cell_type": "code", "source": "x", "outputs": list(outputs), **more})
    assert all(line.endswith(b"\n") for line in found)
    return [line.decode()[:-1] for line in found]


@pytest.mark.parametrize(
    ("output", "shown"),
    [
        ({"output_type": "stream", "name": "stderr", "text": ["a\n", "b\n"]}, ["stderr: a", "stderr: b"]),
        ({"output_type": "stream"}, []),
        (
            {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["long"]},
            ["error: KeyError: 'x'"],
        ),
        (
            {"output_type": "display_data", "data": {"text/plain": "42", "image/png": "aGk=", "text/html": "<b>"}},
            ["image/png: 4 bytes", "text/html: 3 bytes", "text/plain: 42"],
        ),
        ({"output_type": "execute_result", "data": {"application/json": {"a": 1}}}, ["application/json: 8 bytes"]),
        ({"output_type": "display_data", "data": []}, ['output: {"data": [], "output_type": "display_data"}']),
        ("no output", ['output: "no output"']),
    ],
)
def test_an_output_is_lines(output: Any, shown: list[str]) -> None:
    assert lines(output) == shown


def test_number_metadata_and_attachments_are_lines() -> None:
    assert lines(execution_count=4, metadata={"tags": ["a"]}) == ["execution_count: 4", 'metadata: {"tags": ["a"]}']
    assert lines(execution_count=None, metadata={}, attachments={}) == []
    assert lines_of_cell({"outputs": 3, "source": "x"}) == []


@given(st.dictionaries(st.sampled_from(["outputs", "metadata", "x", "attachments"]), JSON))
def test_any_cell_has_lines(cell: dict[str, Any]) -> None:
    assert all(line.endswith(b"\n") for line in lines_of_cell(cell))


@pytest.mark.parametrize(
    ("metadata", "language"),
    [
        ({"language_info": {"name": "julia"}, "kernelspec": {"language": "python"}}, "julia"),
        ({"language_info": {}, "kernelspec": {"language": "python"}}, "python"),
        ({"language_info": {"name": 3}}, ""),
        ({}, ""),
        ([], ""),
    ],
)
def test_a_notebook_tells_the_language_of_its_code(metadata: Any, language: str) -> None:
    assert language_of(json.dumps({"cells": [], "metadata": metadata}).encode()) == language


def test_what_is_no_notebook_has_no_language() -> None:
    assert language_of(b"{") == ""
