"""A window of 390 px: nothing of ours is out of reach, and no line separates nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.lab import Lab
from harness.server import Server
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.long(reason="appearance in another width")
OpenLab = Callable[..., Lab]
NARROW, WIDE = {"width": 390, "height": 844}, {"width": 1440, "height": 900}


@pytest.fixture
def lab(lab_server: Server, open_lab: OpenLab) -> Lab:
    (lab_server.root / "narrow.md").write_text("# Narrow\n")
    return open_lab(lab_server, "narrow.md", fresh=True)


def test_the_page_of_our_settings_can_be_scrolled_to_its_right_edge(lab: Lab) -> None:
    lab.page.set_viewport_size(NARROW)
    lab.page.evaluate("() => { jupyterapp.shell.collapseLeft(); jupyterapp.shell.collapseRight(); }")
    lab.command("settingeditor:open", query="Cabinet")
    expect(lab.page.locator(".jp-SettingsPanel .jp-Cabinet-runtimes")).to_be_visible()
    panel = lab.page.locator(".jp-SettingsPanel")
    box = panel.bounding_box()
    assert box is not None and box["x"] + box["width"] <= NARROW["width"]
    assert panel.evaluate("panel => { panel.scrollLeft = 9999; return panel.scrollLeft > 0; }")


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_the_line_before_an_agents_state_is_only_drawn_beside_its_name(
    lab: Lab, lab_server: Server, width: dict[str, int]
) -> None:
    with lab_server.browser_client("ada") as client:
        body = {"slug": "narrow", "template": "research", "fields": {"name": "Narrow", "heartbeat": "0 8 * * *"}}
        client.post("agents", json=body).raise_for_status()
        try:
            lab.page.set_viewport_size(width)
            lab.command("cabinet:open-agent", agent="narrow")
            head = lab.page.locator(".jp-Cabinet-page-head")
            emoji, name, state = (
                head.locator(each)
                for each in (".jp-Cabinet-agent-emoji", ".jp-Cabinet-agent-who", ".jp-Cabinet-page-state")
            )
            expect(state).to_contain_text("Idle")
            edge, *boxes = (each.bounding_box() for each in (head, emoji, name, state))
            assert edge and all(boxes)
            mark, who, now = (box for box in boxes if box)
            assert abs((mark["y"] + mark["height"] / 2) - (who["y"] + who["height"] / 2)) < 4  # in one line
            line = now["x"] + state.evaluate("state => parseFloat(getComputedStyle(state, '::before').left)")
            is_beside = now["y"] < who["y"] + who["height"]
            assert is_beside == (width is WIDE)
            assert (line > who["x"]) if is_beside else (line < edge["x"])
            assert head.evaluate("head => getComputedStyle(head).overflowX") == "clip"
        finally:
            client.delete("agents/narrow")


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_an_open_row_of_the_activity_list_shows_the_whole_instruction(
    lab: Lab, lab_server: Server, width: dict[str, int]
) -> None:
    instruction = "say: " + "a long instruction " * 20
    with lab_server.client("ada") as client:
        body = {"kind": "manual", "runtime": "demo", "instruction": instruction}
        client.post("runs", json=body).raise_for_status()
    lab.page.set_viewport_size(width)
    lab.page.evaluate("() => { jupyterapp.shell.collapseLeft(); jupyterapp.shell.collapseRight(); }")
    lab.command("cabinet:activity")
    row = lab.page.locator(".jp-Cabinet-activity-head", has_text="a long instruction").first
    title = row.locator(".jp-Cabinet-activity-title")
    is_cut = "title => title.scrollWidth > title.clientWidth"
    assert title.evaluate(is_cut)
    row.click()
    expect(row).to_have_attribute("aria-expanded", "true")
    assert not title.evaluate(is_cut)
    assert title.evaluate("title => title.clientHeight > 30")  # more than one line


def test_the_ai_editor_gives_way_to_the_document_and_to_the_files_that_a_person_opens(lab: Lab) -> None:
    lab.page.set_viewport_size(NARROW)
    lab.page.evaluate("() => { jupyterapp.shell.collapseLeft(); jupyterapp.shell.collapseRight(); }")
    document = lab.page.locator(".jp-FileEditor")
    files = lab.page.locator("#filebrowser")

    def expect_wide(shown: Locator) -> None:
        expect(lab.panel).to_be_hidden()
        expect(shown).to_be_visible()
        box = shown.bounding_box()
        assert box and box["width"] > 200 and box["x"] + box["width"] <= NARROW["width"]

    lab.open_editor()
    lab.page.keyboard.press("Escape")  # back to the document
    expect_wide(document)
    lab.open_editor()
    lab.command("filebrowser:activate")
    expect_wide(files)
    lab.open_editor()
    expect(files).to_be_hidden()
    expect(lab.panel).to_be_visible()


def test_the_budget_of_an_agent_stays_inside_its_card(lab: Lab, lab_server: Server) -> None:
    with lab_server.browser_client("ada") as client:
        body = {"slug": "thin", "template": "research", "fields": {"name": "Thin", "heartbeat": "0 8 * * *"}}
        client.post("agents", json=body).raise_for_status()
        try:
            lab.page.set_viewport_size({"width": 340, "height": 844})
            lab.command("cabinet:agents")
            bars = lab.page.locator(".jp-Cabinet-agent-bars").first
            expect(bars).to_contain_text("heartbeats")
            assert bars.evaluate("bars => bars.scrollWidth <= bars.clientWidth")
        finally:
            client.delete("agents/thin")
