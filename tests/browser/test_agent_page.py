"""The page of one agent in JupyterLab: watch it, read what came of it, tell it things, change what it knows."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterator

import pytest
from harness.lab import Lab
from harness.server import Server, until
from playwright.sync_api import Locator, Route, expect

Browsers = Callable[[str], Lab]

NUMBERS = itertools.count(1)
ANSWER = "answer: CONTEXT_UPDATE: I have read the <b>notes</b>.\nanswer: TASK_COMPLETE [t-118]: done"


# Whether the selected line of a text area is in the part of it that is shown, as found in a copy with the same look.
IS_IN_VIEW = """area => {
    const copy = document.createElement('div');
    const look = getComputedStyle(area);
    for (const name of ['font', 'padding', 'border', 'lineHeight', 'letterSpacing', 'overflowWrap', 'tabSize']) {
        copy.style[name] = look[name];
    }
    Object.assign(copy.style, {whiteSpace: 'pre-wrap', boxSizing: 'border-box', position: 'absolute', top: 0});
    copy.style.width = `${area.clientWidth}px`;
    copy.textContent = area.value.slice(0, area.selectionStart);
    const mark = document.createElement('span');
    mark.textContent = area.value.slice(area.selectionStart, area.selectionEnd);
    copy.append(mark);
    document.body.append(copy);
    const at = mark.offsetTop;
    copy.remove();
    return at >= area.scrollTop && at < area.scrollTop + area.clientHeight;
}"""


@pytest.fixture
def scout(team: Server) -> Iterator[str]:
    """An agent of Ada's, which answers with one directive that is applied and one that is refused."""
    slug = f"scout-{next(NUMBERS)}"  # what is on record of one agent is not the next one's
    with team.browser_client("ada") as client:
        fields = {"name": "Scout", "runtime": "demo", "role": "Reads", "heartbeat": "0 8 * * *"}
        body = {"slug": slug, "template": "research", "fields": fields, "visibility": "server"}
        assert client.post("agents", json=body).status_code == 201
        write(team, slug, "HEARTBEAT.md", ANSWER)
    yield slug
    with team.browser_client("ada") as client:
        client.delete(f"agents/{slug}")


def write(server: Server, slug: str, path: str, text: str) -> None:
    """As somebody else does who edits the same file."""
    with server.browser_client("ada") as client:
        etag = client.get(f"agents/{slug}/files/{path}").json()["etag"]
        saved = client.put(f"agents/{slug}/files/{path}", json={"text": text, "etag": etag})
        assert saved.status_code == 200, saved.text


def opened(lab: Lab, slug: str) -> Locator:
    """The page of the agent."""
    lab.command("cabinet:open-agent", agent=slug)
    page = lab.page.locator(f".jp-Cabinet-page[data-agent={slug}]")
    expect(page.get_by_role("heading", name="Scout", exact=True)).to_be_visible()
    return page


def go(page: Locator, tab: str) -> Locator:
    """Another tab of it."""
    page.get_by_role("tab", name=tab).click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_have_attribute("data-tab", tab.lower())
    return panel


def run_once(page: Locator) -> None:
    """A heartbeat, from its beginning to its end."""
    page.get_by_role("button", name="Run now", exact=True).click()
    expect(page.get_by_role("list", name="Latest runs").get_by_role("button")).to_have_count(1)
    expect(page.get_by_role("list", name="Latest runs").get_by_role("button")).to_contain_text("Succeeded")


