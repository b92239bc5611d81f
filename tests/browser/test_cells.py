"""What cells of a notebook show of runs, agents, goals and terminals: a real JupyterLab, a real kernel, the demo agent.

The displays are made by hand, as `jupyter_cabinet.notebook` makes them: a bundle with our MIME type, and Markdown.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import nbformat
import pytest
from harness import looks, tour
from harness.lab import Lab
from harness.lab_pool import LabPool
from harness.server import LabServer, Server, until
from playwright.sync_api import Browser, Locator, WebSocketRoute, expect

from jupyter_cabinet.core.safe_markdown import safe_markdown

SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"
MIME = "application/vnd.jupyter-cabinet.view+json"
KERNEL = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
pytestmark = pytest.mark.slow(reason="kernels and runs of the demo agent in a real browser")
OpenLab = Callable[..., Lab]


class Book:
    """A notebook that is open in a page, with a separate kernel."""

    def __init__(self, lab: Lab, path: str) -> None:
        self.lab = lab
        self.path = path

    @property
    def outputs(self) -> Locator:
        return self.lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cabinet-cell-view")

    def run_cell(self, code: str) -> Locator:
        """In a new cell at the end, once there is a kernel; the cell. Does not wait for it to end."""
        self.wait_for_kernel()
        name = uuid.uuid4().hex
        self.lab.page.evaluate(
            """async ([code, name]) => {
                const { commands, shell } = window.jupyterapp;
                const { content } = shell.currentWidget;
                content.activeCellIndex = content.widgets.length - 1;
                await commands.execute('notebook:insert-cell-below');
                content.activeCell.model.sharedModel.setSource(code);
                content.activeCell.node.dataset.test = name;
                void commands.execute('notebook:run-cell');
            }""",
            [code, name],
        )
        return self.lab.page.locator(f'[data-test="{name}"]')

    def wait_for_kernel(self) -> None:
        session = "window.jupyterapp.shell.currentWidget.sessionContext.session"
        self.lab.page.wait_for_function(f"() => ['idle', 'busy'].includes({session}?.kernel?.status)", timeout=60_000)

    def show(self, view: dict[str, Any], markdown: str = "*saved*") -> Locator:
        """Run a cell that displays it; the output's place, in the window."""
        bundle = {MIME: view, "text/markdown": markdown, "text/plain": "saved"}
        cell = self.run_cell(f"from IPython.display import display\ndisplay({bundle!r}, raw=True)")
        return seen(cell.locator(".jp-Cabinet-cell-view"))

    def save(self) -> None:
        self.lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")


def seen(output: Locator) -> Locator:
    """Only what is seen is drawn."""
    expect(output).to_have_count(1)
    output.scroll_into_view_if_needed()
    return output


def saved_output(view: dict[str, Any], markdown: str = "**saved**") -> Any:
    return nbformat.v4.new_output("display_data", data={MIME: view, "text/markdown": markdown, "text/plain": "saved"})


def write_notebook(server: Server, path: str, *cells: Any) -> None:
    notebook = nbformat.v4.new_notebook(cells=list(cells), metadata={"kernelspec": KERNEL})
    nbformat.write(notebook, server.root / path)


@pytest.fixture(scope="module")
def page_of_cells(lab_server: Server, lab_pool: LabPool, request: pytest.FixtureRequest) -> Iterator[Book]:
    """One page, one notebook and one kernel for most tests."""
    path = "cells.ipynb"
    write_notebook(lab_server, path, nbformat.v4.new_code_cell("1"))
    failed = request.session.testsfailed
    lab = lab_pool.take(lab_server, path, username="ada", theme="light")
    yield Book(lab, path)
    lab_pool.give_back(lab, "ada", reusable=request.session.testsfailed == failed)


@pytest.fixture
def book(page_of_cells: Book) -> Book:
    lab = page_of_cells.lab
    if lab not in Lab.opened:
        Lab.opened.append(lab)
    lab.command("docmanager:open", path=page_of_cells.path)
    return page_of_cells


@pytest.fixture
def client(lab_server: Server) -> Iterator[httpx.Client]:
    with lab_server.client("ada") as client:
        yield client


@pytest.fixture
def agent(lab_server: Server) -> Iterator[str]:
    """With the demo agent as its CLI, and a goal for each week."""
    slug = f"iris-{uuid.uuid4().hex[:8]}"
    goal = {"metric": "articles", "target": 8, "floor": 2, "period": "weekly"}
    fields = {"runtime": "demo", "heartbeat_enabled": False, "name": "Iris", "emoji": "🔎", "goals": [goal]}
    with lab_server.browser_client("ada") as client:
        made = client.post("agents", json={"slug": slug, "template": "research", "fields": fields})
        assert made.status_code == 201, made.text
        yield slug


def run_view(run: dict[str, Any]) -> dict[str, Any]:
    return {"view": "run", "run_id": run["id"]}


def waits_for(name: str) -> str:
    return f"wait for the file {name}"


# --- runs -------------------------------------------------------------------------------------------------------------


