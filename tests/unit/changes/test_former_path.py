"""The text of a renamed document after an agent has written at its former path."""

from __future__ import annotations

import json

import pytest

from jupyter_cabinet.changes.comparison.former_path import text_of_renamed


@pytest.mark.parametrize(
    ("document", "written", "expected"),
    [
        pytest.param(b"", b"new\n", b"new\n", id="the document was empty"),
        pytest.param(b"a\n\nb\n", b"a\n\nB\n", b"a\n\nB\n", id="a new version"),
        pytest.param(b"a\n", b"a\n", b"a\n", id="the same"),
        pytest.param(b"a\n", b"more\n", b"a\n\nmore\n", id="only what was appended"),
        pytest.param(b"a", b"more\n", b"a\n\nmore\n", id="after a line without end"),
        pytest.param(b"a\nb\nc\n", b"a\nmore\n", None, id="too little of it is left"),
        pytest.param(b"a\n", b"", None, id="an empty file"),
        pytest.param(b"a\n", b"\0", None, id="not a text"),
        pytest.param(b"\0a\n", b"b\n", None, id="the document is not a text"),
    ],
)
def test_a_text(document: bytes, written: bytes, expected: bytes | None) -> None:
    assert text_of_renamed(document, written) == expected


def notebook(*cells: tuple[str | None, str]) -> bytes:
    made = [{"cell_type": "code", "source": source, **({"id": id} if id else {})} for id, source in cells]
    return json.dumps({"cells": made, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


BOTH = notebook(("a", "1"), ("b", "2"))


@pytest.mark.parametrize(
    ("document", "written", "is_version"),
    [
        pytest.param(BOTH, notebook(("a", "10"), ("b", "20")), True, id="the same cells, changed"),
        pytest.param(BOTH, notebook(("x", "1"), ("y", "new")), True, id="half of the sources"),
        pytest.param(BOTH, notebook(("x", "new")), False, id="a new notebook"),
        pytest.param(notebook((None, "1")), notebook((None, "2")), False, id="cells without ids"),
        pytest.param(BOTH, b"not a notebook", False, id="not a notebook"),
    ],
)
def test_a_notebook(document: bytes, written: bytes, is_version: bool) -> None:
    assert text_of_renamed(document, written) == (written if is_version else None)
