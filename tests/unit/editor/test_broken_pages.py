"""An instruction that mentions a page that cannot be read is answered with a sentence, and the next one works."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.backend import Place, ended, submit

from jupyter_cabinet.core.errors import Invalid

BROKEN = {
    "deep.ipynb": '{"metadata": ' + "[" * 100_000,
    "source.ipynb": '{"cells": [{"source": 5}]}',
    "cells.ipynb": '{"cells": {"a": 1}}',
    "kind.ipynb": '{"cells": [{"cell_type": []}]}',
}


@pytest.mark.slow(reason="opens a server")
async def test_a_broken_notebook_is_refused_by_name_until_it_is_mended(tmp_path: Path) -> None:
    place = Place(tmp_path)
    for name, text in BROKEN.items():
        (place.root / name).write_text(text)
    async with place.backend() as backend:
        for name in BROKEN:
            with pytest.raises(Invalid, match=name) as refused:
                await submit(backend, f"append: x\nsee @{name}")
            assert refused.value.detail == {"field": "instruction"}
            (place.root / name).write_text('{"cells": []}')
            assert (await ended(backend, await submit(backend, f"append: x\nsee @{name}"))).state == "succeeded"


@pytest.mark.long(reason="a run for each page; the parser is tested by itself")
async def test_strange_front_matter_and_what_is_no_file_do_not_stop_an_instruction(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "strange.md").write_text('---\ntitle: "\\U00110000"\n---\nx')
    (place.root / "half.md").write_text('---\ntitle: "\\ud800"\n---\nx')
    os.mkfifo(place.root / "pipe.md")
    async with place.backend() as backend:
        for name in ("strange.md", "half.md", "pipe.md", "x" * 300 + ".md"):
            run = await ended(backend, await submit(backend, f"append: x\nsee @{name}"))
            assert run.state == "succeeded", name