def test_a_run_is_started_and_what_came_of_it_is_read(team: Server, browsers: Browsers, scout: str) -> None:
    lab = browsers("ada")
    page = opened(lab, scout)
    expect(page.locator(".jp-Cabinet-page-state")).to_contain_text("Next heartbeat")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_disabled()
    run_once(page)
    lab.screenshot("agent-overview")
    page.get_by_role("list", name="Latest runs").get_by_role("button").click()
    shown = page.get_by_role("article", name="Run")
    effects = shown.get_by_role("list", name="Effects")
    expect(effects.locator("[data-state=applied]").last).to_contain_text("I have read the <b>notes</b>.")
    expect(effects.locator("[data-state=refused]")).to_contain_text("Refused:")
    expect(shown).to_contain_text("cost unknown")
    shown.get_by_text("Prompt as sent").click()
    expect(shown.locator(".jp-Cabinet-page-prompt-text").last).to_contain_text("I have read the")
    lab.screenshot("agent-run")
    shown.get_by_role("button", name="Run again with…").click()
    shown.get_by_role("textbox", name="Instruction").fill("answer: Well")
    shown.get_by_role("button", name="Run", exact=True).click()
    rows = page.get_by_role("list", name="Runs").get_by_role("button")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Message")
    expect(rows.first).to_contain_text("Succeeded")
    page.get_by_role("combobox", name="Kind").select_option("heartbeat")
    expect(rows).to_have_count(1)
    expect(rows.first).to_contain_text("Heartbeat")
    lab.page.set_viewport_size({"width": 390, "height": 844})
    lab.page.evaluate("() => { jupyterapp.shell.collapseLeft(); jupyterapp.shell.collapseRight(); }")
    result = rows.first.locator(".jp-Cabinet-page-row-title")
    expect(result).to_be_visible()
    lab.screenshot("agent-history-narrow")
    assert result.evaluate("e => e.clientWidth > 0 && e.scrollWidth <= e.clientWidth"), "the result of the run is cut"
    lab.page.set_viewport_size({"width": 1440, "height": 900})  # the next test uses this page, too


@pytest.mark.long(reason="the conflict is tested on the server and in the store")
def test_two_people_who_edit_the_memory_lose_nothing(team: Server, browsers: Browsers, scout: str) -> None:
    lab = browsers("ada")
    page = opened(lab, scout)
    run_once(page)
    panel = go(page, "Memory")
    panel.get_by_role("button", name="context.md").click()
    editor = panel.get_by_role("textbox", name="memory/context.md")
    expect(panel.get_by_role("button", name="Save")).to_be_disabled()
    expect(editor).not_to_have_value("")
    editor.fill("mine\n")
    write(team, scout, "memory/context.md", "theirs\n")
    theirs = panel.get_by_role("region", name="The current text")
    expect(theirs).to_have_text("theirs")
    expect(panel.get_by_role("textbox", name="Your text")).to_have_value("mine\n")
    lab.screenshot("agent-conflict")
    panel.get_by_role("button", name="Keep mine").click()
    panel.get_by_role("button", name="Save").click()
    expect(panel.get_by_text("Not saved")).to_have_count(0)  # the button is off while it is being saved, too
    with team.browser_client("ada") as client:
        assert client.get(f"agents/{scout}/files/memory/context.md").json()["text"] == "mine\n"


