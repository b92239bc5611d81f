"""The tour's notebooks work from top to bottom, twice, in kernels of a real server, and say what is saved in them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from harness import tour
from harness.examples import cases
from harness.kernels import MIME_TYPE, NotebookKernel
from harness.server import Server
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

PROMISED = {
    "1-first-agent": (
        "Succeeded hello",
        "You told me the board meets on Friday",
        "Failed",
        "This cell did not wait",
        "agent ipynb",
    ),
    "2-giving-context": ("accounts left", "would be sent", "looks like secret left out", "KeyError country"),
    "3-plays": (
        "the plan solo was checked",
        "the plan business was checked",
        "applied LEARNING",
        "completed by pia",
    ),
    "4-shared-terminal": (
        "tour shared terminal",
        "You told me we watched this together",
        "TERMINAL PROGRAM CONTROLLED BY",
    ),
    "5-overnight": ("pending", "applied TASK_COMPLETE", "completed Read the notes on churn", "exceeded", "paused"),
    "6-costs": (
        "None None",
        "The budget of heartbeats month is used up",
        "nothing new starts",
        "New work can start again",
    ),
}
pytestmark = pytest.mark.slow(reason="a server and kernels are started")


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = tour.server_of_tour(tmp_path_factory.mktemp("tour")).start()
    yield server
    server.stop()


@pytest.mark.long(reason="carries out whole notebooks; test_magics.py tries every magic in the quick tier")
@pytest.mark.parametrize("name", cases(*tour.NAMES))
def test_a_notebook_of_the_tour_works_twice_and_says_what_is_saved(sample: Server, name: str) -> None:
    saved, first = tour.read(name), tour.executed(sample, name)
    assert tour.said(first) == tour.said(saved)
    assert set(tour.states(first)) >= {"Succeeded"}
    assert tour.states(tour.executed(sample, name)) == tour.states(first)


def test_what_is_saved_shows_what_the_tour_is_about() -> None:
    text = {
        name: " ".join(word for words in tour.said(tour.read(name)).values() for word in words) for name in tour.NAMES
    }
    for name, promised in PROMISED.items():
        for words in promised:
            assert words in text[name], name


def test_a_cell_that_fails_ends_the_notebook_with_its_error(sample: Server) -> None:
    kernel = NotebookKernel(sample, "failing.ipynb")
    try:
        with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
            kernel.execute(new_notebook(cells=[new_code_cell("1 / 0")]))
    finally:
        kernel.close()


@pytest.mark.parametrize("name", tour.NAMES)
def test_what_is_saved_is_small_and_for_every_reader(name: str) -> None:
    saved = tour.read(name)
    nbformat.validate(saved)
    assert tour.readable(tour.read(name)) == saved
    size = (tour.NOTEBOOKS / f"{name}.ipynb").stat().st_size
    assert size < 30_000
    assert all(cell.execution_count for cell in saved.cells if cell.cell_type == "code")
    assert all(
        output.output_type != "error" or tour.EXPECTED_FAILURE in cell.metadata.get("tags", ())
        for cell in saved.cells
        for output in cell.get("outputs", ())
    )


def without_server(tmp_path: Path, *sources: str, **environment: str) -> Any:
    """Executed as by papermill: in a kernel that no server has started."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("JPY_", "JUPYTER"))}
    notebook = new_notebook(cells=[new_code_cell(source) for source in ("%load_ext jupyter_cabinet", *sources)])
    client = NotebookClient(notebook, timeout=60)
    folders = {"HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)}
    return client.execute(env={**kept, **folders, **environment}, cwd=str(tmp_path))


def test_without_a_server_a_cell_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError) as failed:
        without_server(tmp_path, "%%agent --runtime demo\nreply with the single word hello")
    said = str(failed.value)
    assert "NoServer: Process " in said and "is not a Jupyter server of this user." in said
    assert "Elsewhere set JUPYTER_CABINET_URL and JUPYTER_CABINET_TOKEN" in said and "Traceback" not in said


@pytest.mark.long(reason="starts a kernel and a second server")
def test_without_a_server_of_its_own_a_cell_asks_the_one_that_is_named(sample: Server, tmp_path: Path) -> None:
    folder = sample.root / ".agents" / "una"
    folder.mkdir(parents=True)
    (folder / "persona.md").write_text("---\nruntime: demo\nallow_unenforced: true\nheartbeat_enabled: false\n---\n")
    hello = "%%agent --runtime demo\nreply with the single word hello"
    done = without_server(
        tmp_path,
        hello,
        hello,
        "%%agent una\nremember plums",
        "%%agent una\nwhat did I tell you",
        JUPYTER_CABINET_URL=sample.url,
        JUPYTER_CABINET_TOKEN=sample.token("ada"),
    )
    shown = [cell.outputs[0]["data"] for cell in done.cells[1:]]
    assert [each[MIME_TYPE]["view"] for each in shown] == ["run"] * 4
    assert "hello" in shown[1]["text/plain"] and "You told me: plums" in shown[3]["text/plain"]


@pytest.mark.long(reason="carries out a whole notebook")
def test_costs_can_be_followed_where_agents_need_confirmation(tmp_path: Path) -> None:
    server = tour.server_of_tour(tmp_path, arguments=()).start()
    try:
        with server.browser_client("ada") as browser:
            browser.post("trust", json={"hash": browser.get("trust").json()["hash"]}).raise_for_status()
            before = tour.said(tour.executed(server, "6-costs"))
            agent = browser.get("agents/max").json()
            browser.post("agents/max/confirm", json={"hash": agent["hash"]}).raise_for_status()
        assert "confirm" in str(before).casefold() and before != tour.said(tour.read("6-costs"))
        assert tour.said(tour.executed(server, "6-costs")) == tour.said(tour.read("6-costs"))
    finally:
        server.stop()
