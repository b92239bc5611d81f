"""Questions of agents in the interface: asked by the demo agent, answered by people in real browsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness import looks, payloads, stranger
from harness.lab import Lab
from harness.server import RIGHTS, LabServer, Server, until
from harness.terminal_tab import TerminalTab
from harness.watch import Watch
from harness.wire import Wire
from playwright.sync_api import Browser, Locator, expect

from jupyter_cabinet.runtimes.model import AnswerOption, OptionKind, QuestionAsked, WordedQuestion
from jupyter_cabinet.runtimes.requested_actions import Argument, Command

Browsers = Callable[[str], Lab]
OpenLab = Callable[..., Lab]
TESTS = Path(__file__).parents[1]
SCREENSHOTS = TESTS.parent / "test-results" / "screenshots"


@pytest.fixture
def ada(team: Server) -> Iterator[httpx.Client]:
    with team.browser_client("ada") as client:
        yield client
        for item in client.get("approvals", params={"state": "waiting"}).json()["items"]:
            client.post(f"runs/{item['approval']['run_id']}/cancel", json={})


def ask(server: Server, client: httpx.Client, name: str, line: str = "one", **fields: Any) -> dict[str, Any]:
    """A run that asks before it edits; returns it when its question is there."""
    (server.root / f"{name}.md").write_text("# Page\n")
    asked = {"permission_mode": "ask", "mode": "headless", "wait": 0, **fields}
    run = server.run(client, f"append: {line}", kind="editor", path=f"{name}.md", **asked)
    until(lambda: client.get("approvals", params={"run_id": run["id"]}).json()["items"], what="its question")
    return run


def panel(lab: Lab) -> Locator:
    return lab.page.locator(".jp-Cabinet-approvals")


def cards(lab: Lab) -> Locator:
    return panel(lab).get_by_role("article")


def open_panel(lab: Lab) -> Locator:
    lab.page.keyboard.press("Alt+Shift+Q")
    expect(panel(lab)).to_be_visible()
    return panel(lab)


def answer(place: Locator, name: str) -> None:
    """A button takes an answer when it has stood still for a moment."""
    button = place.get_by_role("button", name=name, exact=True)
    expect(button).to_have_attribute("aria-disabled", "false")
    button.click()


def button(place: Locator, name: str) -> Locator:
    return place.get_by_role("button", name=name, exact=True)


def closed(client: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    """The run's question once it is closed."""

    def last() -> dict[str, Any] | None:
        found: dict[str, Any] = client.get("approvals", params={"run_id": run["id"]}).json()["items"][0]["approval"]
        return found if found["state"] != "waiting" else None

    approval: dict[str, Any] = until(last, what="the question's end")
    return approval


def status(lab: Lab) -> Locator:
    return lab.page.locator(".jp-Cabinet-status").filter(has_text=re.compile("requests|waiting for you"))


def test_a_question_is_told_everywhere_and_allowed_in_the_panel(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    lab = browsers("ada")
    expect(status(lab)).to_have_text("No requests")
    lab.command("docmanager:open", path="notes.md")  # what another test has left open may lose the focus by itself
    expect(lab.page.locator(".jp-FileEditor .cm-content:visible")).to_be_focused()
    focused = lab.page.evaluate("() => document.activeElement.className")
    run = ask(team, ada, "told", "for the panel")
    expect(status(lab)).to_have_text("1 waiting for you")
    badge = lab.page.locator(".jp-Cabinet-badge")
    expect(badge).to_have_attribute("data-cabinet-count", "1")
    toast = lab.page.locator(".Toastify__toast").filter(has_text="Demo agent asks to edit a file.")
    expect(toast).to_contain_text("told.md: ")
    expect(toast.get_by_role("button", name="Allow")).to_have_count(0)
    spoken = lab.page.locator("[role=alert].jp-Cabinet-spoken")
    expect(spoken).to_have_text("Demo agent asks to edit a file. 1 waiting for you.")
    assert lab.page.evaluate("() => document.activeElement.className") == focused
    toast.get_by_role("button", name="Show").click()
    card = cards(lab)
    expect(card).to_contain_text("told.md")
    expect(card).to_contain_text("No: runs as the server’s user")
    expect(card).to_contain_text(re.compile(r"In 9 min \d\d s, then denied"))
    expect(card.locator(".jp-mod-filled")).to_have_count(0)  # it is not isolated
    expect(toast).to_have_count(0)
    found = looks.show(lab, "approval")
    answer(card, "Allow once")
    expect(card).to_have_count(0)
    expect(panel(lab)).to_contain_text("Allowed once by you")
    expect(panel(lab)).to_contain_text("Nothing is waiting for you")
    expect(status(lab)).to_have_text("No requests")
    expect(badge).to_have_count(0)
    assert closed(ada, run)["outcome"] == "Allowed once"
    until(lambda: "for the panel" in (team.root / "told.md").read_text(), what="the edit")
    found += looks.show(lab, "approvals-answered")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="measures what notifications cover, in every place of the panel")