def test_the_memory_is_searched_by_keyboard_and_a_match_opens_its_file_at_the_line(
    team: Server, browsers: Browsers, scout: str
) -> None:
    memory = team.root / ".agents" / scout / "memory"
    lines = [f"Line {number} " + "is long enough to be wrapped in the editor. " * 5 for number in range(1, 200)]
    lines[149] = "🍇 The <b>Plums</b> are blue."
    (memory / "2026-01-14.md").write_text("\n".join(lines))
    (memory / "learnings.md").write_text(
        "No fruit here.\n\nPlums are not pears, and not blue either, as far as known.\n"
    )
    lab = browsers("ada")
    page = opened(lab, scout)
    panel = go(page, "Memory")
    field = panel.get_by_role("searchbox", name="Search the memory")
    matches = panel.get_by_role("list", name="Passages with these words").get_by_role("button")
    field.focus()
    keyboard = lab.page.keyboard
    keyboard.type("BLUE plums")
    expect(matches).to_have_count(2)
    expect(panel.get_by_role("status").first).to_have_text("2 passages")
    expect(panel.get_by_role("list", name="Memory")).to_have_count(0)
    log = matches.filter(has_text="2026-01-14.md")
    expect(log.locator("mark")).to_have_text(["Plums", "blue"])
    expect(log).to_contain_text("🍇 The <b>Plums</b> are blue.")
    expect(log).to_contain_text("Line 150")
    lab.screenshot("agent-memory-search")
    for _ in range(2):
        keyboard.press("ArrowDown")
    expect(matches.nth(1)).to_be_focused()
    for _ in range(2):
        keyboard.press("ArrowUp")
    expect(field).to_be_focused()
    log.focus()
    keyboard.press("Enter")
    editor = panel.get_by_role("textbox", name="memory/2026-01-14.md")
    expect(editor).to_be_focused()
    shown = "area => [area.value.slice(area.selectionStart, area.selectionEnd), area.scrollTop > 1000]"
    assert editor.evaluate(shown) == [lines[149], True]
    expect(log).to_have_attribute("aria-current", "true")
    assert editor.evaluate(IS_IN_VIEW) is True
    lab.screenshot("agent-memory-match")

    field.fill("not pears")
    field.press("Enter")
    editor = panel.get_by_role("textbox", name="memory/learnings.md")
    expect(editor).to_be_focused()
    assert editor.evaluate(shown)[0].startswith("Plums are not pears")
    field.fill("apples")
    expect(panel.get_by_role("status").first).to_have_text("No passage of the memory has all of these words.")
    (memory / "learnings.md").write_text("Now apples.\n")
    go(page, "Goals")
    go(page, "Memory")
    expect(matches).to_have_count(1)
    expect(field).to_have_value("apples")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(panel.get_by_role("list", name="Memory").get_by_role("button")).not_to_have_count(0)


@pytest.mark.long(reason="the same forms as by mouse; accessibility is tested there")
def test_it_is_told_and_given_things_by_keyboard(team: Server, browsers: Browsers, scout: str) -> None:
    lab = browsers("ada")
    page = opened(lab, scout)
    keyboard = lab.page.keyboard
    page.get_by_role("tab", name="Overview").focus()
    keyboard.press("End")
    expect(page.get_by_role("tab", name="Persona")).to_be_focused()
    for _ in range(2):
        keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Inbox")).to_be_focused()
    panel = page.get_by_role("tabpanel")
    panel.get_by_role("textbox", name="Message to Scout").focus()
    keyboard.type(f"Where are the sources, @{scout}? Not @nobody or a@b.example.")
    panel.get_by_role("button", name="Send message").focus()
    keyboard.press("Enter")
    unread = panel.get_by_role("list", name="Unread").get_by_role("button")
    expect(unread).to_contain_text(f"Where are the sources, @{scout}?")
    unread.click()
    mentioned = panel.get_by_role("group", name="Mentioned agents").get_by_role("button")
    expect(mentioned).to_have_text([f"@{scout}"])
    mentioned.click()
    expect(page.get_by_role("tab", name="Inbox 1")).to_be_visible()  # its page comes to the front
    expect(page.get_by_role("tab", name="Inbox 1")).to_be_visible()
    panel = go(page, "Tasks")
    panel.get_by_role("textbox", name="Title").focus()
    keyboard.type("Tidy the list")
    keyboard.press("Enter")
    card = panel.locator("[data-status=pending] .jp-Cabinet-page-task")
    expect(card).to_contain_text("Tidy the list")
    card.focus()
    keyboard.press("Alt+ArrowRight")
    moved = panel.locator("[data-status=in_progress] .jp-Cabinet-page-task")
    expect(moved).to_contain_text("Tidy the list")
    expect(moved).to_be_focused()
    lab.screenshot("agent-tasks")
    panel = go(page, "Inbox")
    panel.get_by_role("textbox", name="Message to Scout").fill("Now")
    go(page, "Goals")
    panel = go(page, "Inbox")
    expect(panel.get_by_role("textbox", name="Message to Scout")).to_have_value("Now")
    panel.get_by_role("checkbox", name="Run the agent now").check()
    panel.get_by_role("button", name="Send message").focus()
    keyboard.press("Enter")
    expect(panel.get_by_role("list", name="Read", exact=True).get_by_role("button")).to_have_count(2)
    lab.screenshot("agent-inbox")


