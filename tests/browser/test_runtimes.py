"""The section of agent runtimes in JupyterLab's settings: what was found, what is missing, a test prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from harness import looks, stranger
from harness.lab import Lab
from harness.server import LabServer, Server, until
from playwright.sync_api import Locator, expect

OpenLab = Callable[..., Lab]
TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo agent, a runtime of another package that is on, and one that is off."""
    place = tmp_path_factory.mktemp("runtimes")
    stranger.install(place / "packages")
    server = LabServer(
        place,
        people=True,
        arguments=("--CabinetApp.trust=always", f"--CabinetApp.runtimes={stranger.NAME}"),
        environment={"PYTHONPATH": f"{TESTS}:{place / 'packages'}"},
    )
    (server.root / "notes.md").write_text("# Notes\n")
    server.start()
    yield server
    server.stop()


def section(lab: Lab) -> Locator:
    lab.command("cabinet:runtimes")
    found = lab.page.locator(".jp-Cabinet-runtimes")
    expect(found).to_contain_text("Demo agent")
    return found


def runtime(place: Locator, name: str) -> Locator:
    return place.locator(f"[data-runtime={name}]")


def settings(server: Server) -> str:
    file = server.place / "settings" / "jupyter-cabinet" / "plugin.jupyterlab-settings"
    return file.read_text() if file.exists() else ""


@pytest.mark.long(reason="what it lists is tested without a browser")
def test_each_runtime_tells_what_it_is_and_how_to_get_it(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "notes.md")
    place = section(lab)
    demo = runtime(place, "demo")
    size = lab.page.get_by_role("spinbutton", name="Terminal font size", exact=True)
    expect(size).to_have_value("12")
    assert size.bounding_box()["y"] < place.bounding_box()["y"]  # type: ignore[index]  # what can be set comes first
    size.fill("13")
    until(lambda: "13" in settings(server), what="the font size to be kept")
    expect(demo).to_contain_text("works in the background, works in a terminal, resumes earlier sessions, reports when")
    expect(demo).to_contain_text("Ask first, Edit files")
    found = looks.show(lab, "runtimes")
    lab.page.set_viewport_size({"width": 1440, "height": 1300})
    missing = runtime(place, "claude")
    expect(missing).to_be_hidden()
    place.get_by_text("How to install").click()
    expect(missing).to_contain_text("npm install -g @anthropic-ai/claude-code")
    expect(missing.get_by_role("button", name="Copy the command for Claude Code")).to_be_visible()
    expect(runtime(place, stranger.WHISPERER)).to_contain_text("is off. Enable it by name")
    found += looks.show(lab, "runtimes-missing")
    found += looks.wrong_by_tab(lab.page, ".jp-Cabinet-runtimes", ".jp-Cabinet-runtimes-head button")
    place.get_by_role("button", name="Check again").click()
    expect(place.get_by_role("button", name="Check again")).to_be_enabled()
    assert not found, looks.listed(found)


@pytest.mark.long(reason="the prompt and its answer are tested without a browser")
def test_a_test_prompt_tells_the_answer_or_why_there_is_none(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "notes.md")
    place = section(lab)
    demo = runtime(place, "demo")
    demo.get_by_role("button", name="Send a test prompt").click()
    expect(demo).to_contain_text("Answered: ", timeout=20_000)
    broken = runtime(place, stranger.NAME)
    broken.get_by_role("button", name="Send a test prompt").click()
    expect(broken.get_by_role("button", name="Open run")).to_be_visible(timeout=20_000)
    found = looks.show(lab, "runtimes-tested")
    broken.get_by_role("button", name="Open run").click()
    expect(lab.page.locator(".jp-Dialog-content")).to_contain_text("Output")
    lab.page.keyboard.press("Escape")
    assert not found, looks.listed(found)


@pytest.mark.long(reason="starts JupyterLab for one more person")
def test_who_may_not_run_agents_reads_only(server: Server, open_lab: OpenLab) -> None:
    lab = open_lab(server, "notes.md", username="rea")
    expect(section(lab).get_by_role("button", name="Send a test prompt")).to_have_count(0)
