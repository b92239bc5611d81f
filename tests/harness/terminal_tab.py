"""A person at one shared terminal in a tab of JupyterLab: types, asks, gives, looks."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, expect

from .lab import Lab


class TerminalTab:
    """The shared terminal that is in front."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.page = lab.page
        self.id = ""

    @classmethod
    def new(cls, lab: Lab) -> TerminalTab:
        """Opened by the command of launcher, palette and menu."""
        lab.command("cabinet:new-terminal")
        return cls(lab).ready()

    @classmethod
    def open(cls, lab: Lab, id: str) -> TerminalTab:
        lab.command("cabinet:open-terminal", id=id)
        return cls(lab).ready()

    def ready(self) -> TerminalTab:
        """It is there, also when JupyterLab is still on its way."""
        expect(self.bar).to_be_visible(timeout=30_000)
        expect(self.tab.locator(".xterm-screen")).to_be_visible()
        self.id = self.page.evaluate("() => window.jupyterapp.shell.currentWidget.id.replace(/^cabinet-terminal-/, '')")
        return self

    @property
    def tab(self) -> Locator:
        return self.page.locator(
            ".jp-MainAreaWidget:not(.lm-mod-hidden)", has=self.page.locator(".jp-Cabinet-terminal")
        )

    @property
    def bar(self) -> Locator:
        return self.tab.get_by_role("toolbar", name="Terminal controls")

    def button(self, name: str | re.Pattern[str]) -> Locator:
        return self.tab.get_by_role("button", name=name, exact=isinstance(name, str))

    @property
    def spoken(self) -> Locator:
        """What was said last to those who listen."""
        return self.tab.locator(".jp-Cabinet-spoken")

    @property
    def strips(self) -> Locator:
        return self.tab.locator(".jp-Cabinet-strip")

    def focus(self) -> None:
        self.tab.locator(".xterm-screen").click()

    def type(self, text: str) -> None:
        """With the keyboard, Enter at the end."""
        self.focus()
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def shows(self, text: str, *, seconds: float = 30) -> None:
        self.lab.expect_screen(text, seconds=seconds)

    @property
    def text(self) -> str:
        return self.lab.screen

    def controlled_by(self, words: str) -> None:
        expect(self.bar.get_by_role("status", name=words, exact=True)).to_be_visible()

    def takes_control_back(self) -> None:
        """It is kept for ten seconds; a slow machine may need longer."""
        expect(self.bar.get_by_role("status", name=re.compile("^(You control|Nobody controls)$"))).to_be_visible()
        free = self.button("Take control").first
        if free.is_visible():
            free.click()
        self.controlled_by("You control")

    def says(self, words: str | re.Pattern[str], *, seconds: float = 20) -> None:
        expect(self.strips.filter(has_text=words).first).to_be_visible(timeout=seconds * 1000)

    def says_not(self, words: str | re.Pattern[str]) -> None:
        expect(self.strips.filter(has_text=words)).to_have_count(0)

    def tab_close(self) -> None:
        """Close the tab, not the terminal."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.close()")

    def start_agent(self, instruction: str) -> None:
        """The demo agent, as Ada's."""
        with self.lab.server.client("ada") as client:
            body = {"runtime": "demo", "instruction": instruction, "permission_mode": "edit"}
            reply = client.post(f"terminals/{self.id}/agent", json=body)
        assert reply.status_code == 201, reply.text