@pytest.mark.long(reason="one name in one place; the quick tier tries hostile file names")
def test_the_name_of_a_sender_hides_nothing(team: Server, browsers: Browsers, scout: str) -> None:
    inbox = team.root / ".agents" / ".messages" / scout
    inbox.mkdir(parents=True)
    message = '---\nfrom: ben\nfrom_name: "Ben\\u202eada"\n---\nHello'
    (inbox / "2026-01-01T00-00-00Z_from_ben_m1.md").write_text(message)
    panel = go(opened(browsers("ada"), scout), "Inbox")
    row = panel.get_by_role("list", name="Unread").get_by_role("button")
    expect(row).to_contain_text("Ben‹U+202E›ada")
    row.click()
    expect(panel.get_by_role("article", name="Message")).to_contain_text("Ben‹U+202E›ada")


@pytest.mark.long(reason="fills a large folder")
def test_it_says_how_much_of_a_large_folder_is_not_shown(team: Server, browsers: Browsers, scout: str) -> None:
    agents = team.root / ".agents"
    inbox, tasks = agents / ".messages" / scout, agents / scout / "tasks"
    inbox.mkdir(parents=True)
    for number in range(503):
        (inbox / f"2026-01-01T00-00-00-{number:03}Z_from_data_team.md").write_text(
            f"---\nfrom: data_team\n---\n{number}"
        )
        task = {"id": f"t{number}", "title": "Old", "status": "completed", "completedAt": f"2025-01-01T00:00:{number}Z"}
        (tasks / f"t{number}.json").write_text(json.dumps(task))
    (agents / scout / "memory" / "context.md").write_text("## 2025-01-01T00:00:00.000Z\nlearnt\n" * 150_000)
    lab = browsers("ada")
    page = opened(lab, scout)
    expect(page.get_by_role("tab", name="Inbox 503")).to_be_visible()
    panel = go(page, "Inbox")
    expect(panel.get_by_text("3 older messages are waiting and are not shown.")).to_be_visible()
    panel = go(page, "Tasks")
    expect(panel.get_by_text("3 tasks that were finished earlier are not shown.")).to_be_visible()
    panel = go(page, "Memory")
    panel.get_by_role("button", name="context.md").click()
    expect(panel.get_by_text("it is larger than 4096 KiB")).to_be_visible()
    page.get_by_role("button", name="Run now", exact=True).click()
    archived = panel.get_by_role("list", name="Archive").get_by_role("button")
    expect(archived).to_have_count(2)  # of at most 4 MiB each
    expect(panel.get_by_role("textbox", name="memory/context.md")).to_have_value(re.compile("learnt"))
    lab.screenshot("agent-large-memory")


