"""The panel of past sessions in a real browser: a session on disk is found, read, starred, tagged and exported."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness import looks
from harness.lab import Lab
from harness.pi_files import PiFile
from harness.server import Server, until
from playwright.sync_api import Locator, expect

from jupyter_cabinet.transcripts.model import session_key

OpenLab = Callable[..., Lab]

FIXTURE = Path(__file__).parents[1] / "fixtures" / "sessions" / "pi" / "edit-0.87.1.jsonl"
RECORDED = "2026-11-21T01:55:"  # when it was recorded, to the minute
NATIVE_ID = "01a1fbd0-a2c4-7109-be88-4a4cf35286ad"


def write_session(server: Server, number: int, words: str, cwd: str = "/workspace") -> None:
    """Keep a session as pi does, used just now: it is above all that other tests have left. `words`: its first
    instruction.
    """
    native_id = f"{NATIVE_ID[:-2]}{number:02}"
    lines = FIXTURE.read_text().replace("/workspace", cwd).replace(NATIVE_ID, native_id)
    folder = server.home / ".pi" / "agent" / "sessions" / f"--{cwd.strip('/').replace('/', '-')}--"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"2026-11-21T01-55-16-805Z_{native_id}.jsonl"
    lines = lines.replace(RECORDED, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:}")
    path.write_text(lines.replace("Please create hello.txt", words))


def open_panel(lab: Lab) -> Locator:
    lab.command("cabinet:past-sessions")
    panel = lab.page.locator(".jp-Cabinet-past")
    expect(panel).to_be_visible()
    search = panel.get_by_label("Search sessions")
    search.fill("whatever an earlier test in this page has left")
    panel.get_by_role("button", name="Clear", exact=True).click()
    expect(search).to_have_value("")
    return panel


@pytest.mark.long(reason="the server tests find, read and mark sessions; pastSessions.spec.ts has the rules of the tab")
@looks.in_both_themes
def test_a_session_on_disk_is_found_read_and_marked(lab_server: Server, open_lab: OpenLab, theme: str) -> None:
    number = 10 if theme == "light" else 20
    words = f"Please greet the quokka in {theme}"
    write_session(lab_server, number, f"{words} **now** <img src=x onerror=alert(1)>", str(lab_server.root))
    write_session(lab_server, number + 1, f"Something else in {theme}")
    (lab_server.root / "hello.txt").write_text("hello")
    page = lab_server.root / f"past-{theme}.md"
    page.write_text("# Past\n")
    lab = open_lab(lab_server, page.name, theme=theme)
    panel = open_panel(lab)
    rows = panel.locator(".jp-Cabinet-past-row")
    row = rows.filter(has_text=words)
    expect(row).to_be_visible(timeout=60_000)
    expect(rows.filter(has_text=f"Something else in {theme}")).to_be_visible()
    panel.get_by_label("Search sessions").fill(f"greet quokka {theme}")
    expect(rows).to_have_count(1)
    row.locator(".jp-Cabinet-past-row-main").click()
    timeline = panel.get_by_role("region", name="Timeline")
    entries = timeline.get_by_role("listitem")
    expect(entries.filter(has_text="Instruction").first).to_contain_text("<img src=x")
    expect(entries.filter(has_text="I will write the file.")).to_have_count(1)
    expect(timeline.locator("img")).to_have_count(0)
    timeline.get_by_role("button", name="write", exact=False).first.click()
    expect(timeline).to_contain_text("hello from the mock")
    expect(timeline).to_contain_text("Successfully wrote to")
    timeline.get_by_role("button", name="hello.txt").last.click()
    expect(lab.page.get_by_role("tab", name="hello.txt")).to_be_visible()
    lab.page.get_by_role("tab", name="Past sessions").click()
    timeline.get_by_role("button", name="Next edit").click()
    expect(timeline.locator(".jp-mod-marked")).to_contain_text("write")
    expect(timeline.get_by_role("button", name="Next error")).to_have_attribute("aria-disabled", "true")
    timeline.get_by_role("button", name="Star").click()
    expect(timeline.get_by_role("button", name="Star")).to_have_attribute("aria-pressed", "true")
    timeline.get_by_label("Add a tag").fill(f"greetings-{theme}")
    timeline.get_by_label("Add a tag").press("Enter")
    expect(row).to_contain_text(f"greetings-{theme}")
    with lab.page.expect_download() as coming:
        timeline.get_by_role("button", name="JSON").click()
    assert json.loads(Path(coming.value.path()).read_text())
    timeline.get_by_role("button", name="Continue…").click()
    form = lab.page.get_by_role("dialog", name="Continue the session")
    expect(form.get_by_role("button", name="Run")).to_be_disabled()
    form.get_by_label("Instruction").fill("hello again")
    form.get_by_label("Runtime").select_option(label="Demo agent")
    expect(form).to_contain_text("Another CLI receives a summary of the session.")
    form.get_by_role("button", name="Run").click()
    expect(form).to_have_count(0)
    expect(timeline).to_contain_text("was started.")
    timeline.get_by_role("button", name="Name and note…").click()
    details = lab.page.get_by_role("dialog", name="Name and note")
    details.get_by_label("Name").fill(f"Greeting in {theme}")
    details.get_by_label("Name").press("Enter")
    # The new session has the same words, in the summary that it received, and is listed as soon as it is indexed.
    expect(row.filter(has_text=f"Greeting in {theme}")).to_have_count(1)
    lab.screenshot(f"past-sessions-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-past", lab.command) == []
    panel.get_by_role("button", name="Clear", exact=True).click()
    panel.get_by_label("Starred").check()
    expect(rows.filter(has_text=f"Greeting in {theme}")).to_be_visible()
    expect(rows.filter(has_text="Something else")).to_have_count(0)


@pytest.mark.long(reason="the quick tier reads one with the mouse")
def test_a_session_that_appears_is_listed_and_walked_by_keyboard(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "appearing.md"
    page.write_text("# Appearing\n")
    write_session(lab_server, 30, "The first that appears")
    lab = open_lab(lab_server, page.name)
    panel = open_panel(lab)
    rows = panel.locator(".jp-Cabinet-past-row")
    expect(rows.filter(has_text="The first that appears")).to_be_visible(timeout=60_000)
    panel.get_by_label("Search sessions").fill("that appears")
    expect(rows).to_have_count(1)
    write_session(lab_server, 31, "The second that appears")
    expect(rows).to_have_count(2, timeout=60_000)
    heads = rows.locator(".jp-Cabinet-past-row-main")
    heads.nth(0).focus()
    lab.page.keyboard.press("ArrowDown")
    expect(heads.nth(1)).to_be_focused()
    lab.page.keyboard.press("Enter")
    timeline = panel.get_by_role("region", name="Timeline")
    expect(timeline.get_by_role("listitem").first).to_be_visible()
    blocked = timeline.get_by_role("button", name="Continue…")
    expect(blocked).to_have_attribute("aria-disabled", "true")
    assert "/workspace" in (blocked.get_attribute("title") or "")
    panel.get_by_label("Search sessions").fill("no session has these words")
    expect(panel).to_contain_text("No matching sessions")
    write_session(lab_server, 32, "In the folder of the document", str(lab_server.root))
    lab.command("cabinet:show-history")
    lab.page.locator(".jp-Cabinet-history").get_by_role("button", name="Past sessions").click()
    expect(rows.filter(has_text="In the folder of the document")).to_be_visible(timeout=60_000)
    expect(rows.filter(has_text="that appears")).to_have_count(0)
    expect(panel.get_by_label("Search sessions")).to_have_value("")


@pytest.mark.long(reason="a session of many entries")
@looks.in_both_themes
@pytest.mark.slow(reason="a session of 10,000 entries")
def test_an_entry_far_inside_a_session_is_reached_searched_for_and_marked(
    lab_server: Server, open_lab: OpenLab, theme: str
) -> None:
    file = PiFile(lab_server.home / ".pi" / "agent" / "sessions", f"far-{theme}", cwd=str(lab_server.root))
    for number in range(9_998):
        far = number % 2_000 == 1_000
        file.user(f"Step {number}, the marmot whistles in {theme}." if far else f"Step {number} in {theme}.")
    file.call("bash", {"command": "ls"}, f"marmot-{theme}.txt")
    file.assistant("The end.")
    page = lab_server.root / f"far-{theme}.md"
    page.write_text("# Far\n")
    lab = open_lab(lab_server, page.name, theme=theme)
    panel = open_panel(lab)
    panel.get_by_label("Search sessions").fill(f"5000 marmot {theme}")
    row = panel.locator(".jp-Cabinet-past-row")
    expect(row.filter(has_text=f"marmot whistles in {theme}")).to_have_count(1, timeout=60_000)
    expect(row).to_have_count(1)
    row.locator(".jp-Cabinet-past-row-main").click()
    timeline = panel.get_by_role("region", name="Timeline")
    current = timeline.locator(".jp-Cabinet-past-entry.jp-mod-marked")
    expect(current).to_contain_text(f"Step 5000, the marmot whistles in {theme}.")
    expect(current).to_be_in_viewport()
    expect(timeline).to_contain_text("10000 entries")
    entries = timeline.locator(".jp-Cabinet-past-entries")
    entries.evaluate("list => list.scrollBy(0, -400)")
    expect(timeline.get_by_role("listitem").filter(has_text=f"Step 4996 in {theme}.")).to_be_visible()

    find = timeline.get_by_role("search")
    field = find.get_by_label("Search in this session")
    expect(field).to_have_value(f"5000 marmot {theme}")
    expect(find.get_by_role("status")).to_have_text("1 of 1")
    field.fill("marmot")
    expect(find.get_by_role("status")).to_have_text("3 of 6")
    expect(current).to_contain_text("Step 5000,")
    field.press("Enter")
    expect(current).to_contain_text("Step 7000,")
    field.press("Enter")
    field.press("Enter")
    expect(find.get_by_role("status")).to_have_text("6 of 6")
    expect(current).to_contain_text("bash")
    field.press("Enter")
    expect(current).to_contain_text("Step 1000,")
    field.press("Shift+Enter")
    field.press("Shift+Enter")
    expect(current).to_contain_text("Step 9000,")
    expect(field).to_be_focused()

    current.get_by_role("button", name="Bookmark").focus()
    lab.page.keyboard.press("Enter")
    expect(current.get_by_role("button", name="Bookmark")).to_have_attribute("aria-pressed", "true")
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Enter")
    form = lab.page.get_by_role("dialog", name="Note on an entry")
    form.get_by_label("Note").fill("Ask the <b>marmot</b>")
    form.get_by_role("button", name="Save").click()
    expect(current.get_by_role("note")).to_have_text("Ask the <b>marmot</b>")
    field.fill("1000")
    expect(current).to_contain_text("Step 1000,")
    timeline.get_by_role("button", name="Bookmarks (1)").click()
    bookmarks = timeline.get_by_role("list", name="Bookmarks and notes")
    expect(bookmarks.get_by_role("button")).to_contain_text(["Step 9000,"])
    lab.screenshot(f"past-sessions-bookmarks-{theme}")
    assert looks.wrong_in_a_tab(lab.page, ".jp-Cabinet-past", lab.command) == []
    bookmarks.get_by_role("button").click()
    expect(current).to_contain_text("Step 9000,")
    lab.screenshot(f"past-sessions-note-{theme}")
    current.get_by_role("button", name="Edit the note…").click()
    form.get_by_role("button", name="Remove the note").click()
    expect(current.get_by_role("note")).to_have_count(0)
    expect(timeline).to_contain_text("The note was removed.")
    timeline.get_by_role("button", name="Undo").click()
    expect(current.get_by_role("note")).to_have_text("Ask the <b>marmot</b>")


@pytest.mark.long(reason="what is kept is tested with jest")
@pytest.mark.slow(reason="a page of its own, and a reload")
def test_the_filters_and_the_session_are_there_after_a_reload(lab_server: Server, open_lab: OpenLab) -> None:
    page = lab_server.root / "reloaded.md"
    page.write_text("# Reloaded\n")
    write_session(lab_server, 40, "Kept across the reload")
    write_session(lab_server, 41, "Also there before the reload")
    lab = open_lab(lab_server, page.name, fresh=True)
    panel = open_panel(lab)
    row = panel.locator(".jp-Cabinet-past-row")
    panel.get_by_label("Search sessions").fill("across reload kept")
    expect(row).to_have_count(1, timeout=60_000)
    row.locator(".jp-Cabinet-past-row-main").click()
    timeline = panel.get_by_role("region", name="Timeline")
    expect(timeline.get_by_role("listitem").first).to_be_visible()
    lab.reload("cabinet-past-sessions", session_key("pi", f"{NATIVE_ID[:-2]}40"))
    expect(panel.get_by_label("Search sessions")).to_have_value("across reload kept")
    expect(row).to_have_count(1)
    expect(timeline.get_by_role("heading", name="Kept across the reload")).to_be_visible()


@pytest.mark.long(reason="the server tests start such runs, and nextPrompts.spec.ts has the rules")
def test_next_prompts_are_suggested_only_where_a_person_has_switched_that_on(
    lab_server: Server, open_lab: OpenLab
) -> None:
    page = lab_server.root / "dugongs.md"
    page.write_text("# Dugongs\n")
    with lab_server.client("ada") as client:
        lab_server.run(client, "remember that dugongs graze", mode="headless")
        lab = open_lab(lab_server, page.name)
        panel = open_panel(lab)
        panel.get_by_label("Search sessions").fill("dugongs graze")
        row = panel.locator(".jp-Cabinet-past-row").first
        expect(row).to_contain_text("dugongs graze", timeout=60_000)
        row.locator(".jp-Cabinet-past-row-main").click()
        timeline = panel.get_by_role("region", name="Timeline")
        form = lab.page.get_by_role("dialog", name="Continue the session")
        suggested = form.get_by_role("group", name="Suggested next prompts")
        timeline.get_by_role("button", name="Continue…").click()
        expect(form.get_by_label("Runtime")).to_be_visible()
        expect(suggested).to_have_count(0)
        form.get_by_role("button", name="Cancel").click()
        assert client.get("runs", params={"kind": "next_prompts"}).json()["items"] == []

        lab.command("cabinet:runtimes")
        switch = lab.page.get_by_role("checkbox", name="Suggest next prompts")
        switch.check()
        kept = lab_server.place / "settings" / "jupyter-cabinet" / "plugin.jupyterlab-settings"
        until(lambda: kept.exists() and "suggestNextPrompts" in kept.read_text(), what="the setting to be kept")
        lab.page.get_by_role("tab", name="Past sessions").click()
        timeline.get_by_role("button", name="Continue…").click()
        suggested.get_by_role("button", name="write a plan").click(timeout=60_000)
        expect(form.get_by_label("Instruction")).to_have_value("write a plan")
        lab.screenshot("past-sessions-next-prompts")
        form.get_by_role("button", name="Cancel").click()
        timeline.get_by_role("button", name="Continue…").click()
        expect(suggested.get_by_role("button")).to_have_count(3)  # the same ones, without another run
        form.get_by_role("button", name="Cancel").click()
        assert len(client.get("runs", params={"kind": "next_prompts"}).json()["items"]) == 1
        lab.command("cabinet:runtimes")
        switch.uncheck()