def test_a_run_is_followed_to_its_end(book: Book, lab_server: Server, client: httpx.Client) -> None:
    run = lab_server.run(client, waits_for("followed"), wait=0)
    output = book.show(run_view(run))
    expect(output).to_contain_text("Demo agent")
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "running")
    expect(output.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
    expect(output.get_by_role("button", name=re.compile("^Sent: wait for the file"))).to_be_visible()
    (lab_server.root / "followed").touch()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")
    expect(output).to_contain_text("Succeeded")
    expect(output.get_by_role("button", name="Stop")).to_have_count(0)
    spoken = book.lab.page.locator("body > .jp-Cabinet-spoken[role=status]")
    expect(spoken).to_have_text(re.compile("^Succeeded after"))


@pytest.mark.long(reason="a detail of the card")
def test_a_queued_run_says_that_all_agents_are_paused(book: Book, lab_server: Server, client: httpx.Client) -> None:
    with lab_server.browser_client("ada") as browser:
        browser.post("switch", json={"paused": True, "now": False}).raise_for_status()
        try:
            output = book.show(run_view(lab_server.run(client, "reply with hello", wait=0)))
            expect(output).to_contain_text("Queued")
            expect(output).to_contain_text(re.compile("All agents were paused by .* No new runs will start."))
        finally:
            browser.post("switch", json={"paused": False, "now": False}).raise_for_status()
    expect(output).to_contain_text("Succeeded")
    expect(output).not_to_contain_text("paused")


@pytest.mark.long(reason="a detail of the card")
def test_tool_calls_are_folded_and_unfold(book: Book, lab_server: Server, client: httpx.Client) -> None:
    (lab_server.root / "tools.md").write_text("# Tools\n")
    session = client.post("editor/sessions", json={"path": "tools.md", "runtime": "demo"}).json()["session"]
    run = lab_server.run(client, "append: seen", kind="editor", session_id=session["id"], mode="headless")
    assert run["state"] == "succeeded", run
    output = book.show(run_view(run))
    fold = output.get_by_role("button", name=re.compile(r"^\d tool calls? "))
    expect(fold).to_have_attribute("aria-expanded", "false")
    expect(output.locator(".jp-Cabinet-run-changed")).to_contain_text("1 file changed tools.md")
    fold.click()
    call = output.locator(".jp-Cabinet-run-calls .jp-Cabinet-fold-head").first
    call.click()
    expect(output.locator(".jp-Cabinet-fold-body").first).to_be_visible()


def test_stop_in_the_output_cancels_the_run(book: Book, lab_server: Server, client: httpx.Client) -> None:
    run = lab_server.run(client, waits_for("never"), wait=0)
    output = book.show(run_view(run))
    output.get_by_role("button", name="Stop", exact=True).click()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "cancelled")
    expect(output.locator(".jp-Cabinet-run-output")).to_be_focused()  # and not the page: the keys of the notebook work
    assert client.get(f"runs/{run['id']}").json()["state"] == "cancelled"


def test_a_question_is_answered_in_the_output(book: Book, lab_server: Server, client: httpx.Client) -> None:
    run = lab_server.run(client, "ask a question", wait=0, permission_mode="ask")
    output = book.show(run_view(run))
    card = output.locator(".jp-Cabinet-approval")
    expect(card).to_be_visible()
    expect(output).to_contain_text("Waiting for you")
    found = looks.show(book.lab, "cell-waiting")
    answer = card.get_by_role("group", name="Answers").get_by_role("button").first
    expect(answer).to_have_attribute("aria-disabled", "false")
    answer.click()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")
    expect(output.locator(".jp-Cabinet-run-output")).to_be_focused()
    assert not found, looks.listed(found)


def test_a_cell_and_the_person_who_runs_it_are_one_person(book: Book, client: httpx.Client) -> None:
    health = f"{book.lab.server.url}cabinet/api/health"
    you = book.lab.page.evaluate("async url => (await (await fetch(url)).json()).you.username", health)
    book.run_cell("%load_ext jupyter_cabinet\nfrom jupyter_cabinet import Cabinet\nopened = Cabinet().terminals.open()")
    output = book.run_cell("%%agent --runtime demo --mode ask\nask a question").locator(".jp-Cabinet-cell-view")
    card = seen(output).locator(".jp-Cabinet-approval")
    expect(card).to_be_visible()
    asked = [each["approval"] for each in client.get("approvals").json()["items"]]
    assert max(asked, key=lambda each: each["asked_at"])["owner"] == you
    card.get_by_role("group", name="Answers").get_by_role("button").first.click()
    terminal = client.get("terminals").json()["items"][-1]
    assert (terminal["owner"], terminal["controller"]["username"]) == (you, you)
    client.delete(f"terminals/{terminal['id']}")


def test_a_failure_says_why(book: Book, lab_server: Server, client: httpx.Client) -> None:
    run = lab_server.run(client, "fail")
    output = book.show(run_view(run))
    expect(output).to_contain_text("Failed")
    expect(output.get_by_role("button", name="Output", exact=True)).to_be_visible()
    assert run["failure"]["message"] in output.inner_text()


@pytest.mark.long(reason="restarts a kernel")
def test_the_output_survives_the_kernel(book: Book, lab_server: Server, client: httpx.Client) -> None:
    run = lab_server.run(client, waits_for("restarted"), wait=0)
    output = book.show(run_view(run))
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "running")
    book.lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    (lab_server.root / "restarted").touch()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")


@pytest.mark.long(reason="the quick tier follows the same card to its end")
def test_the_kernel_writes_its_text_again_and_nothing_is_drawn_anew(
    book: Book, lab_server: Server, client: httpx.Client
) -> None:
    run = lab_server.run(client, waits_for("updated"), wait=0)
    bundle = {MIME: run_view(run), "text/markdown": "first", "text/plain": "first"}
    cell = book.run_cell(f"from IPython.display import display\nh = display({bundle!r}, raw=True, display_id=True)")
    output = seen(cell.locator(".jp-Cabinet-cell-view"))
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "running")
    output.evaluate("place => { place.querySelector('article').dataset.same = 'yes'; }")
    book.run_cell(f"h.update({ ({**bundle, 'text/markdown': 'second'})!r}, raw=True)")
    until(lambda: "second" in _saved_texts(book, lab_server), what="the new text to be saved")
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-same", "yes")
    (lab_server.root / "updated").touch()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")


