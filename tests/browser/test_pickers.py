"""What an instruction runs with, chosen below it: only what the found runtimes really offer, remembered per person."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import looks, stranger
from harness.lab import Lab
from harness.server import LabServer, Server
from playwright.sync_api import Locator, Route, expect

OpenLab = Callable[..., Lab]
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo agent, a runtime that only edits, and one that cannot be in a terminal."""
    place = tmp_path_factory.mktemp("pickers")
    stranger.install(place / "packages")
    enabled = [f"--CabinetApp.runtimes={name}" for name in (stranger.NAME, stranger.WHISPERER)]
    server = LabServer(
        place,
        people=True,
        arguments=("--CabinetApp.trust=always", "--CabinetApp.default_runtime=demo", *enabled),
        environment={"PYTHONPATH": f"{TESTS}:{place / 'packages'}"},
    )
    (server.root / "notes.md").write_text("# Notes\n")
    stranger.write(server.root, "something")
    server.start()
    yield server
    server.stop()


@pytest.fixture
def lab(server: Server, open_lab: OpenLab) -> Lab:
    lab = open_lab(server, "notes.md")
    lab.open_editor()
    return lab


def picker(lab: Lab, name: str) -> Locator:
    return lab.panel.get_by_role("combobox", name=name)


def offers(lab: Lab, name: str, *labels: str) -> None:
    expect(picker(lab, name).locator("option")).to_have_text(labels)


@pytest.mark.long(reason="the choices are tested with jest")
def test_the_pickers_offer_what_the_runtime_can_do_and_remember_models_for_each(lab: Lab) -> None:
    expect(picker(lab, "Runtime")).to_have_value("demo")
    offers(lab, "Runtime", "Stranger & Sons", "Whisperer", "Demo agent", "More…")
    offers(lab, "Permission mode", "Ask first", "Edit files")  # no questions: not on this server
    picker(lab, "Runtime").select_option(label="Whisperer")
    offers(lab, "Model", "Default model", "small", "large", "Other…")
    picker(lab, "Model").select_option(label="large")
    picker(lab, "Runtime").select_option(label="Stranger & Sons")
    expect(picker(lab, "Model")).to_have_value("")
    picker(lab, "Model").select_option(label="Other…")
    lab.page.locator(".jp-Dialog-content input").fill("their-own")
    lab.page.get_by_role("button", name="Use this model").click()
    expect(picker(lab, "Model")).to_have_value("their-own")
    picker(lab, "Runtime").select_option(label="Whisperer")
    expect(picker(lab, "Model")).to_have_value("large")
    picker(lab, "Runtime").select_option(label="Demo agent")


@pytest.mark.long(reason="the choice is made by a store that is tested with jest")
def test_a_mode_that_is_not_offered_is_said_with_what_is_taken_instead(lab: Lab) -> None:
    picker(lab, "Runtime").select_option(label="Demo agent")
    lab.choose_mode("Ask first")
    picker(lab, "Runtime").select_option(label="Stranger & Sons")
    expect(lab.panel).to_contain_text("Stranger & Sons 1.0 does not offer “Ask first”. “Edit files” is used.")
    offers(lab, "Permission mode", "Edit files")
    found = looks.show(lab, "pickers")
    picker(lab, "Runtime").select_option(label="Demo agent")
    expect(picker(lab, "Permission mode")).to_have_value("ask")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="starts a server of its own")
def test_a_runtime_without_a_terminal_shows_its_events(lab: Lab) -> None:
    picker(lab, "Runtime").select_option(label="Whisperer")
    lab.run("say something")
    lab.expect_state("Succeeded")
    expect(lab.panel.get_by_role("tab")).to_have_text(["Events"])


def test_more_leads_to_the_runtimes(team: Server, open_lab: OpenLab) -> None:
    lab = open_lab(team, "notes.md")
    lab.open_editor()
    before = picker(lab, "Runtime").input_value()
    picker(lab, "Runtime").select_option(label="More…")
    expect(lab.page.locator(".jp-Cabinet-runtimes")).to_contain_text("Demo agent")
    expect(picker(lab, "Runtime")).to_have_value(before)


@pytest.mark.long(reason="one more run and a changed answer of the server")
def test_a_runtime_that_is_not_logged_in_is_named_below_the_field(lab: Lab) -> None:
    def log_out(route: Route) -> None:
        reply = route.fetch()
        items = [{**row, "login": "no", "login_hint": "Log in first."} for row in reply.json()["items"]]
        route.fulfill(response=reply, json={"items": items})

    picker(lab, "Runtime").select_option(label="Demo agent")
    lab.run("append: a line")
    lab.expect_state("Succeeded")
    notes = lab.panel.locator(".jp-Cabinet-picker-notes")
    expect(notes).to_have_count(0)
    lab.page.route("**/cabinet/api/runtimes*", log_out)
    lab.command("cabinet:check-runtimes")
    expect(notes).to_have_text("Demo agent is not logged in. Log in first.")
    lab.page.unroute("**/cabinet/api/runtimes*")
