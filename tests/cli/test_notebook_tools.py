"""Every real CLI that takes tool servers runs a cell of its notebook in a real kernel, once a person has allowed it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import nbformat
import pytest
from harness.backend import ADA, Place
from harness.local_kernels import managers, start_kernel
from harness.waiting import QUERY_SECONDS
from nbformat.v4 import new_code_cell, new_notebook

from jupyter_cabinet.approvals.model import ApprovalFilter, NewAnswer
from jupyter_cabinet.notebook_tools.jupyter_kernels import JupyterKernels
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .test_own_tools import environment, place  # noqa: F401 - a fixture

pytestmark = pytest.mark.realcli
SECONDS = 90
USERS = [("claude", "headless"), ("claude", "terminal"), ("codex", "headless"), ("opencode", "headless")]


def script(asked: ModelRequest) -> Answer:
    """The model adds a cell, then runs the first one."""

    def use(tool: str, **arguments: Any) -> Answer:
        name = next((each for each in asked.tools if each.endswith(tool)), "")
        return Answer(tools=(ToolUse(name=name, arguments=arguments),))

    match asked.turn:
        case 0:
            return use("cell_add", source="7 * 6", after="c0")
        case 1:
            return use("cell_run", cell="c0")
    return Answer(text="It ran." if "hello from the kernel" in json.dumps(asked.body) else "Nothing.")


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
def test_a_cell_is_added_and_run_in_the_kernel(place: Place, model: ModelServer, name: str, mode: str) -> None:  # noqa: F811
    file = place.root / "nb.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("print('hello from the kernel')", id="c0")]), file)
    model.script = script
    run = asyncio.run(work(place, environment(place, name, model), name, mode))
    assert (run.state, run.result and run.result.text) == ("succeeded", "It ran."), run
    first, second = nbformat.read(file, as_version=4).cells
    assert (first.outputs[0].text, second.source) == ("hello from the kernel\n", "7 * 6")
    assert run.changed is not None and run.changed.files == 1