def _saved_texts(book: Book, server: Server) -> list[str]:
    book.save()
    cells = nbformat.read(server.root / book.path, 4).cells
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    return [output["data"]["text/markdown"] for output in outputs if "data" in output]


@pytest.mark.long(reason="starts JupyterLab again, and for a second person")
def test_after_a_reload_and_for_a_colleague_it_is_the_same_run(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client
) -> None:
    write_notebook(lab_server, "shared-cell.ipynb", nbformat.v4.new_code_cell("1"))
    lab = open_lab(lab_server, "shared-cell.ipynb")
    run = lab_server.run(client, waits_for("both"), wait=0)
    book = Book(lab, "shared-cell.ipynb")
    expect(book.show(run_view(run)).locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "running")
    book.save()
    lab.page.reload(wait_until="domcontentloaded")
    lab.wait_ready()
    colleague = open_lab(lab_server, "shared-cell.ipynb")
    outputs = [
        Book(each, "shared-cell.ipynb").outputs.first.locator(".jp-Cabinet-run-output") for each in (lab, colleague)
    ]
    for output in outputs:
        expect(output).to_have_attribute("data-state", "running")
    (lab_server.root / "both").touch()
    for output in outputs:
        expect(output).to_have_attribute("data-state", "succeeded")


@pytest.mark.long(reason="starts JupyterLab for one more person")
def test_who_may_not_see_a_run_sees_what_was_saved(team: Server, browsers: Callable[[str], Lab]) -> None:
    with team.client("ada") as ada:
        run = team.run(ada, "remember the secret word")
    (team.root / "theirs.ipynb").write_text("{}")
    cells = [
        nbformat.v4.new_code_cell("1", outputs=[saved_output(run_view(run), "The **saved** answer")]),
        nbformat.v4.new_code_cell("2", outputs=[saved_output({"view": "run", "run_id": "unknown"}, "Of <b>old</b>")]),
    ]
    write_notebook(team, "theirs.ipynb", *cells)
    lab = browsers("ben")
    lab.command("docmanager:open", path="theirs.ipynb")
    outputs = Book(lab, "theirs.ipynb").outputs
    expect(outputs.nth(0)).to_contain_text("This run is not on this server, or it is private to another person.")
    expect(outputs.nth(0).locator("strong", has_text="saved")).to_be_visible()
    expect(outputs.nth(1)).to_contain_text("This run is not on this server, or it is private to another person.")
    expect(outputs.nth(1)).to_contain_text("Of <b>old</b>")
    assert "secret" not in outputs.nth(0).inner_text()


ATTACKS = [
    "[a]([x](javascript:alert(1)))",
    "!![x](https://evil.example/pixel.png)",
    'https://a.example/$" onmouseover=alert(1) x="$',
    '[x](https://a.example "$" onmouseover=alert(1) x="$")',
    '> ~~~py$" onmouseover=alert(1) x="$',
    "https://a.example/`<img src=x onerror=alert(1)>`",
]
MORE_THAN_TEXT = "img, [onmouseover], [onerror], a[href^='javascript:']"


def test_an_answer_is_text_where_jupyterlab_cleans_nothing(book: Book) -> None:
    """It trusts the Markdown of outputs that were made here."""

    def shown(texts: list[str]) -> Locator:
        bundles = [{"text/markdown": text} for text in texts]
        cell = book.run_cell(f"from IPython.display import display\nfor each in {bundles!r}: display(each, raw=True)")
        expect(cell.locator(".jp-RenderedMarkdown")).to_have_count(len(texts))
        return cell.locator(MORE_THAN_TEXT)

    expect(shown(ATTACKS)).not_to_have_count(0)  # else this could not fail
    expect(shown([safe_markdown(text) for text in ATTACKS])).to_have_count(0)


@pytest.mark.long(reason="starts JupyterLab for somebody who has not trusted the notebook")
def test_a_notebook_that_is_not_trusted_has_no_buttons_until_somebody_wants_them(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client
) -> None:
    run = lab_server.run(client, "ask a question", wait=0, permission_mode="ask")
    terminal = client.post("terminals", json={}).json()
    views = [run_view(run), {"view": "terminal", "terminal_id": terminal["id"]}]
    cells = [nbformat.v4.new_code_cell("1", outputs=[saved_output(view)]) for view in views]
    write_notebook(lab_server, "foreign.ipynb", *cells)
    lab = open_lab(lab_server, "foreign.ipynb", fresh=True)
    of_run, of_terminal = (Book(lab, "foreign.ipynb").outputs.nth(index) for index in (0, 1))
    expect(of_run).to_contain_text("Waiting for you")
    expect(of_run).to_contain_text("Answer in Approvals.")
    expect(of_run.get_by_role("button", name="Stop")).to_have_count(0)
    expect(of_run.locator(".jp-Cabinet-answers")).to_have_count(0)
    expect(of_terminal).to_contain_text("the terminal does not open automatically.")
    expect(of_terminal.locator(".xterm")).to_have_count(0)
    found = looks.show(lab, "cell-untrusted")
    for output, label in ((of_run, "Enable the buttons"), (of_terminal, "Open the terminal")):
        output.get_by_role("button", name=label).click()
    expect(of_terminal.locator(".xterm")).to_be_visible()
    of_run.get_by_role("button", name="Stop", exact=True).click()
    expect(of_run.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "cancelled")
    client.delete(f"terminals/{terminal['id']}")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="ten thousand pieces of text")