def test_the_persona_is_changed_in_the_form_and_in_the_file(
    team: Server, open_lab: Callable[..., Lab], scout: str
) -> None:
    lab = open_lab(team, "notes.md", theme="dark")
    page = opened(lab, scout)
    panel = go(page, "Persona")
    form = panel.get_by_role("form", name="Fields of the persona")
    role = form.locator("input[name=role]")
    expect(role).to_have_value("Reads")
    expect(panel.get_by_role("list", name="Next five runs").get_by_role("listitem")).to_have_count(5)
    role.fill("Finds")
    form.get_by_role("checkbox", name="May start other agents").check()
    choose_from_lists(form)
    panel.get_by_role("button", name="Save fields").click()
    file = panel.get_by_role("textbox", name="persona.md")
    expect(file).to_have_value(re.compile("role: Finds"))
    for line in (
        "permission_mode: ask",
        "timezone: Europe/Paris",
        "30 17 . . 1-5",
        "metric: articles",
        "starts_agents: true",
    ):
        expect(file).to_have_value(re.compile(line))
    expect(file).not_to_have_value(re.compile("WebFetch"))
    expect(form).to_contain_text("every weekday at 17:30")
    expect(page.locator(".jp-Cabinet-page-head")).to_contain_text("Finds")
    role.fill("Mine")
    go(page, "Overview")
    go(page, "Persona")
    expect(role).to_have_value("Mine")
    with team.browser_client("ada") as client:
        assert client.put(f"agents/{scout}", json={"fields": {"role": "Theirs", "runner": "dask"}}).status_code == 200
    expect(form.get_by_role("alert")).to_contain_text("nothing was saved")
    expect(form).to_contain_text("Theirs")
    lab.screenshot("agent-persona-dark")
    lab.page.set_viewport_size({"width": 900, "height": 900})
    for tab in page.get_by_role("tab").all():
        expect(tab).to_be_in_viewport(ratio=1)  # none is hidden in a narrow page
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    form.get_by_role("button", name="Keep mine").click()
    runner = form.get_by_label("Where it runs")  # shown because the file has it: this server has no cluster
    expect(runner).to_have_value("dask")
    runner.select_option(label="Default (This server)")
    save = panel.get_by_role("button", name="Save fields")
    save.press("Enter")
    expect(page.locator(".jp-Cabinet-page-head")).to_contain_text("Mine")
    expect(save).to_have_attribute("aria-disabled", "true")
    expect(save).to_be_focused()  # a disabled button would lose the focus
    expect(file).not_to_have_value(re.compile("runner:"))
    lab.page.keyboard.press("Shift+Tab")
    expect(save).to_be_disabled()
    expect(save).not_to_have_attribute("aria-disabled", "true")


def choose_from_lists(form: Locator) -> None:
    """Another value of each field with a list, and a time zone that is refused at first."""
    expect(form.get_by_label("Runtime")).to_have_value("demo")
    form.get_by_label("Permission mode").select_option(label="Ask first")
    form.get_by_role("checkbox", name="WebFetch").uncheck()
    expect(form.get_by_label("Allowed tools")).to_have_value("custom")
    form.get_by_label("Frequency").select_option(label="On weekdays")
    form.get_by_label("At", exact=True).fill("17:30")
    zone = form.get_by_label("Time zone")
    zone.fill("Europe/Atlantis")
    form.get_by_role("button", name="Add goal").click()
    expect(form.locator("input[name='goals[1].metric']")).to_be_focused()
    expect(zone).to_have_attribute("aria-invalid", "true")
    form.get_by_role("button", name="Save fields").click()
    expect(form.get_by_role("alert")).to_contain_text("Nothing was saved")
    zone.fill("Europe/Paris")
    goal = form.get_by_role("group", name="Goal 1")
    goal.get_by_label("Metric").fill("articles")
    goal.get_by_label("Target").fill("8")


@pytest.mark.long(reason="starts JupyterLab again, and for a second person")
def test_the_tab_comes_back_and_others_see_why_they_may_not(
    team: Server, open_lab: Callable[..., Lab], browsers: Browsers, scout: str
) -> None:
    lab = open_lab(team, "notes.md", fresh=True)
    opened(lab, scout)
    lab.reload(f"cabinet-agent-page:cabinet-agent-page-{scout}")
    expect(lab.page.locator(f".jp-Cabinet-page[data-agent={scout}] h2")).to_have_text("Scout")
    lab = open_lab(team, "notes.md", username="rea")
    page = opened(lab, scout)
    button = page.get_by_role("button", name="Run now", exact=True)
    expect(button).to_be_disabled()
    expect(button).to_have_attribute("title", "You can view agents on this server, but not run them.")
    lab.command("cabinet:open-agent", agent="nobody")
    expect(lab.page.get_by_text("Agent nobody not found")).to_be_visible()
    lab.screenshot("agent-read-only")


