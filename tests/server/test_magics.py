"""The magics in a real kernel that a real server has started, with the demo agent behind them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.kernels import MIME_TYPE, Cell, NotebookKernel, notebook_kernel
from harness.server import Server, until

START = "a kernel is started"
pytestmark = pytest.mark.slow(reason=START)
DEMO = "--runtime demo"
PLAY = "Look at {{what}} for {{days}} days."


@pytest.fixture(scope="module")
def kernel(shared_server: Server) -> Iterator[NotebookKernel]:
    with notebook_kernel(shared_server, "magics.ipynb") as kernel:
        yield kernel


def agent(kernel: NotebookKernel, instruction: str, options: str = "", *, fails: bool = False) -> Cell:
    return kernel.run(f"%%agent {DEMO} {options}\n{instruction}", fails=fails)


def run_of(kernel: NotebookKernel, cell: Cell) -> dict[str, object]:
    with kernel.server.client("ada") as client:
        run: dict[str, object] = client.get(f"runs/{cell.run_id}").json()
        return run


def prompt_of(kernel: NotebookKernel, cell: Cell) -> str:
    return (kernel.server.root / ".cabinet" / "runs" / cell.run_id / "prompt.md").read_text()


def test_the_answer_stands_below_the_cell_and_in_a_variable(kernel: NotebookKernel) -> None:
    cell = agent(kernel, "remember plums", "--as answer")
    assert cell.data[MIME_TYPE] == {"view": "run", "run_id": cell.run_id}
    assert cell.data["text/markdown"].startswith("**Demo agent**: Succeeded, ")
    run = run_of(kernel, cell)
    assert run["path"] == "magics.ipynb" and str(run["trigger"]["source"]).startswith("cell [")  # type: ignore[index]
    assert kernel.run("print(answer.state, answer.run_id, answer.text in str(answer))").text == (
        f"succeeded {cell.run_id} True\n"
    )


def test_a_further_cell_goes_on_with_the_conversation_until_a_new_one_is_wanted(kernel: NotebookKernel) -> None:
    agent(kernel, "remember apricots")
    again = agent(kernel, "what did I tell you")
    other = agent(kernel, "what did I tell you", "--new-session")
    assert "apricots" in again.data["text/plain"] and "apricots" not in other.data["text/plain"]


def test_the_session_is_the_one_of_the_sidebar(kernel: NotebookKernel) -> None:
    cell = agent(kernel, "hello")
    with kernel.server.client("ada") as client:
        opened = client.post("editor/sessions", json={"path": kernel.path, "runtime": "demo"}).json()["session"]
    assert run_of(kernel, cell)["session_id"] == opened["id"]


def test_what_was_chosen_is_shown_before_it_is_sent_and_sent_as_shown(kernel: NotebookKernel) -> None:
    kernel.run("rows = [{'day': 1}, {'day': 2}]\napi_key = 'hunter2'\nword = 'plums'")
    kernel.run("rows[0]['churn']", fails=True)
    options = "--context error,vars --vars api_key"
    text = "Look at rows, {rows}, {word} and {api_key}; keep {{braces}}."
    shown = kernel.run(f"%%agent {DEMO} {options} --show\n{text}").text
    assert "Nothing was sent" in shown and "hunter2" not in shown
    cell = agent(kernel, text, options)
    attached = cell.data[MIME_TYPE]["attached"]
    assert attached == ["rows, list, 2 items", "api_key, str", "Last error: KeyError"]
    told = prompt_of(kernel, cell)
    for piece in (
        "Look at rows, rows, plums and [looks",
        "keep {braces}.",
        "--- rows, list, 2 items ---",
        "KeyError: 'churn'",
    ):
        assert piece in shown and piece in told, piece
    assert "hunter2" not in told and 'File "a cell of this notebook", line 1' in told


def test_a_run_that_fails_stops_the_notebook_unless_it_shall_not(kernel: NotebookKernel) -> None:
    cell = agent(kernel, "fail", "--as failed", fails=True)
    assert cell.error == "RunFailed: Demo agent failed: I failed, as requested."
    errors = [each for each in cell.outputs if each["output_type"] == "error"]
    assert errors[0]["traceback"] == [cell.error]  # no lines of code: nobody's is wrong
    assert kernel.run("failed.state").outputs[0]["data"]["text/plain"] == "'failed'"
    assert agent(kernel, "fail", "--no-raise").status == "ok"


def test_an_interrupt_ends_the_run_and_the_cell(kernel: NotebookKernel) -> None:
    message = kernel.start(f"%%agent {DEMO} --no-raise\nsleep 600")
    run = kernel.newest()
    kernel.interrupt()
    cell = kernel.wait(message)
    assert cell.status == "error" and cell.error.startswith("RunFailed: Cancelled")
    assert (cell.run_id, run_of(kernel, cell)["state"]) == (run["id"], "cancelled")
    errors = [each for each in cell.outputs if each["output_type"] == "display_data"]
    assert errors[0]["data"]["text/markdown"].startswith("**Demo agent**: Cancelled, ")
    assert agent(kernel, "hello").status == "ok"  # and the next one works


LATE = """
from pathlib import Path
from jupyter_cabinet.client.api import Api
import asyncio
send = Api.send
async def late(api, method, path, *rest):
    answer = await send(api, method, path, *rest)
    while path == "runs" and not Path("answered").exists():
        await asyncio.sleep(0.02)
    return answer
