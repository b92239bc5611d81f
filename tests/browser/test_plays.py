"""Plays in JupyterLab: made, linked, started, watched, changed by two people, confirmed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import looks
from harness.lab import Lab
from harness.server import LabServer, Server
from playwright.sync_api import Locator, Page, expect

OpenLab = Callable[..., Lab]
Browsers = Callable[[str], Lab]

NUMBERS = itertools.count(1)


@pytest.fixture
def poet(team: Server) -> Iterator[str]:
    """An agent of Ada's that everybody sees, and no play when the test has ended."""
    slug = f"poet-{next(NUMBERS)}"
    with team.browser_client("ada") as client:
        fields = {"name": "Poet", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": slug, "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
    yield slug
    with team.browser_client("ada") as client:
        for play in client.get("plays").json()["items"]:
            client.delete(f"plays/{play['slug']}")
        client.delete(f"agents/{slug}")


def have(server: Server, slug: str, body: str = "answer: done", **fields: object) -> None:
    """A play that is there."""
    with server.browser_client("ada") as client:
        answer = client.post("plays", json={"slug": slug, "body": body, "fields": fields})
        assert answer.status_code == 201, answer.text


def opened(lab: Lab, **arguments: str) -> Locator:
    """The plays, without what a test before has looked for."""
    lab.page.wait_for_function("() => window.jupyterapp.commands.hasCommand('cabinet:plays')")
    lab.command("cabinet:plays", **arguments)
    plays = lab.page.get_by_role("region", name="Plays", exact=True)
    expect(plays).to_be_visible()
    plays.get_by_role("searchbox", name="Filter plays").fill("")
    plays.get_by_role("combobox", name="Agent").first.select_option("")
    return plays


def rows(plays: Locator) -> Locator:
    return plays.get_by_role("list", name="Plays", exact=True).get_by_role("button")


def test_plays_are_made_linked_and_seen_to_start_each_other(team: Server, browsers: Browsers, poet: str) -> None:
    lab = browsers("ada")
    plays = opened(lab)
    expect(plays.get_by_role("heading", name="No plays yet")).to_be_visible()
    found = looks.show(lab, "plays-empty")
    plays.get_by_role("button", name="New play").last.click()
    form = plays.get_by_role("form", name="New play")
    form.get_by_role("button", name="Create play").click()
    expect(form.get_by_text("Enter what the agent should do.")).to_be_visible()
    expect(form.get_by_text("Enter a title.")).to_be_visible()
    expect(form.get_by_role("textbox", name="Title")).to_be_focused()
    form.get_by_role("textbox", name="Title").fill("Collect issues")
    expect(form.get_by_role("textbox", name="File name")).to_have_value("collect-issues")
    form.get_by_role("combobox", name="Agent").select_option(poet)
    form.get_by_role("combobox", name="Schedule").select_option("weekly")
    form.get_by_role("textbox", name="Days").fill("mon-fry")
    form.get_by_role("textbox", name="At", exact=True).fill("08:30")
    expect(form.get_by_text("Enter days, such as mon, wed, fri, or mon-fri.")).to_be_visible()
    form.get_by_role("textbox", name="Days").fill("mon-fri")
    form.get_by_role("textbox", name="Instruction").fill("answer: collected {{topic}}")
    found += looks.show(lab, "plays-new")
    form.get_by_role("button", name="Create play").click()
    expect(rows(plays)).to_have_count(1)
    expect(rows(plays)).to_contain_text("Collect issues")
    expect(rows(plays)).to_be_focused()

    plays.get_by_role("button", name="New play").click()
    form.get_by_role("textbox", name="Title").fill("Digest")
    form.get_by_role("combobox", name="Agent").select_option(poet)
    form.get_by_role("combobox", name="Add a trigger").select_option("on_complete")
    trigger = form.get_by_role("group", name="A play has ended")
    trigger.get_by_role("combobox", name="Play").select_option("collect-issues")
    form.get_by_role("textbox", name="Instruction").fill("answer: a digest")
    form.get_by_role("button", name="Create play").click()
    expect(rows(plays)).to_have_count(2)
    expect(rows(plays).and_(plays.locator("[data-play=digest]"))).to_be_focused()
    shown = plays.get_by_role("article", name="Digest")
    expect(shown).to_contain_text("When Collect issues has succeeded")

    rows(plays).and_(plays.locator("[data-play=collect-issues]")).click()
    shown = plays.get_by_role("article", name="Collect issues")
    expect(shown.get_by_role("list", name="Next five runs").get_by_role("listitem")).to_have_count(5)
    expect(shown).to_contain_text("Digest, when it has succeeded")
    shown.get_by_role("textbox", name="topic").fill("bugs")
    shown.get_by_role("button", name="Run now").click()
    for row in rows(plays).all():
        expect(row).to_contain_text("Succeeded")
    lines = shown.get_by_role("list", name="Runs of this play").get_by_role("button")
    expect(lines).to_contain_text("Succeeded")
    found += looks.show(lab, "plays-list")
    found += looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plays", lab.command)
    assert not found, looks.listed(found)
    lines.click()
    run = lab.page.get_by_role("article", name="Run")
    expect(run).to_contain_text("collected bugs")


@pytest.mark.long(reason="draws a large graph")
def test_the_graph_shows_what_starts_what(team: Server, open_lab: OpenLab, poet: str) -> None:
    have(team, "collect", agent=poet, title="Collect issues", schedule={"type": "daily", "at": "08:30"})
    have(team, "digest", agent=poet, triggers=[{"on_complete": {"play": "collect"}}])
    have(team, "alarm", agent=poet, triggers=[{"on_complete": {"play": "collect", "status": "failed"}}])
    have(team, "publish", agent=poet, triggers=[{"on_complete": {"play": "digest"}}, {"on_complete": {"play": "gone"}}])
    have(team, "check", agent=poet, triggers=[{"file_changed": {"path": "reports/*.md"}}])
    have(team, "by-hand", agent=poet)
    lab = open_lab(team, "notes.md")
    plays = opened(lab)
    plays.get_by_role("button", name="Graph", exact=True).click()
    drawn = plays.locator(".react-flow__node")
    expect(drawn).to_have_count(8)
    expect(plays.locator(".react-flow__edge")).to_have_count(6)
    expect(plays.get_by_text("Started only by hand: by-hand")).to_be_visible()
    expect(drawn.filter(has_text="gone (not found)")).to_be_visible()
    drawn.filter(has_text="publish").click()
    expect(plays.get_by_role("article", name="publish")).to_be_visible()
    plays.get_by_text("As a list").click()
    told = plays.get_by_role("list", name="What starts what").get_by_role("listitem")
    expect(told.filter(has_text="Collect issues starts alarm when it has failed")).to_have_count(1)
    found = looks.show(lab, "plays-graph")
    drawn.filter(has_text="digest").focus()
    lab.page.keyboard.press("Enter")
    expect(plays.get_by_role("article", name="digest")).to_be_visible()
    plays.get_by_text("As a list").click()
    found += looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-plays", lab.command)
    assert not found, looks.listed(found)
    have(team, "a", agent=poet, triggers=[{"on_complete": {"play": "b"}}])
    have(team, "b", agent=poet, triggers=[{"on_complete": {"play": "a"}}])
    expect(plays.get_by_text("A play would start itself again, so")).to_be_visible()
    expect(plays.locator(".react-flow__edge.jp-mod-circular")).to_have_count(2)


@pytest.mark.long(reason="the conflict is tested on the server and in the store")
def test_two_people_who_change_a_play_lose_nothing(team: Server, browsers: Browsers, poet: str) -> None:
    have(team, "digest", agent=poet, title="Digest", category="news")
    lab = browsers("ada")
    plays = opened(lab, play="digest", edit="true")
    form = plays.get_by_role("form", name="Fields of the play")
    title, file = form.get_by_role("textbox", name="Title"), plays.get_by_role("textbox", name="digest.md")
    expect(file).to_have_value(re.compile("title: Digest"))
    title.fill("Mine")
    plays.get_by_role("button", name="Graph", exact=True).click()
    plays.get_by_role("button", name="List", exact=True).click()
    expect(rows(plays)).to_contain_text("Not saved")
    plays.get_by_role("button", name="Edit").click()
    expect(title).to_have_value("Mine")
    lab.page.evaluate("() => { void jupyterapp.commands.execute('application:close') }")
    asked = lab.page.get_by_role("dialog", name="Close without saving?")
    expect(asked).to_contain_text("digest (fields)")
    asked.get_by_role("button", name="Cancel").click()
    expect(title).to_have_value("Mine")
    with team.browser_client("ada") as client:
        fields = {"title": "Theirs", "category": "letters"}
        assert client.put("plays/digest", json={"fields": fields}).status_code == 200
    expect(form.get_by_role("alert").filter(has_text="nothing was saved")).to_be_visible()
    expect(file).to_have_value(re.compile("title: Theirs"))
    lab.screenshot("plays-conflict")
    form.get_by_role("button", name="Keep mine").click()
    form.get_by_role("button", name="Save fields").click()
    expect(file).to_have_value(re.compile("title: Mine"))
    expect(file).to_have_value(re.compile("category: letters"))
    file.fill(file.input_value().replace("Mine", "By hand"))
    file.press("Control+s")
    expect(title).to_have_value("By hand")
    plays.get_by_role("button", name="Delete…").click()
    lab.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(plays.get_by_role("heading", name="No plays yet")).to_be_visible()


@pytest.fixture
def asking_server(tmp_path: Path) -> Iterator[Server]:
    """Named users, where nothing counts as confirmed."""
    server = LabServer(tmp_path, people=True, arguments=())
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    with server.browser_client("root") as client:
        trust = client.get("trust").json()
        assert client.post("trust", json={"hash": trust["hash"]}).status_code == 200
    with server.browser_client("ada") as client:
        fields = {"name": "Poet", "runtime": "demo", "heartbeat_enabled": False}
        body = {"slug": "poet", "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
    yield server
    server.stop()


@pytest.mark.long(reason="starts a server of its own, and JupyterLab for two people")
def test_what_a_program_wrote_does_nothing_until_its_owner_has_looked(asking_server: Server, open_lab: OpenLab) -> None:
    have(asking_server, "digest", agent="poet", title="Digest")
    file = asking_server.root / ".playbooks" / "plays" / "digest.md"
    file.write_text(file.read_text().replace("answer: done", "answer: <b>something else</b>"))
    theirs = opened(open_lab(asking_server, "notes.md", username="ben"))
    expect(rows(theirs)).to_contain_text("Needs confirmation")
    button = theirs.get_by_role("button", name="Confirm…")
    expect(button).to_be_disabled()
    reason = "Only somebody who owns all agents of this play can do this."
    expect(button).to_have_attribute("title", reason)
    expect(theirs.get_by_role("button", name="Edit")).to_be_disabled()
    lab = open_lab(asking_server, "notes.md")
    plays = opened(lab, play="digest")
    shown = plays.get_by_role("article", name="Digest")
    expect(shown.get_by_role("button", name="Run now")).to_be_disabled()
    expect(shown.get_by_role("table")).to_contain_text("<b>something else</b>")
    lab.screenshot("plays-unconfirmed")
    shown.get_by_role("button", name="Confirm…").click()
    lab.page.get_by_role("dialog").get_by_role("button", name="Confirm").click()
    expect(shown.get_by_role("button", name="Run now")).to_be_enabled()
    expect(rows(theirs)).not_to_contain_text("Needs confirmation")


@pytest.mark.long(reason="webhooks are tested without a browser")
def test_a_webhook_is_tried_and_empty_inputs_are_asked_about(team: Server, open_lab: OpenLab, poet: str) -> None:
    body = "reply with the single word {{word}}"
    have(team, "ping", agent=poet, body=body, triggers=[{"type": "webhook"}])
    lab = open_lab(team, "notes.md")
    plays = opened(lab)
    plays.get_by_role("button", name="New play").click()
    # The first agent is chosen: other tests may have left some on this server.
    expect(plays.get_by_role("form", name="New play").get_by_label("Agent")).not_to_have_value("")
    plays.get_by_role("button", name="Cancel").click()
    rows(plays).filter(has_text="ping").click()
    shown = plays.get_by_role("article", name="ping")
    lines = shown.get_by_role("list", name="Runs of this play").get_by_role("button")
    shown.get_by_role("button", name="Run now").click()
    expect(shown.get_by_role("alert")).to_contain_text("word is empty")
    lab.screenshot("plays-empty-input")
    shown.get_by_role("button", name="Run anyway").click()
    expect(shown.get_by_role("button", name="Run now")).to_be_focused()
    expect(lines).to_have_count(1)
    test = shown.get_by_role("button", name="Send test request")
    expect(test).to_have_attribute("aria-disabled", "true")
    shown.get_by_role("button", name="Create a secret").click()
    expect(test).not_to_have_attribute("aria-disabled", "true")
    shown.get_by_role("button", name="Copy the command").click()
    expect(shown.get_by_text(re.compile("^(Copied|Selected. Copy it with the keyboard.)$"))).to_be_visible()
    lab.screenshot("plays-webhook")
    test.click()
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("I did not understand this instruction.")


@pytest.mark.long(reason="the quick tier makes and starts plays by mouse")
def test_a_play_is_found_made_and_started_by_keyboard_alone(team: Server, open_lab: OpenLab, poet: str) -> None:
    have(team, "first", agent=poet)
    have(team, "second", agent=poet, body="answer: two", triggers=[{"type": "webhook"}])
    lab = open_lab(team, "notes.md", theme="dark")
    plays = opened(lab)
    press, page = lab.page.keyboard.press, lab.page
    plays.get_by_role("searchbox", name="Filter plays").focus()
    walk_to(page, rows(plays).first)
    press("ArrowDown")
    expect(rows(plays).nth(1)).to_be_focused()
    shown = plays.get_by_role("article", name="second")
    secret = shown.get_by_role("button", name="Create a secret")
    walk_to(page, secret)
    press("Enter")
    expect(shown.get_by_role("status").filter(has_text="shown only once")).to_be_visible()
    expect(shown).to_contain_text(f"{team.url}cabinet/api/hooks/plays/second")
    lab.screenshot("plays-webhook-dark")
    rows(plays).nth(1).focus()
    walk_to(page, shown.get_by_role("button", name="Run now"))
    press("Enter")
    expect(shown.get_by_role("list", name="Runs of this play").get_by_role("button")).to_contain_text("Succeeded")
    walk_to(page, shown.get_by_role("button", name="Edit"))
    press("Enter")
    fields = plays.get_by_role("form", name="Fields of the play")
    expect(fields.get_by_role("textbox", name="Title")).to_be_focused()
    plays.get_by_role("button", name="Done").focus()
    press("Enter")
    expect(rows(plays).nth(1)).to_be_focused()
    plays.get_by_role("button", name="New play").focus()
    press("Enter")
    expect(plays.get_by_role("textbox", name="Title")).to_be_focused()
    plays.get_by_role("button", name="Cancel").focus()
    press("Enter")
    expect(rows(plays).nth(1)).to_be_focused()
    shown.get_by_role("button", name="Edit").focus()
    press("Enter")
    plays.get_by_role("button", name="Delete…").focus()
    press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Delete").focus()
    press("Enter")
    expect(rows(plays)).to_have_count(1)
    expect(rows(plays).first).to_be_focused()


def walk_to(page: Page, target: Locator) -> None:
    """With the Tab key."""
    expect(target).to_be_visible()
    for _ in range(40):
        if target.evaluate("node => node === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("The Tab key does not lead there.")
