"""Every panel and dialog of ours, and what axe-core finds in it, in both themes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import Server, until
from harness.terminal_tab import TerminalTab
from playwright.sync_api import Locator, expect

Browsers = Callable[[str], Lab]

TABS = ("Overview", "History", "Memory", "Files", "Goals", "Tasks", "Inbox", "Plays", "Persona")
GOALS = [{"metric": "articles", "target": 8, "floor": 2, "period": "weekly"}]
CHECKLIST = "answer: GOAL_UPDATE [articles]: +2\nanswer: LEARNING: Sources disagree.\nanswer: TASK_COMPLETE [t-9]: done"

pytestmark = [
    pytest.mark.long(reason="visits every panel and dialog in both themes"),
    pytest.mark.slow(reason="visits every panel and dialog"),
]


class Visit:
    """Collects what is wrong with the places that a person visits."""

    def __init__(self, lab: Lab, theme: str) -> None:
        self.lab = lab
        self.theme = theme
        self.found: list[str] = []

    def see(self, name: str, place: Locator) -> Locator:
        self.found += [f"{name}: {each}" for each in looks.wrong_by_axe_in(place)]
        self.lab.screenshot(f"accessible-{name}-{self.theme}")
        return place

    def tab(self, name: str, command: str, place: str, **arguments: Any) -> Locator:
        self.lab.command(command, **arguments)
        return self.see(name, self.lab.page.locator(f"{place}:visible").first)

    def dialog(self, name: str, opening: Callable[[], Any]) -> None:
        """Opened, seen and cancelled."""
        opening()
        dialog = self.lab.page.get_by_role("dialog").last
        self.see(name, dialog)
        self.lab.page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


@pytest.fixture(params=looks.THEMES)
def visit(request: pytest.FixtureRequest, browsers: Browsers) -> Iterator[Visit]:
    lab = browsers("ada")
    looks.change_theme(lab, looks.THEMES[request.param])
    visit = Visit(lab, request.param)
    yield visit
    looks.change_theme(lab, looks.THEMES["light"])


@pytest.fixture
def scout(team: Server, visit: Visit) -> Iterator[str]:
    """An agent with a run, a goal, a task, a message and a play."""
    slug = f"reader-{visit.theme}"
    with team.browser_client("ada") as client:
        fields = {"name": "Reader", "runtime": "demo", "heartbeat": "0 8 * * *", "goals": GOALS}
        body = {"slug": slug, "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        path = f"agents/{slug}/files/HEARTBEAT.md"
        body = {"text": CHECKLIST, "etag": client.get(path).json()["etag"]}
        assert client.put(path, json=body).status_code == 200
        assert client.post(f"agents/{slug}/tasks", json={"title": "Count"}).status_code == 201
        fields = {"name": "Sweep", "title": "Sweep", "agent": slug, "triggers": ["manual"]}
        made = client.post("plays", json={"slug": f"{slug}-sweep", "fields": fields, "body": "reply with hello"})
        assert made.status_code == 201, made.text
        run = client.post(f"agents/{slug}/run").json()
        until(lambda: client.get(f"runs/{run['id']}").json()["finished_at"], what="the run's end")
        assert client.post(f"agents/{slug}/inbox", json={"text": "Hello"}).status_code < 300
    yield slug
    with team.browser_client("ada") as client:
        client.delete(f"plays/{slug}-sweep")
        client.delete(f"agents/{slug}")


def test_the_sidebar_the_review_and_the_lists_of_runs(visit: Visit, team: Server) -> None:
    lab, page = visit.lab, visit.lab.page
    document = f"accessible-{visit.theme}.md"
    (team.root / document).write_text("# One\ntwo\n")
    lab.command("docmanager:open", path=document)
    lab.open_editor()
    visit.see("sidebar-empty", lab.panel)
    lab.choose_mode("Ask first")
    lab.run("append: by the agent")
    approvals = page.locator(".jp-Cabinet-approvals")
    lab.expect_state("Waiting for you")
    visit.see("sidebar-waiting", lab.panel)
    visit.tab("approvals-waiting", "cabinet:approvals", ".jp-Cabinet-approvals")
    allow = approvals.get_by_role("article").get_by_role("button", name="Allow once", exact=True)
    expect(allow).to_have_attribute("aria-disabled", "false")
    allow.click()
    expect(approvals).to_contain_text("Nothing is waiting for you")
    visit.see("approvals-answered", approvals)
    lab.command("cabinet:open-editor")
    lab.expect_state("Succeeded")
    visit.see("sidebar-answer", lab.panel)
    for tab in lab.panel.get_by_role("tab").all():
        tab.click()
        visit.see(f"sidebar-{tab.inner_text().split()[0].lower()}", lab.panel)
    visit.dialog("output", lambda: page.evaluate("() => void jupyterapp.commands.execute('cabinet:show-output')"))
    lab.panel.get_by_role("tab", name="Changes").click()
    lab.panel.get_by_role("button", name="Open review").click()
    review = page.locator(".jp-Cabinet-review:visible")
    expect(review.locator(".jp-Cabinet-review-file-head")).to_be_visible()
    visit.see("review-inline", review)
    review.get_by_role("button", name="Side by side").click()
    expect(review.locator(".cm-merge-a").first).to_be_visible()
    visit.see("review-side-by-side", review)
    lab.command("docmanager:open", path=document)
    lab.run("fail")
    lab.expect_state("Failed")
    visit.see("sidebar-failed", lab.panel)
    lab.command("cabinet:show-history")
    visit.see("sidebar-history", lab.panel)
    activity = visit.tab("activity", "cabinet:activity", ".jp-Cabinet-whole-activity")
    activity.locator(".jp-Cabinet-activity-head").first.click()
    visit.see("activity-details", activity)
    rules = visit.tab("rules", "cabinet:approval-rules", ".jp-Cabinet-rules")
    rules.get_by_label("What would happen to this command?").fill("touch a && rm -rf /")
    page.keyboard.press("Enter")
    expect(rules.get_by_role("status")).to_be_visible()
    visit.see("rules-trial", rules)
    visit.dialog("new-run", lambda: lab.command("cabinet:new-run"))
    runtimes = visit.tab("runtimes", "cabinet:runtimes", ".jp-Cabinet-runtimes")
    runtimes.get_by_text("How to install").first.click()
    visit.see("runtimes-missing", runtimes)
    assert not visit.found, looks.listed(visit.found)


def test_agents_and_plays(visit: Visit, scout: str) -> None:
    lab, page = visit.lab, visit.lab.page
    visit.tab("board", "cabinet:agents", ".jp-Cabinet-board")
    visit.dialog("new-agent", lambda: lab.command("cabinet:new-agent"))
    lab.command("cabinet:open-agent", agent=scout)
    agent = page.locator(f".jp-Cabinet-page[data-agent={scout}]")
    for name in TABS:
        agent.get_by_role("tab", name=name).click()
        panel = agent.get_by_role("tabpanel")
        expect(panel).to_have_attribute("data-tab", name.lower())
        if name in ("History", "Memory", "Files", "Inbox", "Plays"):
            panel.get_by_role("list").get_by_role("button").first.click()
        visit.see(f"agent-{name.lower()}", agent)
        if name == "Memory":
            panel.get_by_role("searchbox").fill("tasks DONE")
            expect(panel.locator("mark").first).to_be_visible()
            visit.see("agent-memory-search", agent)
            panel.get_by_role("searchbox").fill("no such words")
            expect(panel.get_by_text("No passage of the memory has all of these words.")).to_be_visible()
            visit.see("agent-memory-no-match", agent)
    for entry in ("Rename…", "Duplicate…", "Delete…"):
        agent.get_by_role("button", name="More actions for Reader", exact=True).click()
        item = page.get_by_role("menuitem", name=entry)
        visit.dialog(f"agent-{entry[:-1].lower()}", item.click)
    plays = visit.tab("plays", "cabinet:plays", ".jp-Cabinet-plays")
    plays.get_by_role("list", name="Plays", exact=True).get_by_role("button").first.click()
    visit.see("play", plays)
    visit.lab.command("cabinet:new-play")
    form = plays.get_by_role("form", name="New play")
    form.get_by_role("button", name="Create play").click()  # with what is missing
    visit.see("new-play", plays)
    form.get_by_role("button", name="Cancel").click()
    assert not visit.found, looks.listed(visit.found)


def test_skills(visit: Visit, team: Server) -> None:
    skill = team.root / ".playbooks" / "skills" / "greet"
    skill.mkdir(parents=True, exist_ok=True)
    (skill / "SKILL.md").write_text("---\nname: greet\ndescription: Greets people.\nhooks: {}\n---\n\nSay hello.\n")
    (skill / "logo.png").write_bytes(b"\x89PNG\0")
    tab = visit.tab("skills", "cabinet:skills", ".jp-Cabinet-library")
    tab.get_by_role("button", name="greet").click()
    expect(tab.get_by_role("heading", name="greet")).to_be_visible()
    visit.see("skill", tab)
    for entry in ("New skill…", "Add from files…", "Edit…", "Remove…"):
        visit.dialog(f"skills-{entry[:3].lower()}", tab.get_by_role("button", name=entry).click)
    assert not visit.found, looks.listed(visit.found)


def test_terminals_and_recordings(visit: Visit) -> None:
    terminal = TerminalTab.new(visit.lab)
    terminal.controlled_by("You control")
    visit.see("terminal", terminal.tab)
    visit.dialog("terminal-agent", terminal.button("Start an agent").click)
    terminal.start_agent("sleep 600")
    terminal.says("Demo agent is working.")
    visit.see("terminal-working", terminal.tab)
    terminal.button("Stop").click()
    terminal.says("The terminal stays open.")
    visit.see("terminal-stopped", terminal.tab)
    terminal.button("Play recording").click()
    visit.see("player", visit.lab.page.locator(".jp-Cabinet-player:visible"))
    visit.tab("recordings", "cabinet:recordings", ".jp-Cabinet-recordings")
    assert not visit.found, looks.listed(visit.found)