@pytest.mark.long(reason="test_plays starts plays in the quick tier")
def test_a_play_is_started_with_its_inputs_and_watched(team: Server, open_lab: Callable[..., Lab], scout: str) -> None:
    slug = f"triage-of-{scout}"
    fields = {
        "name": slug,
        "title": "Triage",
        "agent": scout,
        "triggers": ["manual", {"file_changed": {"path": "*.csv"}}],
    }
    with team.browser_client("ada") as client:
        body = {"slug": slug, "fields": fields, "body": "Sort what is new in {{product}}."}
        assert client.post("plays", json=body).status_code == 201
    lab = open_lab(team, "notes.md", theme="dark")
    page = opened(lab, scout)
    expect(page.get_by_role("tab", name="Plays 1")).to_be_visible()
    panel = go(page, "Plays")
    expect(panel.get_by_role("list", name="Plays")).to_contain_text("By hand · When *.csv changes")
    panel.get_by_role("textbox", name="product").fill("the core")
    panel.get_by_role("button", name="Run now").click()
    shown = page.get_by_role("article", name="Run")
    expect(shown.locator(".jp-Cabinet-page-live-state").first).to_contain_text("Succeeded")
    shown.get_by_text("Prompt as sent").click()
    expect(shown.locator(".jp-Cabinet-page-prompt-text").last).to_contain_text("Sort what is new in the core.")
    panel = go(page, "Plays")
    expect(panel.get_by_role("list", name="Runs of this play").get_by_role("button")).to_have_count(1)
    lab.screenshot("agent-plays-dark")
    with team.browser_client("ada") as client:
        client.delete(f"plays/{slug}")


def test_a_run_at_work_is_watched_and_stopped(team: Server, browsers: Browsers, scout: str) -> None:
    write(team, scout, "HEARTBEAT.md", f"wait for the file never-{scout}.txt")
    lab = browsers("ada")
    page = opened(lab, scout)
    page.get_by_role("button", name="Run now", exact=True).click()
    expect(page.get_by_role("heading", name="Current run")).to_be_visible()
    expect(page.locator(".jp-Cabinet-page-live .jp-Cabinet-event").first).to_be_visible()
    expect(page.get_by_role("button", name="Run now", exact=True)).to_be_disabled()
    expect(page.locator(".jp-Cabinet-page-head .jp-Cabinet-agent-step")).not_to_be_empty()
    lab.screenshot("agent-live")
    lab.command("cabinet:agents")
    card = lab.page.locator(f".jp-Cabinet-board [data-agent={scout}]")
    expect(card.locator(".jp-Cabinet-agent-step")).not_to_be_empty()
    lab.screenshot("agent-live-card")
    lab.command("cabinet:open-agent", agent=scout)
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_role("list", name="Latest runs").get_by_role("button")).to_contain_text("Cancelled")
    expect(page.get_by_role("heading", name="Current run")).to_have_count(0)


