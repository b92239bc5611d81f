"""The sidebar for somebody who is new to it: what it shows when one comes back, where the focus is, what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.lab import DEFAULT_MODE, Lab
from harness.server import Server, until
from harness.wire import Wire
from playwright.sync_api import Browser, Route, WebSocket, expect

SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"
pytestmark = pytest.mark.slow(reason="runs of the demo agent in a real browser")


@pytest.fixture(scope="module")
def lab(lab_server: Server, chromium: Browser) -> Iterator[Lab]:
    """One page for all; each test has its own documents."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(15_000)
    (lab_server.root / "first.md").write_text("# First\n")
    lab = Lab(context.new_page(), lab_server, screenshots=SCREENSHOTS)
    lab.wire = Wire(lab.page)  # type: ignore[attr-defined]
    lab.open("first.md", workspace="sidebar")
    lab.open_editor()
    yield lab
    context.close()


@pytest.fixture
def go(lab: Lab, lab_server: Server) -> Callable[[str], None]:
    """To a document, which is new if there is none of the name."""

    def go_to(name: str) -> None:
        file = lab_server.root / name
        if not file.exists():
            file.write_text(f"# {name}\n")
        lab.command("docmanager:open", path=name)
        expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text(name)

    return go_to


@pytest.mark.long(reason="starts JupyterLab for somebody who is new")
def test_a_session_of_another_document_in_the_list_of_all_leads_to_its_document(
    lab: Lab, lab_server: Server, go: Callable[[str], None]
) -> None:
    go("listed.md")
    lab.run("append: for listed")
    lab.expect_state("Succeeded")
    lab.run("append: the latest words")
    expect(lab.panel).to_contain_text("2 of 2")
    lab.expect_state("Succeeded")
    go("other.md")
    lab.run("append: something")
    lab.expect_state("Succeeded")
    lab.command("cabinet:show-history")
    lab.button("All").click()
    row = lab.panel.locator(".jp-Cabinet-row").filter(has_text="append: the latest words")
    expect(row.locator(".jp-Cabinet-row-second")).to_have_text(re.compile("^listed.md, Demo agent"))
    row.click()
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text("listed.md")
    expect(lab.panel).to_contain_text("2 of 2")
    go("other.md")
    expect(lab.button("All")).to_have_attribute("aria-pressed", "false")
    lab.run("append: for other")
    lab.expect_document("for other")
    lab.expect_state("Succeeded")
    assert "for other" in (lab_server.root / "other.md").read_text()


@pytest.mark.long(reason="waits until a document is known to be gone")
def test_a_session_whose_document_is_gone_is_read_and_an_instruction_is_for_the_open_one(
    lab: Lab, lab_server: Server, go: Callable[[str], None]
) -> None:
    go("gone.md")
    lab.run("append: soon gone")
    lab.expect_state("Succeeded")
    go("stays.md")
    lab.run("append: something")
    lab.expect_state("Succeeded")
    (lab_server.root / "gone.md").unlink()
    lab.command("cabinet:show-history")
    lab.button("All").click()
    lab.panel.locator(".jp-Cabinet-row").filter(has_text="append: soon gone").click()
    expect(lab.panel).to_contain_text("This session is about gone.md. What you write below is about stays.md.")
    lab.screenshot("foreign-session-light")
    lab.run("append: for stays")
    lab.expect_document("for stays")
    lab.expect_state("Succeeded")
    expect(lab.panel).not_to_contain_text("This session is about gone.md")
    assert "for stays" in (lab_server.root / "stays.md").read_text()


@pytest.mark.long(reason="starts JupyterLab three times")
def test_after_a_reload_and_in_a_second_tab_what_works_stands_in_front(
    lab_server: Server, open_lab: Callable[..., Lab]
) -> None:
    for name in ("left.md", "right.md"):
        (lab_server.root / name).write_text("# Two\n")
    lab = open_lab(lab_server, "left.md", fresh=True)
    lab.open_editor()
    lab.run("ask a question")
    lab.expect_state("Waiting for you")
    lab.command("docmanager:open", path="right.md")
    expect(lab.panel.locator(".jp-Cabinet-header-document")).to_have_text("right.md")
    second = Lab(lab.page.context.new_page(), lab_server, screenshots=SCREENSHOTS)
    second.page.goto(f"{lab_server.url}lab/workspaces/two/tree/right.md")
    second.wait_ready()
    second.open_editor()
    lab.button("Start here").click()
    lab.run("wait for the file right-is-done")
    lab.expect_state("Running")
    second.expect_state("Running")  # without a click
    second.page.close()
    lab.path = "right.md"
    lab.reload()
    lab.expect_state("Running")
    lab.command("docmanager:open", path="left.md")
    lab.expect_state("Waiting for you")
    lab.expect_screen("(y/n)")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.press("y")
    lab.page.keyboard.press("Enter")
    lab.expect_state("Succeeded")
    (lab_server.root / "right-is-done").touch()
    lab.command("docmanager:open", path="right.md")
    lab.expect_state("Succeeded")