def test_ten_thousand_pieces_of_text_keep_the_page_painting(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client
) -> None:
    run = lab_server.run(client, waits_for("streamed"), wait=0)
    write_notebook(lab_server, "streamed.ipynb", nbformat.v4.new_code_cell("1"))
    lab = open_lab(lab_server, "streamed.ipynb")
    page = lab.page
    pieces = 10_000

    def talk(socket: WebSocketRoute) -> None:
        """In place of the server: as fast as a page takes it."""
        for index in range(pieces):
            text = f"word{index} " + ("\n\n" if index % 40 == 39 else "")
            event = {"type": "TextDelta", "text": text}
            socket.send(json.dumps({"type": "output", "index": 0, "at": index / 1000, "event": event}))

    page.route_web_socket(re.compile(f"runs/{run['id']}/output"), talk)
    page.reload(wait_until="domcontentloaded")
    lab.wait_ready()
    page.evaluate(
        """() => {
            window.frames10k = [];
            let last = performance.now();
            const tick = now => { window.frames10k.push(now - last); last = now; requestAnimationFrame(tick); };
            requestAnimationFrame(tick);
        }"""
    )
    output = Book(lab, "streamed.ipynb").show(run_view(run))
    expect(output).to_contain_text(f"word{pieces - 1}")
    gaps = page.evaluate("() => window.frames10k")
    assert len(gaps) > 20, gaps  # it was painted meanwhile; `benchmarks/cell_page.py` measures how well
    expect(output.locator("p")).to_have_count(pieces // 40)
    (lab_server.root / "streamed").touch()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")


@pytest.mark.long(reason="a text of many pieces; a run is followed to its end in the quick tier")
def test_a_long_text_is_whole_and_stands_there_once_while_it_comes(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client
) -> None:
    words = " ".join(f"plum{number}" for number in range(200))
    run = lab_server.run(client, f"wait for the file pieces\nremember {words}", wait=0)
    write_notebook(lab_server, "pieces.ipynb", nbformat.v4.new_code_cell("1"))
    output = Book(open_lab(lab_server, "pieces.ipynb"), "pieces.ipynb").show(run_view(run))
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "running")
    (lab_server.root / "pieces").touch()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "succeeded")
    answer = output.locator("p", has_text="I have noted")
    expect(answer).to_have_count(1)
    expect(answer).to_contain_text(words)


@pytest.mark.long(reason="two hundred outputs")
def test_a_notebook_with_two_hundred_outputs_asks_for_what_is_seen(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client
) -> None:
    runs = [lab_server.run(client, f"remember {number}") for number in range(5)]
    cells = [
        nbformat.v4.new_code_cell(str(number), outputs=[saved_output(run_view(runs[number % 5]))])
        for number in range(200)
    ]
    write_notebook(lab_server, "many.ipynb", *cells)
    write_notebook(lab_server, "none.ipynb", nbformat.v4.new_code_cell("1"))
    lab = open_lab(lab_server, "none.ipynb")
    asked: list[str] = []
    lab.page.on("request", lambda request: asked.append(request.url))
    lab.page.on("websocket", lambda socket: asked.append(socket.url))
    lab.command("docmanager:open", path="many.ipynb")
    outputs = Book(lab, "many.ipynb").outputs
    expect(outputs.first).to_contain_text("Succeeded")
    assert not [url for url in asked if url.startswith("ws") and "/output" in url], asked
    mine = [url for url in asked if any(run["id"] in url for run in runs)]
    assert len(mine) <= 3 * len(runs), mine  # each once, however many outputs show it
    last = lab.page.locator(".jp-Cell", has_text="199").locator(".jp-Cabinet-cell-view")

    def reached() -> bool:
        """What is drawn on the way there moves it on."""
        lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.content.scrollToItem(199, 'end')")
        if last.count():
            last.scroll_into_view_if_needed()
        return last.count() == 1 and "Succeeded" in last.inner_text()

    until(reached, what="the last output")


# --- agents, goals, terminals -----------------------------------------------------------------------------------------


@pytest.mark.long(reason="the state of an agent is followed in test_dashboard.py")
def test_an_agent_on_its_card_is_live(book: Book, client: httpx.Client, agent: str) -> None:
    output = book.show({"view": "agent", "agent": agent})
    card = output.get_by_role("article", name="Iris")
    expect(card).to_contain_text("Idle")
    expect(card.get_by_role("meter", name="articles")).to_have_attribute("aria-valuetext", re.compile("^0 of 8"))
    expect(card.get_by_role("meter", name="Budget")).to_be_visible()
    card.get_by_role("button", name="Pause", exact=True).click()
    expect(card).to_contain_text("Paused")
    assert client.get(f"agents/{agent}").json()["status"] == "paused"
    client.post(f"agents/{agent}/resume")
    expect(card).to_contain_text("Idle")
    found = looks.show(book.lab, "cell-agent")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="draws a goal, which no other test needs")
def test_a_goal_is_drawn_and_can_be_read(book: Book, lab_server: Server, agent: str) -> None:
    goals = {
        "goals": {
            "articles": {
                "current": 6,
                "target": 8,
                **_this_week(),
                "history": [{"period": f"2026-W{week}", "actual": week % 7 + 2, "target": 8} for week in range(40, 46)],
            }
        }
    }
    (lab_server.root / ".agents" / agent / "memory" / "goals.json").write_text(json.dumps(goals))
    output = book.show({"view": "goal", "agent": agent, "metric": "articles"})
    plot = output.get_by_role("figure", name="articles, this week")
    expect(plot).to_contain_text("6 of 8")
    expect(plot.locator("canvas")).to_be_visible()
    expect(plot.get_by_role("table")).to_contain_text("Floor: 2.")
    expect(plot.get_by_role("row")).to_have_count(8)
    found = looks.show(book.lab, "cell-goal")
    assert not found, looks.listed(found)