def test_a_notification_covers_no_control_of_ours(team: Server, ada: httpx.Client, open_lab: OpenLab) -> None:
    """Neither ours nor those of JupyterLab itself, which share one stack."""
    lab = open_lab(team, "notes.md")
    lab.open_editor()
    ask(team, ada, "covers")
    toasts = lab.page.locator(".Toastify__toast")
    expect(toasts.filter(has_text="covers.md: Demo agent asks to edit a file.")).to_be_visible()
    for width, height in ((1440, 900), (1024, 768), (390, 844)):
        if width < 1024:
            lab.command("application:toggle-left-area")
        lab.page.set_viewport_size({"width": width, "height": height})
        until(lambda: not looks.wrong(lab.page, "covered"), what=f"room at {width} px", seconds=5)
        expect(lab.button("Run")).to_be_visible()
        lab.screenshot(f"notification-{width}")
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.command("apputils:notify", message="Would you like to get notified?", options={"autoClose": False})
    expect(toasts).to_have_count(2)
    until(lambda: not looks.wrong(lab.page, "covered"), what="room for two", seconds=5)
    inside = lab.page.locator(".Toastify__toast-container").bounding_box()
    assert inside and inside["x"] > 0
    toasts.filter(has_text="covers.md").get_by_role("button", name="Show").click()
    expect(toasts).to_have_count(1)
    until(lambda: not looks.wrong(lab.page, "covered"), what="room beside the approvals", seconds=5)


@pytest.mark.long(reason="what is on the screen is decided by a store that is tested with jest")
def test_no_notification_tells_what_a_panel_shows(team: Server, ada: httpx.Client, browsers: Browsers) -> None:
    """Not even for a moment."""
    lab = browsers("ada")
    lab.page.evaluate(
        """() => {
          window.__toasts = [];
          const note = () => document.querySelectorAll('.Toastify__toast').forEach(
            each => window.__toasts.push(each.textContent));
          window.__noting = new MutationObserver(note);
          window.__noting.observe(document.body, { childList: true, subtree: true });
        }"""
    )
    open_panel(lab)
    ask(team, ada, "seen")
    expect(cards(lab)).to_contain_text("seen.md")
    answer(cards(lab), "Deny")
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run("append: seen")
    expect(lab.panel.get_by_role("article")).to_contain_text("Demo agent asks to edit a file")
    answer(lab.panel.get_by_role("article"), "Allow once")
    lab.expect_state("Succeeded")
    lab.page.evaluate("() => window.__noting.disconnect()")
    toasts = lab.page.evaluate("() => window.__toasts")  # of earlier tests, too: the page is shared
    assert [text for text in toasts if "seen" in text] == []