WATCH_LETTERS = """() => {
  window.seen = new Set();
  const look = () => {
    const screen = document.querySelector('.jp-Cabinet-editor .xterm-screen');
    const composer = document.querySelector('.jp-Cabinet-composer');
    if (screen?.offsetWidth) window.seen.add(`${screen.offsetWidth} wide, composer ${composer.offsetHeight} high`);
    requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.long(reason="starts JupyterLab for somebody who is new")
def test_the_first_screen_has_its_columns_and_its_letters_at_once_and_keeps_them(
    lab_server: Server, open_lab: Callable[..., Lab]
) -> None:
    (lab_server.root / "letters.md").write_text("# Letters\n")
    lab = open_lab(lab_server, "letters.md")
    lab.open_editor()
    told: list[dict[str, Any]] = []

    def follow(socket: WebSocket) -> None:
        socket.on("framesent", lambda data: told.append(json.loads(data)) if isinstance(data, str) else None)

    lab.page.on("websocket", follow)
    lab.page.evaluate(WATCH_LETTERS)
    with lab.page.expect_request(lambda request: request.url.split("?")[0].endswith("/runs")) as sent:
        lab.run("wait for the file letters\nask a question")
    lab.expect_state("Running")
    before = lab.composer.bounding_box()
    (lab_server.root / "letters").touch()
    lab.expect_state("Waiting for you")
    lab.page.set_viewport_size({"width": 1440, "height": 670})
    lab.page.wait_for_function("() => document.querySelector('.jp-Cabinet-editor').offsetHeight < 650")
    lab.expect_screen("(y/n)")
    lab.screenshot("waiting-670-high-light")
    widths = [frame["cols"] for frame in told if frame.get("type") in ("attach", "resize")]
    assert {json.loads(sent.value.post_data or "")["cols"]} == set(widths), told
    seen: list[str] = lab.page.evaluate("() => [...window.seen]")
    drawn = {int(line.split()[0]) for line in seen}
    assert max(drawn) - min(drawn) <= 2, seen  # elements, then WebGL, round differently
    assert len({line.split("composer ")[1] for line in seen}) == 1, seen
    after = lab.composer.bounding_box()
    assert before and after and before["height"] == after["height"]


@pytest.mark.long(reason="the store decides it and is tested with jest")
def test_an_unsent_instruction_survives_a_reload_and_a_sent_one_does_not(
    lab_server: Server, open_lab: Callable[..., Lab]
) -> None:
    for name in ("unsent.md", "sent.md"):
        (lab_server.root / name).write_text("# Draft\n")
    lab = open_lab(lab_server, "sent.md", fresh=True)
    lab.open_editor()
    lab.run("append: sent")
    lab.expect_state("Succeeded")
    lab.show("unsent.md")
    lab.write("append: not sent yet")
    lab.reload()
    lab.open_editor()
    expect(lab.composer).to_have_text("append: not sent yet")
    lab.show("sent.md")
    expect(lab.composer).not_to_contain_text("append")


@pytest.mark.long(reason="a mention without a blank is completed and sent in test_flow.py")
def test_a_file_with_a_blank_in_its_name_is_mentioned_and_its_content_is_sent(
    lab: Lab, lab_server: Server, go: Callable[[str], None]
) -> None:
    (lab_server.root / "reports").mkdir(exist_ok=True)
    (lab_server.root / "reports" / "quarterly figures (v2).md").write_text("blank content\n")
    go("blanks.md")
    lab.write("append: see @quarterly")
    expect(lab.page.locator(".cm-tooltip-autocomplete")).to_contain_text("quarterly figures (v2).md")
    lab.page.keyboard.press("Tab")
    expect(lab.composer).to_have_text(re.compile(r'append: see @"reports/quarterly figures \(v2\).md" ?$'))
    lab.page.keyboard.press("Shift+Enter")
    lab.expect_state("Succeeded")
    with lab_server.client("ada") as client:
        run = client.get("runs", params={"limit": 1}).json()["items"][0]
    assert "blank content" in (lab_server.root / ".cabinet/runs" / run["id"] / "prompt.md").read_text()
    assert run["warnings"] == []
    lab.write('append: see @"quarterly fi')
    expect(lab.page.locator(".cm-tooltip-autocomplete")).to_contain_text("quarterly figures (v2).md")
    lab.page.keyboard.press("Tab")
    expect(lab.composer).to_have_text(re.compile(r'append: see @"reports/quarterly figures \(v2\).md" ?$'))
    lab.composer.fill("")


@pytest.mark.long(reason="kills a server and starts it again")
def test_an_interrupted_run_says_why(lab: Lab, go: Callable[[str], None]) -> None:
    reason = "The server was restarted while it ran."

    def interrupted(route: Route) -> None:
        reply = route.fetch()
        body = reply.json()
        for run in body["runs"]:
            run.update(state="interrupted", reason=reason)
        route.fulfill(response=reply, json=body)

    go("interrupted.md")
    lab.run("append: x")
    lab.expect_state("Succeeded")
    fresh = lab.page.context.new_page()
    fresh.route(re.compile("/editor/sessions/[^/?]+([?]|$)"), interrupted)
    second = Lab(fresh, lab.server, screenshots=SCREENSHOTS)
    fresh.goto(f"{lab.server.url}lab/workspaces/interrupted/tree/interrupted.md")
    second.wait_ready()
    second.open_editor()
    second.expect_state("Interrupted")
    expect(second.panel.locator(".jp-Cabinet-card")).to_contain_text(reason)
    second.screenshot("interrupted-light")
    fresh.close()


@pytest.mark.long(reason="many ways to the same place")
def test_the_focus_stays_where_work_goes_on(lab: Lab, go: Callable[[str], None]) -> None:
    go("focus.md")
    lab.page.locator(".jp-FileEditor .cm-content:visible").click()
    lab.page.keyboard.press("Control+a")
    offered = lab.panel.get_by_role("button", name=re.compile("^Add Selection, .* to the prompt"))
    offered.click()
    expect(lab.composer).to_be_focused()
    lab.panel.get_by_role("button", name=re.compile("^Remove Selection")).click()
    expect(lab.composer).to_be_focused()
    lab.page.keyboard.type("sleep 60")
    lab.button("Run").click()
    lab.expect_state("Running")
    expect(lab.composer).to_be_focused()
    lab.button("Stop").click()
    expect(lab.composer).to_be_focused()
    lab.expect_state("Cancelled")


@pytest.mark.long(reason="waits for an agent in a terminal; test_keyboard.py walks too")
def test_a_terminal_is_entered_by_enter_or_a_click_and_never_by_walking(lab: Lab, go: Callable[[str], None]) -> None:
    go("walk.md")
    lab.run("append: walked")
    lab.expect_state("Succeeded")
    lab.expect_screen("I changed")
    lab.composer.click()
    inside = "() => document.activeElement.matches('.xterm-helper-textarea')"
    for _ in range(12):
        lab.page.keyboard.press("Shift+Tab")
        assert not lab.page.evaluate(inside)
    lab.panel.locator(".xterm-viewport").focus()
    lab.page.keyboard.press("Enter")
    assert lab.page.evaluate(inside)
    lab.page.keyboard.press("Escape")
    lab.page.keyboard.press("Escape")
    line = lab.panel.locator(".jp-Cabinet-run-state")
    expect(line).to_be_focused()
    expect(line).to_contain_text("The keyboard has left the terminal")
    lab.screenshot("left-terminal-light")
    lab.panel.locator(".xterm-screen").click()
    expect(line).not_to_contain_text("The keyboard has left the terminal")


@pytest.mark.long(reason="what a terminal shows is tested with jest, but for this detail")
def test_a_terminal_shows_the_end_of_its_output_when_a_question_is_answered(
    lab: Lab, lab_server: Server, go: Callable[[str], None]
) -> None:
    (lab_server.root / "long.md").write_text("# Long\n\n" + "a line\n" * 60)
    go("ends.md")
    lab.choose_mode("Ask first")
    lab.run("append: asked @long.md ")
    hidden = "e => e.scrollHeight - e.scrollTop - e.clientHeight"
    viewport = lab.panel.locator(".xterm-viewport")
    lab.button("Allow once").click()  # the question is gone, the terminal grows
    lab.expect_state("Succeeded")
    lab.expect_screen("I changed")
    until(lambda: viewport.evaluate(hidden) == 0, what="the end of the output")
    lab.panel.locator(".xterm-screen").hover()
    lab.page.mouse.wheel(0, -300)
    until(lambda: viewport.evaluate(hidden) > 0, what="earlier output")
    lab.page.set_viewport_size({"width": 1440, "height": 700})
    lab.page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert viewport.evaluate(hidden) > 0
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.choose_mode(DEFAULT_MODE)


@pytest.mark.long(reason="waits for answers that are delayed on purpose")
def test_what_takes_long_says_sending_and_what_waits_says_so_over_the_document(
    lab: Lab, go: Callable[[str], None]
) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    go("slow.md")
    lab.page.route(re.compile(r"/cabinet/api/runs(\?|$)"), hold)
    lab.run("ask a question")
    expect(lab.button("Sending")).to_be_disabled()
    lab.page.unroute(re.compile(r"/cabinet/api/runs(\?|$)"))
    for route in held:
        route.continue_()
    lab.expect_state("Waiting for you")
    expect(lab.button("Queue")).to_be_visible()
    strip = lab.page.locator(".jp-Cabinet-document-strip:visible")
    expect(strip).to_contain_text("Demo agent is waiting for you.")
    # alone with one's own terminal nothing is said of control
    expect(lab.panel).to_contain_text("Type your answer in the terminal.")
    expect(lab.panel).not_to_contain_text("control")
    expect(lab.panel.locator(".jp-Cabinet-spoken")).not_to_have_text(re.compile("answered"))


@pytest.mark.long(reason="starts JupyterLab again; the rules are in connection.spec.ts and offline.spec.ts")
def test_offline_is_one_strip(lab: Lab, go: Callable[[str], None]) -> None:
    go("offline.md")
    lab.run("ask a question")
    lab.expect_state("Waiting for you")
    lab.expect_screen("(y/n)")
    wire: Wire = lab.wire  # type: ignore[attr-defined]
    wire.cut()
    expect(lab.panel).to_contain_text("Not connected. Showing the state as of")
    expect(lab.panel.get_by_role("button", name="Try now")).to_have_count(1)
    clock = lab.panel.locator(".jp-Cabinet-run-second").first
    before = clock.inner_text()
    lab.page.wait_for_function("start => Date.now() > start + 2_100", arg=lab.page.evaluate("Date.now()"))
    assert clock.inner_text() == before  # the run's clock stands still: nobody knows whether it continues
    expect(lab.panel).not_to_contain_text("Runs go on")
    expect(lab.panel.locator(".jp-Cabinet-strip").filter(has_text="Connection lost")).to_have_count(0)
    lab.screenshot("offline-terminal-light")
    wire.mend(lab.button("Try now"))
    expect(lab.panel).not_to_contain_text("Not connected")
    lab.panel.locator(".xterm-screen").click()
    lab.page.keyboard.press("y")
    lab.page.keyboard.press("Enter")
    lab.expect_state("Succeeded")
    expect(lab.panel.locator(".jp-Cabinet-spoken")).not_to_have_text(re.compile("closed"))


@pytest.mark.long(reason="a width")
@pytest.mark.parametrize(
    ("width", "height"),
    [
        pytest.param(1440, 670, marks=pytest.mark.long(reason="the smallest window is tried in the quick tier")),
        pytest.param(670, 900, marks=pytest.mark.long(reason="the smallest window is tried in the quick tier")),
        (390, 844),
    ],
)
def test_a_waiting_question_is_read_and_answered_in_a_small_window(
    lab: Lab, go: Callable[[str], None], width: int, height: int
) -> None:
    go(f"small-{width}.md")
    lab.choose_mode("Ask first")
    lab.run("append: in a small window")
    lab.expect_state("Waiting for you")
    expect(lab.button("Allow once")).to_be_visible()
    lab.page.set_viewport_size({"width": width, "height": height})
    lab.page.wait_for_function(
        "width => document.querySelector('.jp-Cabinet-editor').getBoundingClientRect().right <= width", arg=width
    )
    expect(lab.panel).to_contain_text("Answer above, or type in the terminal.")
    for seen in (lab.panel.get_by_text("Demo agent asks to edit a file"), lab.button("Allow once"), lab.button("Deny")):
        expect(seen).to_be_in_viewport(ratio=1)
    lab.screenshot(f"waiting-{width}-light")
    lab.button("Allow once").click()
    lab.expect_state("Succeeded")
    lab.page.set_viewport_size({"width": 1440, "height": 900})
    lab.choose_mode(DEFAULT_MODE)


@pytest.mark.long(reason="denials are shown by test_approvals in the quick tier")
def test_what_was_denied_is_called_so(lab: Lab, go: Callable[[str], None]) -> None:
    go("denied.md")
    lab.choose_mode("Ask first")
    lab.run("append: never")
    lab.expect_state("Waiting for you")
    expect(lab.button("Deny")).to_have_attribute("aria-disabled", "false")
    lab.button("Deny").click()
    expect(lab.panel.locator(".jp-Cabinet-approval")).to_have_count(0)
    lab.expect_state("Denied")
    lab.panel.get_by_role("tab", name="Events").click()
    call = lab.panel.locator(".jp-Cabinet-fold-head").filter(has_text="Edit")
    expect(call).to_contain_text("denied")
    expect(lab.panel).not_to_contain_text("failed")
    lab.panel.get_by_role("tab", name="Terminal").click()
    lab.choose_mode(DEFAULT_MODE)
