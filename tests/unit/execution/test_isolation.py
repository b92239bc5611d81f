"""Runs in a sandbox, with the demo agent and with a program that tries to get out."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.backend import Place, ended, submit
from harness.bubblewrap import NEEDS_BUBBLEWRAP

from jupyter_cabinet.runs.settings import RunSettings

pytestmark = NEEDS_BUBBLEWRAP
ALWAYS = RunSettings(sandbox="always", default_permission_mode="edit")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_an_isolated_run_changes_its_document_and_says_that_it_is_isolated(place: Place) -> None:
    async with place.backend(runs=ALWAYS) as backend:
        run = await ended(backend, await submit(backend, "Add a line."))
    assert (run.state, run.isolated) == ("succeeded", True), run
    assert run.warnings == ()
    assert place.document.read_text() != "# A\n"
    assert sorted(path.name for path in place.root.iterdir() if path.name != ".cabinet") == [".agents", "a.md"]