Api.send = late
"""


def test_an_interrupt_before_the_server_has_answered_leaves_no_run(kernel: NotebookKernel) -> None:
    kernel.run(LATE)
    message = kernel.start(f"%%agent {DEMO}\nsleep 600")
    run = kernel.newest()
    kernel.interrupt()
    assert kernel.wait(message).error.startswith("KeyboardInterrupt")
    (kernel.server.root / "answered").touch()
    kernel.run("Api.send = send")

    def state() -> str:
        with kernel.server.client("ada") as client:
            return str(client.get(f"runs/{run['id']}").json()["state"])

    until(lambda: state() == "cancelled", what="the end of the run that nobody follows")
    assert "Uncaught exception" not in kernel.server.log


def test_in_the_background_the_cell_returns_and_its_output_goes_on(kernel: NotebookKernel) -> None:
    gate = kernel.server.root / "gate"
    cell = kernel.run(f"%%agent {DEMO} -b --as later\nwait for the file gate")
    assert cell.data["text/markdown"].startswith("**Demo agent**: ")
    queued = kernel.run(f"%%agent {DEMO} -b --as second\nhello")
    kernel.working(cell.run_id)
    assert run_of(kernel, queued)["state"] == "queued"
    assert kernel.run("print(later.state in ('queued', 'starting', 'running'))").text == "True\n"
    gate.touch()
    assert kernel.run("print(later.result().state, second.result().state)").text == "succeeded succeeded\n"
    gate.unlink()


def test_after_a_restart_the_run_goes_on_and_is_found_again(kernel: NotebookKernel) -> None:
    cell = kernel.run(f"%%agent {DEMO} -b\nwait for the file gate2")
    kernel.working(cell.run_id)
    kernel.restart()
    kernel.run("%load_ext jupyter_cabinet")
    assert run_of(kernel, cell)["state"] == "running"
    (kernel.server.root / "gate2").touch()
    found = kernel.run(f"from jupyter_cabinet import Cabinet\nprint(Cabinet().attach('{cell.run_id}').result().state)")
    assert found.text == "succeeded\n"


def test_a_renamed_notebook_keeps_its_session(kernel: NotebookKernel) -> None:
    before = run_of(kernel, agent(kernel, "hello"))
    kernel.rename("renamed.ipynb")
    after = run_of(kernel, agent(kernel, "hello"))
    kernel.rename("magics.ipynb")
    assert (after["path"], after["session_id"]) == ("renamed.ipynb", before["session_id"])


def test_a_named_agent_is_asked_and_a_play_is_run(kernel: NotebookKernel) -> None:
    fields = {"runtime": "demo", "heartbeat_enabled": False, "name": "Iris"}
    with kernel.server.client("ada") as client:
        made = client.post("agents", json={"slug": "iris", "template": "research", "fields": fields})
        assert made.status_code == 201, made.text
        made = client.post("plays", json={"slug": "triage", "fields": {"agent": "iris"}, "body": PLAY})
        assert made.status_code == 201, made.text
    asked = kernel.run("%%agent @iris\nhello")
    assert run_of(kernel, asked)["agent"] == "iris"
    assert asked.data["text/markdown"].startswith("**iris (Demo agent)**: Succeeded")
    played = kernel.run("n = 7\n%play triage days=3 'what=the plums'")
    assert run_of(kernel, played)["kind"] == "play"
    told = prompt_of(kernel, kernel.run("%%play triage\nwhat = pears\ndays = {n}"))
    assert "Look at pears for 7 days." in told
    refused = kernel.run("%play triage colour=red", fails=True)
    assert "no input colour" in refused.error and "days" in refused.error
    for play in ("nosuch", "No/such"):
        unknown = kernel.run(f"%play {play}", fails=True)
        assert unknown.error.startswith(f"UsageError: There is no play {play} here. There are: ")
        assert "triage" in unknown.error
        assert "Traceback" not in unknown.text
    nobody = kernel.run("%%agent nobody\nhello", fails=True)
    assert nobody.error.startswith("UsageError: No agent is called nobody. There are: ") and "iris" in nobody.error
    edited = kernel.run("%%agent @iris\nadd a markdown cell: Plums")
    assert run_of(kernel, edited)["state"] == "succeeded"
    assert "Plums" in (kernel.server.root / kernel.path).read_text()


def test_a_plan_is_run_listed_and_shown(kernel: NotebookKernel) -> None:
    steps = 'steps:\n- title: One\n  prompt: reply with the single word one\n- title: Two\n  command: ["false"]\n'
    (kernel.server.root / "fruit.yaml").write_text(f"title: Fruit\nruntime: demo\n{steps}")
    ran = kernel.run("%plan run fruit.yaml").text
    assert "One: done\n" in ran and "Two: failed: false ended with code 1." in ran and "  failed. “Two” failed" in ran
    assert "Fruit" in kernel.run("%plan").text
    assert "Two" in kernel.run("%plan Fruit").text
    assert "Two" in kernel.run('%plan "Fruit"').text
    shown = kernel.run("from jupyter_cabinet import Cabinet\nc = Cabinet()\nc.plans[c.plans.list()[0].id]").data
    assert "<strong>Fruit</strong>" in shown["text/html"] and ">failed</td>" in shown["text/html"]
    assert ": Fruit\n  failed. “Two” failed" in shown["text/plain"]
    refused = kernel.run("%plan nothing", fails=True)
    assert "There is no plan nothing here. There are: " in refused.error


def test_handles_and_widgets_show_themselves_and_stand_in_layouts(kernel: NotebookKernel) -> None:
    cell = agent(kernel, "hello", "--as answer")
    kernel.run("from jupyter_cabinet import AgentCard, Cabinet, GoalPlot, RunView, TerminalView\ncabinet = Cabinet()")
    with kernel.server.client("ada") as client:
        fields = {"runtime": "demo", "heartbeat_enabled": False, "goals": [{"metric": "plums", "target": 8}]}
        client.post("agents", json={"slug": "olga", "template": "research", "fields": fields}).raise_for_status()
    card = {"view": "agent", "agent": "olga"}
    assert kernel.run("cabinet.agents['olga']").data[MIME_TYPE] == card
    assert kernel.run(f"cabinet.attach('{cell.run_id}')").run_id == cell.run_id
    for code, view in (
        ("AgentCard('olga')", card),
        ("RunView(answer)", {"view": "run", "run_id": cell.run_id}),
        ("GoalPlot('olga', 'plums')", {"view": "goal", "agent": "olga", "metric": "plums"}),
    ):
        data = kernel.run(code).data
        assert data[MIME_TYPE] == view and "application/vnd.jupyter.widget-view+json" in data
        assert data["text/markdown"] and data["text/plain"]
    assert kernel.run("TerminalView('training').view['view']").outputs[0]["data"]["text/plain"] == "'terminal'"
    layout = kernel.run("from ipywidgets import HBox\nHBox([AgentCard('olga'), RunView(answer)])")
    assert "application/vnd.jupyter.widget-view+json" in layout.data
    assert "has no goal pears. Its goals: plums." in kernel.run("GoalPlot('olga', 'pears')", fails=True).error


def test_a_terminal_is_opened_once_and_shown(kernel: NotebookKernel) -> None:
    first, again = kernel.run("%terminal training").data, kernel.run("%terminal training").data
    assert first[MIME_TYPE] == again[MIME_TYPE] and first[MIME_TYPE]["view"] == "terminal"
    assert "training" in kernel.run("%cabinet terminals").text


def test_the_whole_server_is_told_and_paused_and_resumed(kernel: NotebookKernel) -> None:
    text = kernel.run("%cabinet").text
    assert "Demo agent" in text and "Not found: " in text
    assert kernel.run("%cabinet doctor").text.startswith(
        f"Server: http://localhost:{kernel.server.port}/a%40b/\nNotebook: "
    )
    assert "Paused" in kernel.run("%cabinet pause").text
    assert "Everything is paused" in kernel.run("%cabinet").text
    queued = kernel.run(f"%%agent {DEMO} -b\nhello")
    assert run_of(kernel, queued)["state"] == "queued"
    assert "can start again" in kernel.run("%cabinet resume").text
    until(lambda: run_of(kernel, queued)["state"] == "succeeded", what="the run that has waited")


def test_an_approval_is_listed_with_the_run_to_answer_it_in(kernel: NotebookKernel) -> None:
    cell = kernel.run(f"%%agent {DEMO} -b --new-session --mode ask\nask several questions")
    until(lambda: run_of(kernel, cell)["state"] == "waiting", what="the question")
    listed = kernel.run("%cabinet approvals")
    assert "Answer them in JupyterLab" in listed.text and listed.run_id == cell.run_id
    with kernel.server.client("ada") as client:
        client.post(f"runs/{cell.run_id}/cancel", json={})


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("%%agent --colour\nhello", "UsageError: --colour is not known."),
        ("%%agent\n  ", "UsageError: The cell is empty."),
        ("%%agent\n{nobody}", "UsageError: {nobody} has no value: NameError"),
        ("%cabinet nonsense", "UsageError: %cabinet nonsense is not known. There are: status, agents"),
        ("%play", "UsageError: %play needs a name after it."),
        ("%%agent --runtime nothing\nhello", "RequestRefused: "),
        ("%%agent\nsee @../../etc/passwd", "leads out of the server's root folder"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(kernel: NotebookKernel, code: str, words: str) -> None:
    cell = kernel.run(code, fails=True)
    said = cell.error + cell.text
    assert words in said and "Traceback" not in said


@pytest.mark.long(reason="starts a kernel; what is offered is tested in one process")
def test_tab_offers_options_agents_and_words(kernel: NotebookKernel) -> None:
    def offered(code: str) -> list[str]:
        reply = kernel.client.complete(code, len(code), reply=True, timeout=30)
        matches: list[str] = reply["content"]["matches"]
        return matches

    assert "--new-session" in offered("%%agent --n")
    assert "demo" in offered("%%agent --runtime d")
    assert "bypass" in offered("%%agent --mode b")
    assert "approvals" in offered("%cabinet ap")


def test_the_help_is_the_page_of_a_manual(kernel: NotebookKernel) -> None:
    reply = kernel.client.inspect("%%agent", 7, reply=True, timeout=30)
    assert "Interrupting the kernel cancels the run." in reply["content"]["data"]["text/plain"]


@pytest.mark.long(reason="starts another interpreter")
def test_plain_ipython_says_that_there_is_no_server(tmp_path: Path) -> None:
    code = "get_ipython().run_line_magic('load_ext', 'jupyter_cabinet'); get_ipython().run_line_magic('cabinet', '')"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("JPY_", "JUPYTER"))}
    run = subprocess.run(
        [sys.executable, "-m", "IPython", "--colors=NoColor", "-c", code],
        env={**environment, "HOME": str(tmp_path), "IPYTHONDIR": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    said = run.stdout + run.stderr
    assert "NoServer: This is not a kernel of a Jupyter server" in said and "Cabinet(url, token" in said, said


@pytest.mark.long(reason="test_tour.py looks at saved notebooks in the quick tier")
def test_the_saved_notebook_is_small_and_says_the_same(kernel: NotebookKernel) -> None:
    cell = agent(kernel, "hello")
    assert len(json.dumps(cell.data)) < 5_000
    assert set(cell.data) == {MIME_TYPE, "text/markdown", "text/plain"}