@pytest.mark.long(reason="JupyterLab does it")
def test_the_sidebar_of_approvals_changes_its_side_as_any_other(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    """Also with the count on its tab."""
    lab = browsers("ada")
    ask(team, ada, "side")
    tab = lab.page.locator(".jp-SideBar .jp-Cabinet-badge")
    for side in ("left", "right"):
        tab.click(button="right")
        lab.page.get_by_role("menuitem", name="Switch Sidebar Side").click()
        expect(lab.page.locator(f".jp-SideBar.jp-mod-{side} .jp-Cabinet-badge")).to_have_count(1)
        expect(tab).to_have_attribute("data-cabinet-count", "1")


def test_it_is_denied_with_a_reason_by_the_keyboard_alone(team: Server, ada: httpx.Client, browsers: Browsers) -> None:
    lab = browsers("ada")
    run = ask(team, ada, "denied")
    place = open_panel(lab)
    expect(cards(lab)).to_contain_text("denied.md")
    expect(button(cards(lab), "Deny")).to_have_attribute("aria-disabled", "false")
    expect(lab.page.locator(":focus")).to_have_attribute("aria-label", "Approvals")  # on no button
    lab.page.keyboard.press("Tab")
    expect(button(cards(lab), "Deny")).to_be_focused()  # with a risk the refusal comes first
    lefts = "buttons => buttons.map(each => [each.textContent, each.getBoundingClientRect().left])"
    shown = cards(lab).locator(".jp-Cabinet-answers-row button").evaluate_all(lefts)
    assert min(shown, key=lambda each: each[1])[0] == "Deny"  # on the screen too
    found = looks.wrong_by_tab(lab.page, ".jp-Cabinet-approval", ".jp-Cabinet-answers-row button")
    why = button(cards(lab), "Deny with a reason")
    why.press("Enter")
    field = place.get_by_label("Reason for denying the request")
    expect(field).to_be_focused()
    lab.page.keyboard.type("use the")
    lab.page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(why).to_be_focused()
    lab.page.keyboard.press("Enter")
    expect(field).to_have_value("use the")  # what was written is kept
    lab.page.keyboard.press("End")
    lab.page.keyboard.type(" replica")
    found += looks.show(lab, "approval-why")
    expect(field).to_be_focused()  # a new theme takes it away from nobody
    expect(button(place.locator("form"), "Deny")).to_be_enabled()  # a busy page may be without the server for a moment
    lab.page.keyboard.press("Enter")
    expect(place).to_contain_text("Denied by you: “use the replica”")
    expect(lab.page.locator(":focus")).to_have_attribute("aria-label", "Approvals")
    assert closed(ada, run)["note"] == "use the replica"
    assert not found, looks.listed(found)


@pytest.mark.long(reason="the event that closes it is tested on the server")
def test_several_questions_at_once_are_answered_together_by_the_keyboard(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    lab = browsers("ada")
    (team.root / "several.md").write_text("# Page\n")
    run = team.run(
        ada, "ask several questions", kind="editor", path="several.md", permission_mode="ask", mode="headless", wait=0
    )
    open_panel(lab)
    expect(cards(lab)).to_contain_text("- Parquet: smaller, typed")
    answer(cards(lab), "Answer")
    form = cards(lab).locator("form")
    send = form.get_by_role("button", name="Send")
    expect(form.get_by_label("CSV")).to_be_focused()
    found = looks.show(lab, "approval-several-questions")
    form.get_by_label("CSV").focus()
    lab.page.keyboard.press("Space")
    lab.page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(button(cards(lab), "Answer")).to_be_focused()
    expect(button(cards(lab), "Answer")).to_have_attribute("aria-disabled", "false")
    lab.page.keyboard.press("Enter")
    expect(form.get_by_label("CSV")).to_be_checked()  # what was chosen is kept
    form.get_by_label("Your answer").first.fill("JSON")
    expect(form.get_by_label("CSV")).not_to_be_checked()
    form.get_by_label("Your answer").last.fill("x" * 4000)
    expect(form.get_by_role("status")).to_have_text("Too long to send: 4005 of 4000 characters.")
    expect(send).to_be_disabled()
    form.get_by_label("Your answer").last.fill("")
    form.get_by_label("Parquet").check()
    expect(form.get_by_label("Your answer").first).to_have_value("")
    expect(send).to_be_disabled()
    form.get_by_label("date").check()
    form.get_by_label("customer").check()
    form.get_by_label("Your answer").last.fill("not the id")
    lab.page.keyboard.press("Enter")
    approval = closed(ada, run)
    assert approval["note"] == "Parquet\ndate, customer, not the id"
    assert approval["outcome"] == "Answered: Parquet; date, customer, not the id"
    expect(panel(lab)).to_contain_text("Answered “Parquet; date, customer, not the id” by you")
    assert not found, looks.listed(found)
    text = until(lambda: (ada.get(f"runs/{run['id']}").json()["result"] or {}).get("text"), what="its answer")
    assert text == "Which format? Parquet\nWhich columns? date, customer, not the id"


def test_a_click_that_was_meant_for_something_else_allows_nothing(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    """As soon as the card is there, and each time it has moved, its buttons are dead for a moment."""
    lab = browsers("ada")
    open_panel(lab)
    lab.page.evaluate(
        """() => {
          window.__clicks = 0;
          const click = button => {
            window.__clicks += 1;
            button.click();
          };
          const all = () => document.querySelectorAll('.jp-Cabinet-answers-row button').forEach(click);
          window.__clicking = new MutationObserver(all);
          const panel = document.querySelector('.jp-Cabinet-approvals');
          window.__clicking.observe(panel, { childList: true, subtree: true });
        }"""
    )
    run = ask(team, ada, "careless")
    expect(cards(lab)).to_have_count(1)
    second = ask(team, ada, "second")  # it comes above the first one, which moves
    expect(cards(lab)).to_have_count(2)
    assert lab.page.evaluate("() => window.__clicks") > 0
    for each in (run, second):
        assert ada.get(f"runs/{each['id']}").json()["state"] == "waiting"
    lab.page.evaluate("() => window.__clicking.disconnect()")


@pytest.mark.long(reason="test_flow answers a question in the terminal in the quick tier")
def test_what_stands_in_a_terminal_is_answered_there_or_beside_it(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    (team.root / "notes.md").write_text("# Notes\n")
    lab = browsers("ada")
    lab.open("notes.md")
    lab.open_editor()
    lab.choose_mode("Ask first")
    lab.run("append: first")
    lab.expect_state("Waiting for you")
    card = lab.panel.get_by_role("article")
    expect(card).to_contain_text("Demo agent asks to edit a file")
    expect(card).to_contain_text("Expires in 9 min")
    expect(lab.page.locator(".Toastify__toast")).to_have_count(0)  # it is seen here
    lab.expect_screen("let it use Edit")
    found = looks.show(lab, "approval-beside-terminal")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.type("y")
    expect(card).to_have_count(0)
    lab.expect_state("Succeeded")
    lab.panel.get_by_role("tab", name="Events").click()
    row = lab.panel.locator("[data-kind=question]")
    expect(row).to_contain_text("Asked to edit a file. Answered in the terminal.")
    lab.run("append: second")
    answer(card, "Allow once")
    lab.expect_state("Succeeded")
    expect(row.last).to_contain_text("Asked to edit a file. You allowed it once.")
    found += looks.show(lab, "approval-events")
    lab.expect_document("first", "second")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="questions are answered in the panel in the quick tier")
def test_a_shared_terminal_leads_to_the_answer_and_moves_no_line(
    team: Server, ada: httpx.Client, browsers: Browsers
) -> None:
    (team.root / "notes.md").write_text("# Notes\n")
    lab = browsers("ada")
    tab = TerminalTab.new(lab)
    tab.controlled_by("You control")
    said = "You are editing notes.md.\nwait for the file measured\nappend: x"
    body = {"runtime": "demo", "instruction": said, "permission_mode": "ask"}
    assert ada.post(f"terminals/{tab.id}/agent", json=body).status_code == 201
    tab.says("Demo agent is working.")
    before = tab.tab.locator(".xterm-screen").bounding_box()
    (team.root / "measured").touch()
    tab.says("Demo agent asks to edit a file. Choose Answer, or type in the terminal.")
    expect(lab.page.locator(".Toastify__toast")).to_have_count(0)  # it is shown here
    assert tab.tab.locator(".xterm-screen").bounding_box() == before
    found = looks.show(lab, "approval-terminal")
    tab.button("Answer").click()
    answer(cards(lab), "Deny")
    tab.says("Demo agent has answered. You can type.")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="the event that closes it is tested on the server")
def test_an_answer_in_one_place_closes_the_question_in_every_other(
    team: Server, ada: httpx.Client, browsers: Browsers, open_lab: OpenLab
) -> None:
    run = ask(team, ada, "everywhere")
    first, second, root = browsers("ada"), open_lab(team, "notes.md"), browsers("root")
    for lab in (first, second, root):
        open_panel(lab)
        expect(cards(lab)).to_contain_text("everywhere.md")
    expect(cards(root)).to_contain_text("You, Ada Lind")
    with team.client("ada") as program:
        address = f"approvals/{question_of(ada, run)['id']}"
        assert program.post(address, json={"option": "allow"}).status_code == 403
    answer(cards(root), "Allow once")
    for lab in (first, second):
        expect(cards(lab)).to_have_count(0)
        expect(panel(lab)).to_contain_text("Allowed once by Ruth Root")
        expect(panel(lab).locator("[role=status].jp-Cabinet-spoken")).to_have_text(
            "Demo agent asks to edit a file. Ruth Root allowed it once."
        )
    expect(panel(root)).to_contain_text("Allowed once by you")


@pytest.mark.long(reason="starts JupyterLab for one more person")
def test_who_may_not_answer_sees_it_without_buttons(team: Server, ada: httpx.Client, open_lab: OpenLab) -> None:
    run = ask(team, ada, "others")
    working = [right for right in RIGHTS["ada"] if right != "cabinet-approvals:execute"]
    team.set_rights({**RIGHTS, "ada": working})
    try:
        lab = open_lab(team, "notes.md")
        place = open_panel(lab)
        expect(place).to_contain_text("For others")
        expect(cards(lab)).to_have_count(0)
        expect(status(lab)).to_have_text("No requests")
        place.locator(".jp-Cabinet-fold-row button").first.click()
        expect(place).to_contain_text("others.md")
        expect(button(place, "Allow once")).to_have_count(0)
        found = looks.show(lab, "approvals-others")
        found += looks.wrong_by_tab(lab.page, ".jp-Cabinet-approvals", ".jp-Cabinet-approvals .jp-Cabinet-row")
        team.set_rights({**RIGHTS, "ada": [right for right in working if "approvals" not in right]})
        lab.page.reload()
        lab.wait_ready()
        open_panel(lab)
        expect(panel(lab)).to_contain_text("You do not have permission to view approvals")
        found += looks.show(lab, "approvals-forbidden")
    finally:
        team.set_rights(RIGHTS)
    assert ada.get(f"runs/{run['id']}").json()["state"] == "waiting"
    assert not found, looks.listed(found)


@pytest.mark.long(reason="waits for a right to be asked for again")
def test_a_right_that_is_taken_away_while_a_card_is_open_takes_its_buttons(
    team: Server, ada: httpx.Client, open_lab: OpenLab
) -> None:
    run = ask(team, ada, "taken")
    working = [right for right in RIGHTS["ada"] if right != "cabinet-approvals:execute"]
    lab = open_lab(team, "notes.md")
    place = open_panel(lab)
    expect(cards(lab)).to_contain_text("taken.md")
    button(cards(lab), "Deny with a reason").click()
    expect(place.get_by_label("Reason for denying the request")).to_be_focused()
    try:
        team.set_rights({**RIGHTS, "ada": working})
        expect(place).to_contain_text("For others")
        expect(cards(lab)).to_have_count(0)
        expect(status(lab)).to_have_text("No requests")
        expect(lab.page.locator(":focus")).to_have_attribute("aria-label", "Approvals")  # not lost with its field
        team.set_rights({**RIGHTS, "ada": [right for right in working if "approvals" not in right]})
        expect(place).to_contain_text("You do not have permission to view approvals")
    finally:
        team.set_rights(RIGHTS)
    expect(cards(lab)).to_contain_text("taken.md")
    answer(cards(lab), "Allow once")
    assert closed(ada, run)["outcome"] == "Allowed once"


@pytest.mark.long(reason="waits for a connection to be lost and found again")
def test_without_a_connection_it_stays_readable_and_takes_no_answer(
    team: Server, ada: httpx.Client, chromium: Browser
) -> None:
    run = ask(team, ada, "offline")
    context = chromium.new_context(viewport={"width": 1000, "height": 800})
    context.set_default_timeout(15_000)
    lab = Lab(context.new_page(), team, screenshots=SCREENSHOTS)
    wire = Wire(lab.page)
    lab.open("notes.md")
    place = open_panel(lab)
    answerable = button(cards(lab), "Allow once")
    expect(answerable).to_have_attribute("aria-disabled", "false")
    wire.cut()
    expect(place).to_contain_text("Not connected. Showing the state as of")
    expect(answerable).to_have_attribute("aria-disabled", "true")
    found = looks.show(lab, "approvals-offline")
    with team.browser_client("ada") as elsewhere:
        elsewhere.post(f"approvals/{question_of(ada, run)['id']}", json={"option": "allow"})
    wire.mend(button(place, "Try now"))
    expect(cards(lab)).to_have_count(0)
    expect(place).to_contain_text("Allowed once by you")
    context.close()
    assert not found, looks.listed(found)


def question_of(client: httpx.Client, run: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = client.get("approvals", params={"run_id": run["id"]}).json()["items"][0]["approval"]
    return found


@pytest.fixture(scope="module")
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Agents that say what they like, and few seconds to answer them."""
    place = tmp_path_factory.mktemp("strange")
    stranger.install(place / "packages")
    server = LabServer(
        place,
        arguments=(
            "--CabinetApp.trust=always",
            f"--CabinetApp.runtimes={stranger.NAME}",
            "--CabinetApp.approval_seconds=15",
        ),
        environment={"PYTHONPATH": f"{TESTS}:{place / 'packages'}"},
    )
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


@pytest.mark.long(reason="waits for the time limit of a question")
def test_hostile_words_do_nothing_and_what_nobody_answers_expires(
    strange: Server, chromium: Browser, tmp_path: Path
) -> None:
    kinds: tuple[OptionKind, ...] = ("allow_once", "allow_session", "deny", "choice")
    options = tuple(
        AnswerOption(id=str(number), label=line[:200], kind=kinds[number % len(kinds)], grants=line)
        for number, line in enumerate(payloads.LINES)
    )
    questions = [WordedQuestion(question=line, choices=tuple(payloads.LINES), several=True) for line in payloads.LINES]
    options += (AnswerOption(id="form", label="Form", kind="choice", takes_note=True, questions=tuple(questions)),)
    lines = "\n".join(payloads.LINES)
    asks = Command(text=lines, more=tuple(Argument(name=line[:80], value=line) for line in payloads.LINES))
    asked = QuestionAsked(
        question_id="1", question=lines, tool=payloads.LINES[1], asks=asks, why=lines, options=options
    )
    stranger.write(strange.root, "asks", events=[asked], stays=True)
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(15_000)
    page = context.new_page()
    watch = Watch(page)
    lab = Lab(page, strange, screenshots=SCREENSHOTS)
    lab.open("notes.md")
    place = open_panel(lab)
    watch.begin(strange.origin)
    with strange.browser_client("ada") as client:
        body = {"kind": "editor", "path": "notes.md", "runtime": stranger.NAME, "permission_mode": "edit"}
        strange.run(client, "say asks " + payloads.LINES[0], wait=0, mode="terminal", **body)
        expect(cards(lab)).to_contain_text("canary(9001)")
        expect(cards(lab)).to_contain_text("‹U+202E›")
        page.evaluate("() => window.__press(document.querySelector('.jp-Cabinet-approvals'))")
        answer(cards(lab), "Form")
        expect(cards(lab).locator("form fieldset")).to_have_count(len(payloads.LINES))
        page.evaluate("() => window.__press(document.querySelector('.jp-Cabinet-approvals'))")
        assert watch.wrong == []
        lab.screenshot("approval-hostile")
        expect(place).to_contain_text("Denied, nobody answered in 15 s", timeout=40_000)
        expect(cards(lab)).to_have_count(0)
        place.locator(".jp-Cabinet-fold-row button").first.click()
        assert watch.wrong == []
    context.close()
