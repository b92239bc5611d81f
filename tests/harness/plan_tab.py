"""A person at the tab *Plans*, by mouse or by keyboard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from playwright.sync_api import Locator, expect

from .lab import Lab

TO_THE_END = 40_000  # milliseconds in which a plan of few steps ends
MOST_TABS = 80  # between two controls of the tab


class StepText(NamedTuple):
    """What a person writes into the form of a step."""

    title: str
    instruction: str = ""
    after: Sequence[str] = ()
    verify: Sequence[str] = ()
    command: Sequence[str] = ()
    folder: str = ""
    retries: int = 0


class PlanTab:
    """The tab, which shows one plan at a time."""

    def __init__(self, lab: Lab) -> None:
        lab.command("cabinet:plans")
        self.lab = lab
        self.tab = lab.page.locator(".jp-Cabinet-plans")
        expect(self.tab).to_be_visible()
        self.page = self.tab.get_by_role("region", name="Plan", exact=True)
        self.step = self.tab.get_by_role("region", name="Step", exact=True)
        self.steps = self.page.get_by_role("list", name="Steps", exact=True).get_by_role("listitem")
        self.graph = self.page.get_by_label("Graph of the steps")
        self.proposals = self.page.get_by_role("region", name="Proposals")
        self.rows = self.tab.get_by_role("region", name="Plans").get_by_role("listitem")

    # --- what is there ---------------------------------------------------------------------

    def button(self, name: str) -> Locator:
        """A button of the plan as a whole."""
        return self.page.locator("header").get_by_role("button", name=name, exact=True)

    def step_button(self, name: str) -> Locator:
        """A button of the step that is shown."""
        return self.step.get_by_role("button", name=name, exact=True)

    def form(self, name: str) -> Locator:
        return self.lab.page.get_by_role("dialog", name=name, exact=True)

    def row(self, title: str) -> Locator:
        """The line of a plan in the list."""
        return self.rows.filter(has_text=title)

    def says(self, text: str | re.Pattern[str]) -> None:
        expect(self.page).to_contain_text(text, timeout=TO_THE_END)

    def step_row(self, title: str) -> Locator:
        """The line of a step."""
        name = self.lab.page.locator(".jp-Cabinet-pane-title").get_by_text(title, exact=True)
        return self.steps.filter(has=name)

    def step_is(self, title: str, state: str) -> None:
        """Wait until a step is in this state, in the list and in the graph."""
        expect(self.step_row(title)).to_have_attribute("data-state", state, timeout=TO_THE_END)
        self.graph_agrees(state, f"[title='{title}']")

    def graph_agrees(self, state: str, which: str = "") -> None:
        """Wait until all nodes that are drawn are in this state: those in sight. `which`: a selector."""
        nodes = self.graph.locator(f".jp-Cabinet-plan-node{which}")
        expect(nodes.and_(self.lab.page.locator(f":not([data-state='{state}'])"))).to_have_count(0)

    # --- by mouse --------------------------------------------------------------------------

    def create(self, title: str, *, description: str = "", evaluation: str = "Off") -> None:
        """Create a plan for the demo agent, and show it."""
        self.tab.get_by_role("button", name="New plan").first.click()
        form = self.form("New plan")
        form.get_by_label("Title").fill(title)
        form.get_by_label("Description").fill(description)
        form.get_by_label("Agent or runtime").select_option(label="Demo agent")
        form.get_by_label("Evaluation").select_option(label=evaluation)
        form.get_by_role("button", name="Create plan").click()
        expect(form).to_have_count(0)
        expect(self.page.get_by_role("heading", name=title)).to_be_visible()

    def add(self, *steps: StepText) -> None:
        """Add steps by their form."""
        for step in steps:
            before = self.steps.count()
            self.page.get_by_role("button", name="Add a step").click()
            form = self.form("New step")
            form.get_by_label("Title").fill(step.title)
            form.get_by_label("Instruction").fill(step.instruction)
            for title in step.after:
                form.get_by_role("checkbox", name=title, exact=True).check()
            form.get_by_label("Verify command").fill("\n".join(step.verify))
            form.get_by_text("More", exact=True).click()
            form.get_by_label("Command", exact=True).fill("\n".join(step.command))
            form.get_by_label("Folder").fill(step.folder)
            form.get_by_label("Retries").select_option(str(step.retries))
            form.get_by_role("button", name="Add step").click()
            expect(form).to_have_count(0)
            expect(self.steps).to_have_count(before + 1)

    def show(self, title: str) -> None:
        """Open the page of a step."""
        self.step_row(title).get_by_role("button").first.click()
        expect(self.step.get_by_role("heading", name=title, exact=True)).to_be_visible()

    def settings(self) -> Locator:
        """Open the form of the plan's settings."""
        self.button("Settings…").click()
        return self.form("Settings of the plan")

    def confirm(self, name: str) -> None:
        """Press this button of JupyterLab's dialog."""
        self.lab.page.locator(".jp-Dialog").get_by_role("button", name=name, exact=True).click()

    def export(self) -> str:
        """Download the plan, and return the text of the file."""
        with self.lab.page.expect_download() as download:
            self.button("Export").click()
        return download.value.path().read_text()

    # --- by keyboard -----------------------------------------------------------------------

    def press(self, *keys: str) -> None:
        for key in keys:
            self.lab.page.keyboard.press(key)

    def tab_to(self, control: Locator, *, key: str = "Tab") -> None:
        """Press Tab until this control has the focus."""
        for _ in range(MOST_TABS):
            if control.evaluate("node => node === document.activeElement"):
                return
            self.press(key)
        expect(control).to_be_focused()