def _this_week() -> dict[str, str]:
    from datetime import UTC, datetime, timedelta

    today = datetime.now(UTC).date()
    monday = today - timedelta(days=today.weekday())
    return {"period_start": monday.isoformat(), "period_end": (monday + timedelta(days=6)).isoformat()}


@pytest.mark.long(reason="test_terminals shares one in the quick tier")
def test_a_terminal_in_an_output_is_the_shared_one(book: Book, client: httpx.Client) -> None:
    book.lab.command("cabinet:new-terminal")  # the page's own, as `%terminal` opens it for the person at the page
    terminal = until(lambda: client.get("terminals").json()["items"], what="the terminal")[-1]
    book.lab.command("docmanager:open", path=book.path)
    output = book.show({"view": "terminal", "terminal_id": terminal["id"]})
    expect(output.locator(".jp-Cabinet-run-line")).to_contain_text(terminal["name"])
    screen = output.locator(".xterm-screen")
    screen.click()
    book.lab.page.keyboard.type("echo in-the-$((40+2))-cell\n")
    expect(output.locator(".xterm")).to_be_visible()
    book.lab.expect_screen("in-the-42-cell")
    place = output.locator(".jp-Cabinet-terminal-place")
    before = place.bounding_box()
    grip = output.get_by_role("separator")
    grip.focus()
    book.lab.page.keyboard.press("ArrowDown")
    until(lambda: place.bounding_box()["height"] > before["height"], what="the terminal to grow")
    found = looks.show(book.lab, "cell-terminal")
    output.get_by_role("button", name="Open in a tab").click()
    tab = book.lab.page.locator(".lm-DockPanel-tabBar .lm-mod-current", has_text=terminal["name"])
    expect(tab).to_be_visible()
    client.delete(f"terminals/{terminal['id']}")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="the quick tier tries the same card as an output")
def test_the_element_of_a_widget_shows_the_same_and_ends_with_it(book: Book, client: httpx.Client, agent: str) -> None:
    page = book.lab.page
    page.evaluate(
        """agent => {
            const element = document.createElement('jupyter-cabinet-view');
            element.id = 'of-a-widget';
            element.view = { view: 'agent', agent };
            document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden) .jp-Notebook').append(element);
        }""",
        agent,
    )
    element = page.locator("#of-a-widget")
    expect(element.get_by_role("article", name="Iris")).to_contain_text("Idle")
    page.evaluate("() => { document.querySelector('#of-a-widget').view = { view: 'run', run_id: 'unknown' }; }")
    expect(element).to_contain_text("This run is not on this server, or it is private to another person.")
    page.evaluate(
        """agent => {
            const element = document.querySelector('#of-a-widget');
            element.remove();
            window.leftInElement = element.childElementCount;
        }""",
        agent,
    )
    assert page.evaluate("() => window.leftInElement") == 0


# --- the notebook -----------------------------------------------------------------------------------------------------


def _submit(client: httpx.Client, path: str, instruction: str, **fields: Any) -> dict[str, Any]:
    body = {"kind": "cell", "runtime": "demo", "notebook": path, "instruction": instruction, **fields}
    reply = client.post("runs", json=body)
    assert reply.status_code == 201, reply.text
    found: dict[str, Any] = reply.json()
    return found


@pytest.mark.parametrize(
    "collaboration",
    [
        pytest.param(False, id="alone"),
        pytest.param(True, id="shared", marks=pytest.mark.long(reason="one without collaboration is tried")),
    ],
)
def test_an_agent_edits_the_notebook_whose_cell_is_running(
    request: pytest.FixtureRequest, open_lab: OpenLab, collaboration: bool
) -> None:
    server: Server = request.getfixturevalue("rtc_server" if collaboration else "lab_server")
    path = f"edited-{collaboration}.ipynb"
    named, stop = (server.root / f"{name}-{collaboration}" for name in ("named", "stop"))
    kept = nbformat.v4.new_output("stream", text="kept output\n")
    code = WORKING_CELL.format(named=str(named), stop=str(stop), mime=MIME)
    write_notebook(
        server,
        path,
        nbformat.v4.new_code_cell("print('kept output')", id="kept", outputs=[kept]),
        nbformat.v4.new_code_cell(code, id="asks"),
    )
    if collaboration:
        lab = open_lab(server, path)
    else:
        lab = request.getfixturevalue("book").lab
        lab.show(path)
    book = Book(lab, path)
    book.wait_for_kernel()
    lab.page.evaluate(
        """() => {
            const { commands, shell } = window.jupyterapp;
            const { content } = shell.currentWidget;
            content.widgets[0].model.sharedModel.setSource('x = 1  # not saved');
            content.activeCellIndex = 1;
            void commands.execute('notebook:run-cell');
        }"""
    )
    with server.client("ada") as client:
        run = _submit(client, path, waits_for(f"edited-{collaboration}"))
        until(lambda: "# not saved" in (server.root / path).read_text(), what="the notebook to be saved")
        _put_whole(named, run["id"])
        outputs = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output")
        expect(outputs.last).to_contain_text("line 3")
        output = book.outputs.first.locator(".jp-Cabinet-run-output")
        expect(output).to_have_attribute("data-state", "running")
        expect(output.get_by_role("button", name="Stop", exact=True)).to_be_enabled()
        _edit(server.root / path)
        (server.root / f"edited-{collaboration}").touch()
        expect(lab.page.locator(".jp-MarkdownCell", has_text="By the agent")).to_be_visible()
        expect(output).to_have_attribute("data-state", "succeeded")
        assert lab.page.locator(".jp-Cabinet-document-strip", has_text="while you have unsaved").count() == 0
        stop.touch()
        expect(outputs.last).to_contain_text("the end")
        expect(outputs.first).to_contain_text("kept output")
    book.save()
    until(lambda: "the end\\n" in (server.root / path).read_text(), what="the whole output to be saved")
    saved = nbformat.read(server.root / path, 4)
    text = json.dumps(saved)
    assert all(words in text for words in ("# not saved", "By the agent", "kept output"))
    assert [cell.id for cell in saved.cells[:2]] == ["kept", "asks"]
    assert MIME in saved.cells[1].outputs[0]["data"]


