"""Every real CLI that takes tool servers runs a cell of its notebook in a real kernel, once a person has allowed it."""

from __future__ import annotations

import asyncio
import re

import nbformat
import pytest
from harness.backend import ADA, Place
from harness.local_kernels import managers, start_kernel
from harness.waiting import QUERY_SECONDS
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.notebook_tools.jupyter_kernels import JupyterKernels
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_server import ModelServer

from .quick_tests import REASON
from .test_own_tools import environment, place  # noqa: F401 - a fixture
from .tool_calls import Call, Results, ScriptedCalls

pytestmark = pytest.mark.realcli
SECONDS = 90
LONG = pytest.mark.long(reason=REASON)
USERS = [
    pytest.param("claude", "headless", marks=pytest.mark.slow(reason="a real CLI makes 13 calls")),
    pytest.param("claude", "terminal", marks=LONG),
    pytest.param("codex", "headless", marks=LONG),
    pytest.param("opencode", "headless", marks=LONG),
    pytest.param("acp-gemini", "headless", marks=LONG),
]


def new_cell(results: Results) -> str:
    """Return the id of the cell that was added."""
    match = re.search(r"The new cell is ([\w-]+)", results[4])
    return match[1] if match else f"none in {results[4]}"


CALLS = [
    Call("cells_list", {}, "nb.ipynb has 2 cells."),
    Call("cell_read", {"cell": "c0"}, "print('hello from the kernel')"),
    Call("cell_read", {"cell": "c9"}, "The notebook has no cell c9. cells_list shows the cells."),
    Call("cell_add", {"source": "x", "after": "c0", "cell_type": "html"}, "cell_type"),
    Call("cell_add", {"source": "6 * 7", "after": "c0"}, "The new cell is"),
    Call("cell_write", lambda results: {"cell": new_cell(results), "source": "7 * 6"}, "is replaced."),
    Call("cell_write", {"cell": "c0"}, "source"),
    Call("cell_delete", {"cell": "c1"}, "Cell c1 is deleted."),
    Call("cell_delete", {"cell": "c1"}, "The notebook has no cell c1."),
    Call("kernel_info", {}, "It is "),
    Call("variables_list", {}, "variables"),
    Call("cell_run", {"cell": "c0"}, "hello from the kernel"),
    Call("cell_run", {"cell": ""}, "cell"),
]


async def work(place: Place, variables: dict[str, str], name: str, mode: str) -> Run:  # noqa: F811
    body = {"kind": "editor", "path": "nb.ipynb", "runtime": name, "instruction": "Run the first cell.", "mode": mode}
    async with managers(place.root) as server, place.backend(environment=variables) as backend:
        backend.notebook_tools.connect(JupyterKernels(server))
        await start_kernel(server, "nb.ipynb")
        run = await backend.runs.submit(backend.runs.kinds.convert(body), ADA)
        async with asyncio.timeout(SECONDS):
            while not (waiting := await backend.approvals.find(ApprovalFilter(waiting=True), ADA)):
                await asyncio.sleep(QUERY_SECONDS)
        (asked,) = waiting
        assert (asked.tool, asked.parts[-1].text) == ("cell_run", "print('hello from the kernel')")
        await backend.approvals.answer(asked.id, NewAnswer(option="allow"), ADA)
        await backend.runs.wait(run.id, SECONDS)
        return await backend.runs.get(run.id, ADA)


@pytest.mark.parametrize(("name", "mode"), USERS)
def test_every_tool_for_notebooks_works_and_a_cell_runs_in_the_kernel(
    place: Place,  # noqa: F811
    model: ModelServer,
    name: str,
    mode: str,
) -> None:
    file = place.root / "nb.ipynb"
    nbformat.write(
        new_notebook(
            cells=[new_code_cell("print('hello from the kernel')", id="c0"), new_markdown_cell("Old.", id="c1")]
        ),
        file,
    )
    script = model.script = ScriptedCalls(CALLS)
    run = asyncio.run(work(place, environment(place, name, model), name, mode))
    script.check()
    assert (run.state, run.result and run.result.text) == ("succeeded", "All calls are made."), run
    first, second = nbformat.read(file, as_version=4).cells
    assert (first.outputs[0].text, second.source) == ("hello from the kernel\n", "7 * 6")
    assert run.changed is not None and run.changed.files == 1