@pytest.mark.long(reason="the persona is edited as a file in the quick tier")
def test_a_file_that_steers_it_is_edited_compared_and_restored(team: Server, browsers: Browsers, scout: str) -> None:
    lab = browsers("ada")
    page = opened(lab, scout)
    panel = go(page, "Files")
    files = panel.get_by_role("list", name="Files that steer the agent")
    expect(files.get_by_role("button")).to_have_count(8)
    expect(files.get_by_role("button", name="TOOLS.md")).to_contain_text("Not created")
    row = files.get_by_role("button", name="HEARTBEAT.md")
    row.click()
    editor = panel.get_by_role("textbox", name="HEARTBEAT.md")
    expect(editor).to_have_value(ANSWER)
    editor.fill("Read the news.\n")
    expect(row).to_contain_text("Not saved")
    panel.get_by_text("Earlier versions", exact=True).click()
    versions = panel.get_by_role("list", name="Earlier versions").get_by_role("button")
    expect(versions).to_have_count(2)  # of the template, and what was saved before
    versions.first.click()
    expect(panel.get_by_role("button", name="Restore")).to_have_attribute("aria-disabled", "true")
    save = panel.get_by_role("button", name="Save", exact=True)
    with lab.offline():
        expect(save).to_have_attribute("aria-disabled", "true")
        editor.fill("Read the news, later.\n")  # a person continues writing while the server is away
    expect(save).not_to_have_attribute("aria-disabled", "true")
    editor.fill("Read the news.\n")
    save.click()
    changes = panel.get_by_role("group", name="Changes since this version")
    expect(changes.locator(".jp-mod-added")).to_contain_text("Read the news.")
    expect(changes.locator(".jp-mod-removed")).to_have_count(2)
    lab.screenshot("agent-file-versions")
    panel.get_by_role("button", name="Restore").click()
    expect(editor).to_have_value(ANSWER)
    expect(panel.locator("summary")).to_be_focused()
    expect(versions).to_have_count(4)
    expect(versions.first).to_contain_text("saved by Ada")
    with team.browser_client("ada") as client:
        assert client.get(f"agents/{scout}/files/HEARTBEAT.md").json()["text"] == ANSWER
        assert client.get(f"agents/{scout}").json()["confirmed"]


@pytest.mark.long(reason="one link")
def test_a_run_of_a_plan_leads_to_its_step(team: Server, browsers: Browsers, scout: str) -> None:
    lab = browsers("ada")
    page = opened(lab, scout)
    body = {"title": f"Plan of {scout}", "agent": scout, "steps": [{"title": "Greet", "prompt": "reply with hello"}]}
    with team.browser_client("ada") as client:
        plan = client.post("plans", json=body).raise_for_status().json()
        client.post(f"plans/{plan['id']}/run", json={}).raise_for_status()
    page.get_by_role("list", name="Latest runs").get_by_role("button").first.click()
    shown = page.get_by_role("article", name="Run")
    shown.get_by_role("button", name="Open plan").click()
    step = lab.page.locator(".jp-Cabinet-plans").get_by_role("region", name="Step", exact=True)
    expect(step.get_by_role("heading", name="Greet")).to_be_visible()
    expect(step).to_contain_text("Done")


@pytest.mark.long(reason="one link; runs of agents are read in the quick tier")
def test_a_run_that_another_agent_has_started_leads_to_the_run_that_did(
    team: Server, open_lab: Callable[..., Lab], scout: str
) -> None:
    with team.browser_client("ada") as client:
        ids = [client.post(f"agents/{scout}/run", json={}).json()["id"] for _ in range(2)]
        for run_id in ids:
            until(lambda id=run_id: client.get(f"runs/{id}").json()["finished_at"], what="the run to end")
    starter, started = ids
    lab = open_lab(team, "notes.md")

    # The demo agent has no tools to start a run with, so the real answers get such a trigger on their way.
    def started_by_a_run(route: Route) -> None:
        answer = route.fetch()
        found = answer.json()
        for run in found.get("items", [found]):
            if run.get("id") == started:
                run["trigger"].update(
                    kind="run", source="Started by the agent Scout.", run_id=starter, ancestors=[starter]
                )
        route.fulfill(response=answer, json=found)

    pattern = re.compile(r"/cabinet/api/runs(\?|/[^/]+$)")
    lab.page.route(pattern, started_by_a_run)
    try:
        lab.command("cabinet:open-agent", agent=scout, run=started)
        pane = lab.page.locator(f".jp-Cabinet-page[data-agent={scout}]").get_by_role("article", name="Run")
        link = pane.get_by_role("button", name="started by the agent Scout")
        link.press("Enter")
        expect(link).to_have_count(0)
        expect(pane).to_contain_text("by you")
    finally:
        lab.page.unroute(pattern)