WORKING_CELL = """\
import os, time
from IPython.display import display
while not os.path.exists({named!r}):
    time.sleep(0.05)
display({{{mime!r}: {{"view": "run", "run_id": open({named!r}).read()}}, "text/markdown": "working"}}, raw=True)
n = 0
while not os.path.exists({stop!r}):
    print("line", n, flush=True)
    n += 1
    time.sleep(0.1)
print("the end")
"""


def _put_whole(path: Path, text: str) -> None:
    """At once: the cell looks for the file and would read one that has just been opened as empty."""
    begun = path.with_suffix(".begun")
    begun.write_text(text)
    begun.rename(path)


def _edit(path: Path) -> None:
    """As an agent would: the file with a new cell at its end."""
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nbformat.v4.new_markdown_cell("## By the agent"))
    nbformat.write(notebook, path)


@pytest.mark.long(reason="two people type while changes come; a shared text is tried in the quick tier")
def test_what_somebody_types_in_a_shared_notebook_stays_while_an_agents_change_comes(
    rtc_server: Server, open_lab: OpenLab
) -> None:
    path = "typed.ipynb"
    write_notebook(rtc_server, path, nbformat.v4.new_code_cell("", id="typed"), nbformat.v4.new_code_cell("2", id="b"))
    lab = open_lab(rtc_server, path)
    Book(lab, path).wait_for_kernel()
    with rtc_server.client("ada") as client:
        run = _submit(client, path, waits_for("typed-on"))
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "running", what="the run to work")
        lab.page.locator(".jp-CodeCell .cm-content").first.click()
        words = [f"word{number}" for number in range(60)]
        for number, word in enumerate(words):
            if number == 20:
                _edit(rtc_server.root / path)
            lab.page.keyboard.type(f"{word} ", delay=10)
        expect(lab.page.locator(".jp-MarkdownCell", has_text="By the agent")).to_have_count(1)
        (rtc_server.root / "typed-on").touch()

    def lost() -> list[str]:
        typed = next((cell.source for cell in code_cells(rtc_server.root / path) if cell.id == "typed"), "")
        return [word for word in words if word not in typed.split()]

    with suppress(AssertionError):
        until(lambda: not lost())
    assert not lost()
    assert "By the agent" in (rtc_server.root / path).read_text()


@pytest.mark.long(reason="trust is tried by itself in remoteOutputs.spec.ts")
def test_widgets_of_a_shared_notebook_are_drawn_although_an_agent_was_asked_above(
    rtc_server: Server, open_lab: OpenLab
) -> None:
    path = "run-all.ipynb"
    cells = ["%load_ext jupyter_cabinet", "%%agent --runtime demo\nhello", WIDGETS]
    write_notebook(rtc_server, path, *map(nbformat.v4.new_code_cell, cells))
    lab = open_lab(rtc_server, path)
    lab.save_kernel_metadata()
    lab.page.evaluate("() => void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    box = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-OutputArea-output").last
    expect(box.locator(".widget-hbox")).to_contain_text("beside an agent")


WIDGETS = "from ipywidgets import HBox, Label\nHBox([Label('beside an agent')])"


@pytest.mark.long(reason="test_flow changes a shared notebook in the quick tier")
def test_saving_a_shared_notebook_after_an_agents_change_asks_nothing(rtc_server: Server, open_lab: OpenLab) -> None:
    path = "saved-after.ipynb"
    write_notebook(rtc_server, path, nbformat.v4.new_code_cell("1"))
    lab = open_lab(rtc_server, path)
    Book(lab, path).wait_for_kernel()
    known = "window.jupyterapp.shell.currentWidget.context.contentsModel.hash"
    with rtc_server.client("ada") as client:
        run = _submit(client, path, "add a markdown cell: By the agent")
        until(lambda: client.get(f"runs/{run['id']}").json()["state"] == "succeeded", what="the run to end")
        expect(lab.page.locator(".jp-MarkdownCell", has_text="By the agent")).to_have_count(1)
        disk = client.get(f"{rtc_server.url}api/contents/{path}?content=0&hash=1").json()["hash"]
    lab.page.wait_for_function(f"hash => {known} === hash", arg=disk)
    lab.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


