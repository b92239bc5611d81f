"""Writes the pictures of the README, with `CABINET_WRITE_IMAGES=1`, in the long tier."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import nbformat
import pytest
from harness import looks
from harness.lab import Lab
from harness.server import LabServer, Server, until
from harness.terminal_tab import TerminalTab
from playwright.sync_api import Browser, expect

ROOT = Path(__file__).parents[2]
IMAGES = ROOT / "docs" / "images"
SCREENSHOTS = ROOT / "test-results" / "screenshots"
SESSION = ROOT / "tests" / "fixtures" / "sessions" / "pi" / "edit-0.87.1.jsonl"
PHONE = {"width": 390, "height": 720}
CURRENT = "window.jupyterapp.shell.currentWidget"
PAST_SESSIONS = (
    "Find out why the solo plan has the most churn",
    "Write down how churn is computed",
    "Plot churn for each month",
)
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
AGENTS: tuple[dict[str, Any], ...] = (
    {"slug": "scout", "template": "research", "fields": {"name": "Scout", "emoji": "🔭"}},
    {"slug": "mira", "template": "coding", "fields": {"name": "Mira", "emoji": "🛠️"}},
    {"slug": "otto", "template": "ops", "fields": {"name": "Otto", "emoji": "🩺"}},
)
PLAYS: tuple[tuple[str, str, str, list[Any]], ...] = (
    ("collect", "Collect issues", "scout", [{"type": "schedule", "cron": "30 8 * * 1-5"}]),
    ("digest", "Weekly digest", "scout", [{"on_complete": {"play": "collect"}}]),
    ("repair", "Repair the build", "mira", [{"on_complete": {"play": "collect", "status": "failed"}}]),
    ("announce", "Announce it", "otto", [{"on_complete": {"play": "digest"}}, {"file_changed": {"path": "reports/"}}]),
)
pytestmark = [
    pytest.mark.long(reason="writes the pictures of the README"),
    pytest.mark.skipif("CABINET_WRITE_IMAGES" not in os.environ, reason="writes files of the repository"),
]


@pytest.fixture
def lab(chromium: Browser) -> Iterator[Lab]:
    with tempfile.TemporaryDirectory() as place:  # its name is in the pictures
        yield from opened(Path(place), chromium, people=True)


@pytest.fixture
def lab_of_one_person(chromium: Browser) -> Iterator[Lab]:
    with tempfile.TemporaryDirectory() as place:
        yield from opened(Path(place), chromium, people=False)


def opened(place: Path, chromium: Browser, *, people: bool) -> Iterator[Lab]:
    server = LabServer(place, people=people, arguments=("--CabinetApp.trust=always",))
    server.root = server.place / "churn"
    shutil.copytree(ROOT / "notebooks", server.root, dirs_exist_ok=True)
    server.start()
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    lab = Lab(context.new_page(), server, screenshots=SCREENSHOTS)
    lab.open("analysis.ipynb", username="ada")
    lab.open_editor()
    lab.command("filebrowser:toggle-main")
    yield lab
    context.close()
    server.stop()


def take(lab: Lab, name: str) -> None:
    for theme, title in looks.THEMES.items():
        looks.change_theme(lab, title)
        lab.page.evaluate(TWO_FRAMES)  # a terminal draws in its new colours with the next frame
        lab.page.screenshot(path=IMAGES / f"{name}-{theme}.png", animations="disabled")
    looks.change_theme(lab, looks.THEMES["light"])


def test_the_pictures_of_the_readme(lab: Lab) -> None:
    edit_a_notebook(lab)
    take(lab, "sidebar")
    lab.command("cabinet:review")
    expect(lab.page.locator(".jp-Cabinet-review-bar")).to_be_visible()
    take(lab, "review")
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    make_agents_and_plays(lab.server)
    lab.command("cabinet:agents")
    expect(lab.page.locator(".jp-Cabinet-board")).to_contain_text("Otto")
    take(lab, "agents")
    lab.command("cabinet:plays")
    lab.page.get_by_role("button", name="Graph", exact=True).click()
    expect(lab.page.get_by_role("region", name="Plays", exact=True)).to_contain_text("Announce it")
    take(lab, "plays")
    work_off_a_plan(lab.server)
    lab.command("cabinet:plans")
    lab.page.locator(".jp-Cabinet-pane-row").first.click()
    page = lab.page.get_by_role("region", name="Plan", exact=True)
    expect(page).to_contain_text("3 of 5 done", timeout=60_000)
    page.get_by_role("list", name="Steps").get_by_role("listitem").nth(3).get_by_role("button").first.click()
    take(lab, "plans")
    ask_for_approval(lab.server)
    lab.command("docmanager:open", path="welcome.md")
    lab.command("cabinet:approvals")
    expect(lab.page.locator(".jp-Cabinet-approvals")).to_contain_text("asks to edit a file")
    take(lab, "approvals")


def test_the_pictures_of_a_cell_and_of_past_sessions(lab_of_one_person: Lab) -> None:
    lab = lab_of_one_person
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    ask_from_a_cell(lab)
    take(lab, "cell")
    write_past_sessions(lab.server)
    lab.command("cabinet:past-sessions")
    panel = lab.page.locator(".jp-Cabinet-past")
    panel.get_by_label("Search sessions").fill("churn")
    row = panel.locator(".jp-Cabinet-past-row").filter(has_text="solo plan")
    row.locator(".jp-Cabinet-past-row-main").click(timeout=60_000)
    expect(panel.get_by_role("region", name="Timeline")).to_contain_text("I will write the file.")
    take(lab, "past-sessions")


def test_the_picture_of_a_shared_terminal(lab: Lab, chromium: Browser) -> None:
    lab.page.set_viewport_size({"width": 1440, "height": 560})
    lab.page.evaluate("() => window.jupyterapp.shell.collapseRight()")
    ada = TerminalTab.new(lab)
    ada.controlled_by("You control")
    with lab.server.browser_client("ada") as client:
        lab.server.run(client, "sleep 600", mode="terminal", terminal_id=ada.id, wait=0)
    expect(ada.strips).to_contain_text("Demo agent is working.")
    context = chromium.new_context(viewport={"width": 1440, "height": 560})
    other = Lab(context.new_page(), lab.server, screenshots=SCREENSHOTS)
    other.open("welcome.md", username="ben")
    ben = TerminalTab.open(other, ada.id)
    ben.controlled_by("Ada Lind controls")
    ben.button("Request").click()
    ada.says("Ben Okoro asks for control")
    take(lab, "terminal")
    context.close()


def test_the_picture_of_a_chat_on_a_phone(lab: Lab, chromium: Browser) -> None:
    with lab.server.browser_client("ada") as client:
        fields = {"runtime": "demo", "name": "Mira", "emoji": "🛠️", "permission_mode": "ask"}
        client.post("agents", json={"slug": "mira", "template": "coding", "fields": fields}).raise_for_status()
        client.post("channels", json={"platform": "web", "title": "Churn", "agent": "mira"}).raise_for_status()
    for theme in ("light", "dark"):
        context = chromium.new_context(viewport=PHONE, device_scale_factor=2, color_scheme=theme)
        page = context.new_page()
        page.goto(f"{lab.server.url}cabinet/chat?token={lab.server.token('ada')}")
        box = page.get_by_role("textbox", name="Message")
        expect(box).to_be_enabled()
        if theme == "light":
            box.fill("Remember that the report is due on Friday")
            page.get_by_role("button", name="Send").click()
            expect(page.get_by_role("log")).to_contain_text("I have noted")
            box.fill("Run touch reports/june.md")
            page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("button", name=re.compile("^Allow")).first).to_be_visible(timeout=30_000)
        page.screenshot(path=IMAGES / f"phone-{theme}.png", animations="disabled")
        context.close()


def edit_a_notebook(lab: Lab) -> None:
    notebook = CURRENT
    lab.page.wait_for_function(f"() => {notebook}.sessionContext.session?.kernel?.status === 'idle'")
    lab.page.wait_for_function(f"() => {notebook}.context.model.metadata.language_info")
    saved = f"async () => {{ await {notebook}.context.save(); return !{notebook}.context.model.dirty; }}"
    until(lambda: lab.page.evaluate(saved), what="the notebook to be saved")
    lab.button("Try the demo agent").click()
    lab.run("Add a cell that prints The solo plan loses most customers")
    lab.expect_state("Succeeded")
    lab.expect_document("The solo plan loses most customers")
    lab.expect_screen("I changed")
    lab.page.locator(".jp-CodeCell").last.click()


def make_agents_and_plays(server: Server) -> None:
    with server.browser_client("ada") as client:
        for agent in AGENTS:
            fields = {"runtime": "demo", **agent["fields"]}
            made = client.post("agents", json={**agent, "fields": fields, "visibility": "server"})
            assert made.status_code == 201, made.text
        for slug, title, agent, triggers in PLAYS:
            fields = {"name": slug, "title": title, "agent": agent, "triggers": triggers}
            made = client.post("plays", json={"slug": slug, "fields": fields, "body": "answer: done"})
            assert made.status_code == 201, made.text


def work_off_a_plan(server: Server) -> None:
    """Three steps are done, one asks a person, and one waits for it."""
    reply = "reply with the single word {}"
    steps = [
        {"key": "load", "title": "Load the tables", "prompt": reply.format("loaded")},
        {"key": "check", "title": "Check the numbers", "prompt": reply.format("checked"), "depends_on": ["load"]},
        {"key": "plot", "title": "Plot churn by plan", "prompt": reply.format("plotted"), "depends_on": ["load"]},
        {
            "key": "price",
            "title": "Compare the prices",
            "prompt": "report blocked: Put the price list of June into data/.",
            "depends_on": ["check"],
        },
        {"title": "Write the report", "prompt": reply.format("written"), "depends_on": ["plot", "price"]},
    ]
    with server.browser_client("ada") as client:
        new = {"title": "Churn report for June", "runtime": "demo", "steps": steps}
        plan = client.post("plans", json=new).raise_for_status().json()
        client.post(f"plans/{plan['id']}/run").raise_for_status()


def ask_from_a_cell(lab: Lab) -> None:
    cells = [
        "%load_ext jupyter_cabinet",
        "%%agent --runtime demo --as answer\nSummarise @reports/churn-notes.md for the team.",
    ]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    nbformat.write(book, lab.server.root / "churn-by-plan.ipynb")
    lab.command("docmanager:open", path="churn-by-plan.ipynb")
    lab.page.wait_for_function(f"() => {CURRENT}.sessionContext?.session?.kernel?.status === 'idle'", timeout=60_000)
    lab.command("notebook:run-all-cells")
    view = lab.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cabinet-cell-view")
    expect(view).to_contain_text("Succeeded", timeout=60_000)


def write_past_sessions(server: Server) -> None:
    """Sessions that pi keeps, as if somebody had used it in a terminal today."""
    recorded = SESSION.read_text().replace("/workspace", str(server.root))
    folder = server.home / ".pi" / "agent" / "sessions" / f"--{str(server.root).strip('/').replace('/', '-')}--"
    folder.mkdir(parents=True, exist_ok=True)
    for number, words in enumerate(PAST_SESSIONS):
        id = f"01a1fbd0-a2c4-7109-be88-4a4cf35286{number:02}"
        text = recorded.replace("01a1fbd0-a2c4-7109-be88-4a4cf35286ad", id).replace("Please create hello.txt", words)
        at = datetime.now(UTC) - timedelta(minutes=7 * number + 5)
        path = folder / f"{at:%Y-%m-%dT%H-%M}-16-805Z_{id}.jsonl"
        path.write_text(text.replace("2026-11-21T01:55:", f"{at:%Y-%m-%dT%H:%M:}"))


def ask_for_approval(server: Server) -> None:
    with server.browser_client("ada") as client:
        asked = {"permission_mode": "ask", "mode": "headless", "wait": 0}
        run = server.run(client, "append: Churn rose to 4 % in May.", kind="editor", path="welcome.md", **asked)
        until(lambda: client.get("approvals", params={"run_id": run["id"]}).json()["items"], what="its question")
