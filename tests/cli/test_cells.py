"""`%%agent` in a real kernel of a real server, with the real Claude Code CLI and the suite's model service."""

from __future__ import annotations

import json
from collections.abc import Iterator

import nbformat
import pytest
from harness.kernels import MIME_TYPE, NotebookKernel, notebook_kernel
from harness.server import Server

from jupyter_cabinet.testing.model_script import Answer, ModelRequest, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .servers import running_server

pytestmark = pytest.mark.realcli


@pytest.fixture
def model(service: ModelServer) -> ModelServer:
    service.script = ()
    return service


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(["claude"], service.url) as server:
        yield server


@pytest.fixture
def kernel(server: Server, model: ModelServer) -> Iterator[NotebookKernel]:
    with notebook_kernel(server, "analysis.ipynb") as kernel:
        yield kernel


def test_an_answer_comes_with_its_tool_calls_and_its_cost(kernel: NotebookKernel, model: ModelServer) -> None:
    (kernel.server.root / "plums.csv").write_text("plums\n3\n")
    model.script = [
        Answer(text="I look.", tools=(ToolUse(name="Read", arguments={"path": "plums.csv"}),)),
        Answer(text="There are **three**. <img src=x onerror=alert(1)>"),
    ]
    kernel.run("rows = [{'day': 1}]")
    cell = kernel.run("%%agent --runtime claude --as answer\nHow many plums? {rows} @plums.csv")
    assert cell.data["text/markdown"].startswith("**Claude Code**: Succeeded, ")
    assert "There are **three**. &lt;img" in cell.data["text/markdown"]
    assert "1 tool call: Read plums.csv" in cell.data["text/plain"]
    asked = model.requests[-1].prompt
    assert "How many plums? rows" in asked and "--- rows, list, 1 item ---" in asked and "analysis.ipynb" in asked
    told = kernel.run(
        "import json\nprint(json.dumps([answer.text, answer.cost_usd, [c.tool for c in answer.tool_calls]]))"
    )
    text, cost, tools = json.loads(told.text)
    assert text.startswith("There are") and cost > 0 and tools == ["Read"]


def test_a_further_cell_resumes_the_conversation_and_a_new_one_does_not(
    kernel: NotebookKernel, model: ModelServer
) -> None:
    model.script = lambda asked: Answer(text=f"{len(said(asked))} so far.")
    first = kernel.run("%%agent --runtime claude --new-session\nOne.")
    second = kernel.run("%%agent\nTwo.")
    third = kernel.run("%%agent --runtime claude --new-session\nThree.")
    assert ["1 so far." in each.data["text/plain"] for each in (first, second, third)] == [True, False, True]
    assert "2 so far." in second.data["text/plain"]


def said(asked: ModelRequest) -> list[object]:
    """The instructions of the conversation."""
    return [
        each
        for each in asked.body["messages"]
        if each["role"] == "user" and "You are asked from cell" in json.dumps(each["content"])
    ]


def test_the_notebook_is_edited_where_it_is_asked_for(kernel: NotebookKernel, model: ModelServer) -> None:
    path = kernel.server.root / kernel.path
    cell_id = nbformat.read(path, as_version=4).cells[0].id
    edit = {
        "notebook_path": str(path),
        "cell_id": cell_id,
        "new_source": "# Plums",
        "cell_type": "markdown",
        "edit_mode": "insert",
    }
    read = ToolUse(name="Read", arguments={"path": str(path)})
    model.script = [
        Answer(tools=(read,)),
        Answer(tools=(ToolUse(name="NotebookEdit", arguments=edit),)),
        Answer(text="A heading is there."),
    ]
    cell = kernel.run("%%agent --runtime claude --new-session --mode edit\nAdd a heading.")
    assert "A heading is there." in cell.data["text/plain"], cell.data
    after = nbformat.read(path, as_version=4)
    assert [(each.cell_type, each.source) for each in after.cells] == [("code", ""), ("markdown", "# Plums")]
    assert after.cells[0].id == cell_id


def test_an_interrupt_ends_claude_and_the_next_cell_works(kernel: NotebookKernel, model: ModelServer) -> None:
    model.script = [Answer(text="Late.", delay_seconds=60)]
    message = kernel.start("%%agent --runtime claude --new-session\nWait.")
    kernel.newest()
    kernel.interrupt()
    assert kernel.wait(message).error.startswith("RunFailed: Cancelled")
    model.script = [Answer(text="Here again.")]
    assert "Here again." in kernel.run("%%agent\nAgain.").data["text/plain"]


def test_in_a_terminal_the_same_cell_has_the_same_answer(kernel: NotebookKernel, model: ModelServer) -> None:
    model.script = [Answer(text="From the terminal.")]
    cell = kernel.run("%%agent --runtime claude --new-session --terminal\nHello.")
    assert "From the terminal." in cell.data["text/plain"] and cell.data[MIME_TYPE]["view"] == "run"
    model.script = [Answer(text="And again.")]
    assert "And again." in kernel.run("%%agent\nAgain.").data["text/plain"]
    with kernel.server.client("ada") as client:
        runs = client.get("runs", params={"path": kernel.path, "limit": 2}).json()["items"]
        assert runs[0]["terminal_id"] == runs[1]["terminal_id"] is not None
        client.post(f"editor/sessions/{runs[0]['session_id']}/close", json={}, timeout=20)