@pytest.mark.long(reason="test_flow opens sessions from the history in the quick tier")
def test_the_sidebar_lists_the_session_with_an_agent_and_goes_on_with_it(
    lab_server: Server, open_lab: OpenLab, client: httpx.Client, agent: str
) -> None:
    path = "with-agent.ipynb"
    write_notebook(lab_server, path, nbformat.v4.new_code_cell("1"))
    run = lab_server.run(client, "remember the blue door", kind="cell", notebook=path, agent=agent)
    assert run["state"] == "succeeded", run
    lab = open_lab(lab_server, path)
    lab.command("cabinet:show-history")
    row = lab.panel.locator(".jp-Cabinet-row", has_text="remember the blue door")
    expect(row).to_contain_text(f"with {agent}")
    row.click()
    expect(lab.panel).to_contain_text(f"with {agent}")
    lab.run("what did I tell you")
    expect(lab.panel).to_contain_text("2 of 2")
    lab.expect_state("Succeeded")
    runs = [each for each in client.get("runs").json()["items"] if each["session_id"] == run["session_id"]]
    assert [each["agent"] for each in runs] == [agent, agent]


@pytest.mark.long(reason="every state in both themes")
def test_how_it_looks(lab_server: Server, open_lab: OpenLab, client: httpx.Client, agent: str) -> None:
    (lab_server.root / "looks.md").write_text("# Looks\n")
    session = client.post("editor/sessions", json={"path": "looks.md", "runtime": "demo"}).json()["session"]
    done = lab_server.run(client, "append: seen", kind="editor", session_id=session["id"], mode="headless")
    busy = lab_server.run(client, waits_for("looked"), wait=0)
    failed = lab_server.run(client, "fail")
    views = [run_view(done), run_view(busy), run_view(failed), {"view": "agent", "agent": agent}]
    write_notebook(lab_server, "looks.ipynb", nbformat.v4.new_code_cell("1"))
    lab = open_lab(lab_server, "looks.ipynb")
    book = Book(lab, "looks.ipynb")
    for view in views:
        book.show(view)
    expect(book.outputs.last).to_contain_text("Iris")
    found = looks.show(lab, "cells")
    lab.command("application:toggle-left-area")
    lab.page.set_viewport_size({"width": 390, "height": 844})
    found += looks.show(lab, "cells-narrow")
    (lab_server.root / "looked").touch()
    assert not found, looks.listed(found)


@pytest.mark.long(reason="starts Jupyter Notebook besides JupyterLab")
def test_notebook_7_shows_the_same(chromium: Browser, lab_server: Server, client: httpx.Client) -> None:
    """Where the test environment has it."""
    pytest.importorskip("notebook", minversion="7.6")
    run = lab_server.run(client, waits_for("seven"), wait=0)
    write_notebook(lab_server, "seven.ipynb", nbformat.v4.new_code_cell("1", outputs=[saved_output(run_view(run))]))
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(15_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
    page.goto(f"{lab_server.url}notebooks/seven.ipynb?token={lab_server.token('ada')}")
    output = page.locator(".jp-Cabinet-cell-view")
    expect(output).to_contain_text("Running", timeout=60_000)
    output.get_by_role("button", name="Enable the buttons").click()
    output.get_by_role("button", name="Stop", exact=True).click()
    expect(output.locator(".jp-Cabinet-run-output")).to_have_attribute("data-state", "cancelled")
    page.screenshot(path=SCREENSHOTS / "cells-notebook-7.png")
    context.close()
    ours = [error for error in errors if "jupyter-cabinet" in error]  # Notebook itself logs some
    assert not ours, ours


# --- a whole notebook -------------------------------------------------------------------------------------------------


def whole_notebook(agent: str) -> list[tuple[str, str]]:
    """Code and what its output must hold: two cells let agents edit this notebook, what is around them prints on."""
    slowly = "import time\nfor n in range(12):\n    print('{word}', n, flush=True)\n    time.sleep(0.05)"
    return [
        ("%load_ext jupyter_cabinet\nrows = 3", ""),
        ("print('before', rows)", "before 3"),
        (f"%%agent {agent} --as answer\nadd a markdown cell: Plums {{rows}}", "Succeeded"),
        ("print(answer.state, answer.changed_files)", "succeeded"),
        (slowly.format(word="pear"), "pear 11"),
        ("%%agent --runtime demo --background --as later\nadd a markdown cell: Quinces", "Succeeded"),
        (slowly.format(word="apple"), "apple 11"),
        ("print(later.result().state)", "succeeded"),  # two agents at once would overwrite each other's changes
        (f"%%agent {agent}\nadd a markdown cell: Cherries", "Succeeded"),
        (slowly.format(word="fig"), "fig 11"),
        ("print('the end')", "the end"),
    ]


def code_cells(file: Path) -> list[Any]:
    """None while the file is just being written, which Jupyter does in place."""
    with suppress(nbformat.reader.NotJSONError):
        return [cell for cell in nbformat.read(file, 4).cells if cell.cell_type == "code"]
    return []


def lost_in_file(file: Path, wanted: list[tuple[str, str]]) -> list[str]:
    """The code of cells without a number or their output."""
    saved = {cell.id: cell for cell in code_cells(file)}
    if not saved:
        return ["It is just being written."]
    cells = [(saved[f"c{number}"], code, words) for number, (code, words) in enumerate(wanted)]
    assert [cell.source for cell, _, _ in cells] == [code for _, code, _ in cells]
    return [code for cell, code, words in cells if not cell.execution_count or words not in json.dumps(cell.outputs)]


def run_all(lab: Lab) -> None:
    """Returns when no cell waits any more."""
    lab.page.evaluate(
        """() => {
            window.ranAll = false;
            window.jupyterapp.commands.execute('notebook:run-all-cells').finally(() => { window.ranAll = true; });
        }"""
    )
    lab.page.wait_for_function("() => window.ranAll", timeout=60_000)


@pytest.mark.timeout(300)  # three times through a notebook, and each change takes seconds to come
@pytest.mark.parametrize("collaboration", [False, True], ids=["alone", "shared"])
@pytest.mark.long(reason="three rounds of Run All")
def test_all_cells_of_a_notebook_that_agents_edit_meanwhile(
    request: pytest.FixtureRequest, open_lab: OpenLab, agent: str, collaboration: bool
) -> None:
    server: Server = request.getfixturevalue("rtc_server" if collaboration else "lab_server")
    path = f"whole-{collaboration}.ipynb"
    wanted = whole_notebook("--runtime demo --new-session" if collaboration else agent)
    cells = [nbformat.v4.new_code_cell(code, id=f"c{number}") for number, (code, _) in enumerate(wanted)]
    write_notebook(server, path, *cells)
    lab = open_lab(server, path)
    book = Book(lab, path)
    for times in (1, 2, 3):
        book.wait_for_kernel()
        run_all(lab)
        for words in ("Plums 3", "Quinces", "Cherries"):
            expect(lab.page.locator(".jp-MarkdownCell", has_text=words)).to_have_count(times)
        expect(lab.page.locator(".jp-Dialog")).to_have_count(0)
        expect(lab.page.get_by_role("button", name="Enable the buttons")).to_have_count(0)  # all outputs are trusted
        expect(lab.page.locator(".jp-Cabinet-document-strip", has_text="while you have unsaved")).to_have_count(0)
        if not collaboration:  # a shared notebook saves itself
            lab.page.evaluate("() => { void window.jupyterapp.commands.execute('docmanager:save'); }")
        with suppress(AssertionError):
            until(lambda: not lost_in_file(server.root / path, wanted))
        assert not lost_in_file(server.root / path, wanted)
        expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


@pytest.mark.parametrize("collaboration", [False, True], ids=["alone", "shared"])
@pytest.mark.long(reason="a whole notebook, with and without collaboration")
def test_the_first_notebook_of_the_tour_runs_from_top_to_bottom(
    request: pytest.FixtureRequest, open_lab: OpenLab, collaboration: bool
) -> None:
    server: Server = request.getfixturevalue("rtc_server" if collaboration else "lab_server")
    notebook = tour.read("1-first-agent")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    nbformat.write(notebook, server.root / "first.ipynb")
    lab = open_lab(server, "first.ipynb")
    Book(lab, "first.ipynb").wait_for_kernel()
    run_all(lab)
    expect(lab.page.locator(".jp-MarkdownCell", has_text="This cell was written by the demo agent.")).to_have_count(1)
    if not collaboration:
        lab.page.evaluate("() => { void window.jupyterapp.commands.execute('docmanager:save'); }")

    def unfinished() -> list[str]:
        cells = code_cells(server.root / "first.ipynb")
        return [cell.source for cell in cells if not cell.execution_count] if cells else ["all of it"]

    with suppress(AssertionError):
        until(lambda: not unfinished())
    assert not unfinished()
    expect(lab.page.locator(".jp-Dialog")).to_have_count(0)


@pytest.mark.long(reason="a whole notebook with terminals and an open CLI")
def test_the_notebook_about_terminals_runs_in_a_page_that_takes_control_of_what_it_shows(
    lab_server: Server, open_lab: OpenLab
) -> None:
    notebook = tour.read("4-shared-terminal")
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    nbformat.write(notebook, lab_server.root / "terminals.ipynb")
    lab = open_lab(lab_server, "terminals.ipynb")
    book = Book(lab, "terminals.ipynb")
    for _ in range(2):
        book.wait_for_kernel()
        for number, cell in enumerate(notebook.cells):
            lab.page.evaluate(
                """async number => {
                    const { commands, shell } = window.jupyterapp;
                    shell.currentWidget.content.activeCellIndex = number;
                    await commands.execute('notebook:run-cell');
                }""",
                number,
            )
            if cell.source == "%terminal tour":
                shown = lab.page.locator(".jp-Cabinet-strip").filter(has_text="You can type in this terminal")
                expect(shown.first).to_be_visible()
        errors = """() => window.jupyterapp.shell.currentWidget.content.widgets.flatMap(cell =>
            cell.model.type === 'code' ? cell.model.outputs.toJSON() : []).filter(each =>
            each.output_type === 'error' || each.name === 'stderr')"""
        assert lab.page.evaluate(errors) == []


@pytest.mark.long(reason="starts a JupyterLab whose folder nobody has confirmed, and a kernel")
def test_a_cell_that_is_refused_in_an_unconfirmed_folder_leads_to_the_dialog(
    tmp_path: Path, open_lab: Callable[..., Lab]
) -> None:
    server = LabServer(tmp_path, arguments=()).start()
    try:
        cells = ["%load_ext jupyter_cabinet", "%%agent --runtime demo\nremember plums"]
        write_notebook(server, "asks.ipynb", *map(nbformat.v4.new_code_cell, cells))
        lab = open_lab(server, "asks.ipynb", fresh=True)
        lab.save_kernel_metadata()
        lab.command("notebook:run-all-cells")
        button = lab.page.locator(".jp-Cabinet-cell").get_by_role("button", name="Trust this folder…")
        button.click(timeout=60_000)
        lab.page.get_by_role("dialog").get_by_role("button", name="Trust this folder").click()
        expect(lab.page.locator(".jp-Cabinet-cell")).to_contain_text("Run this cell again.")
        lab.page.keyboard.press("Control+Enter")
        expect(lab.page.locator(".jp-Cabinet-cell")).to_contain_text("Succeeded", timeout=60_000)
    finally:
        server.stop()
