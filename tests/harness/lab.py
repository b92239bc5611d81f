"""A person at JupyterLab in a real browser: opens documents, writes instructions, looks at the panel."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import quote

from playwright.sync_api import Error, Locator, Page, expect

from .server import Server, until

READY_MILLISECONDS = 60_000
expect.set_options(timeout=20_000)  # Playwright's own 5 s are too few on a busy machine
# What JupyterLab itself says, with us or without us.
NOT_OURS = re.compile(r"ResizeObserver loop|favicon|Download the React DevTools")
# Errors of JupyterLab's libraries just after a tab was closed: a debouncer that is still used (@lumino/polling), and a
# terminal that draws once more (xterm.js 5.5).
CLOSED = re.compile(r"of null \(reading 'promise'\)")
XTERM = re.compile(r"of undefined \(reading 'dimensions'\)")  # our terminals use xterm.js, too
# jupyter-collaboration reads a saved document again, by a name that a colleague has just changed.
RENAMED = re.compile(r"404 Not Found(?s:.*)@jupyter/docprovider-extension")
DEFAULT_MODE = "Edit files"
OURS = "extensions/jupyter-cabinet/"


class Lab:
    """One tab. `errors`: what the page threw."""

    opened: ClassVar[list[Lab]] = []

    def __init__(self, page: Page, server: Server, *, screenshots: Path) -> None:
        self.page = page
        self.server = server
        self.errors: list[str] = []
        self.foreign_requests: list[str] = []
        self.mode_changed = False
        self._dismisses_lost = False
        self._screenshots = screenshots
        page.on("pageerror", self._note)
        page.on("request", lambda request: self._look_at(request.url))
        Lab.opened.append(self)

    def _note(self, error: Error) -> None:
        words, stack = str(error), error.stack or ""
        if NOT_OURS.search(words) or XTERM.search(words):
            return
        if OURS in stack or not (CLOSED.search(words) or RENAMED.search(f"{words}\n{stack}")):
            self.errors.append(f"{words}\n{stack}")

    def _look_at(self, url: str) -> None:
        if not url.startswith((self.server.origin, "data:", "blob:")):
            self.foreign_requests.append(url)

    # --- JupyterLab ------------------------------------------------------------------------

    def open(self, path: str, *, username: str = "ada", theme: str = "light", workspace: str = "") -> None:
        """`workspace`: for a page that stays open beside others, which would else write over its layout."""
        self.path = path
        self.write_settings(theme)
        token = self.server.token(username)
        self._address = f"{self.server.url}lab" + (f"/workspaces/{workspace}" if workspace else "")
        self._layouts = f"{workspace}-*" if workspace else "*"
        url = f"{self._address}/tree/{quote(path)}?token={token}&reset"
        self.page.goto(url, wait_until="domcontentloaded")
        self.wait_ready()

    def show(self, path: str) -> None:
        """Open a document in this page, as by a double click in the list of files."""
        self.path = path
        self.command("docmanager:open", path=path)
        self.wait_ready()

    def save_kernel_metadata(self) -> None:
        """Wait until the kernel has written its metadata into a new notebook, and save it.

        Otherwise the notebook becomes unsaved at some time, and *Run* asks whether to save it.
        """
        context = "window.jupyterapp.shell.currentWidget.context"
        self.page.wait_for_function(
            f"() => {context}.sessionContext.session?.kernel?.status === 'idle'"
            f" && {context}.model.getMetadata('language_info') !== undefined",
            timeout=READY_MILLISECONDS,
        )
        self.command("docmanager:save")
        self.page.wait_for_function(f"() => !{context}.model.dirty")

    def write_settings(self, theme: str = "light") -> None:
        folder = self.server.place / "settings" / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "notification.jupyterlab-settings").write_text(json.dumps({"fetchNews": "false"}))
        name = "JupyterLab Dark" if theme == "dark" else "JupyterLab Light"
        (folder / "themes.jupyterlab-settings").write_text(json.dumps({"theme": name}))

    def wait_ready(self) -> None:
        """The document is drawn and our commands are there."""
        self.wait_started()
        self.page.wait_for_selector(".jp-Document:not(.lm-mod-hidden)", timeout=READY_MILLISECONDS)

    def wait_started(self) -> None:
        """JupyterLab stands, with our commands."""
        self.page.wait_for_function(
            "() => window.jupyterapp?.commands.hasCommand('cabinet:open-editor')"
            " && !document.querySelector('#jupyterlab-splash')",
            timeout=READY_MILLISECONDS,
        )

    def command(self, name: str, **arguments: Any) -> Any:
        """Run it as soon as it is there: many come after the start."""
        self.page.wait_for_function("name => window.jupyterapp.commands.hasCommand(name)", arg=name)
        return self.page.evaluate(
            "async ([name, args]) => { const r = await window.jupyterapp.commands.execute(name, args);"
            " return typeof r === 'string' ? r : null; }",
            [name, arguments],
        )

    def reload(self, *kept: str) -> None:
        """Once JupyterLab has kept its layout, which it does about a second after a change. `kept`: what the layout
        names by then; without it the document is waited for, before and after."""
        names = kept or (self.path, "cabinet")
        workspaces = self.server.place / "workspaces"
        until(
            lambda: any(all(name in file.read_text() for name in names) for file in workspaces.glob(self._layouts)),
            what="the layout to be kept",
        )
        self.page.goto(self._address, wait_until="domcontentloaded")
        self.wait_started() if kept else self.wait_ready()

    def beside(self) -> Lab:
        """Open the document in a second tab of the same browser."""
        other = Lab(self.page.context.new_page(), self.server, screenshots=self._screenshots)
        other.path, other._address, other._layouts = self.path, self._address, self._layouts
        other.page.goto(f"{self.server.url}lab/tree/{quote(self.path)}", wait_until="domcontentloaded")
        other.wait_ready()
        return other

    @property
    def document_text(self) -> str:
        """The text of the current document's model, saved or not."""
        text: str = self.page.evaluate(
            "() => { const w = window.jupyterapp.shell.currentWidget; const c = w.context ?? w.content?.context;"
            " return c.model.toString(); }"
        )
        return text

    def expect_document(self, *parts: str, seconds: float = 30) -> None:
        """Wait until the open document shows this text."""
        self.page.wait_for_function(
            "(parts) => { const w = window.jupyterapp.shell.currentWidget; const text = w.context.model.toString();"
            " return parts.every(part => text.includes(part)); }",
            arg=list(parts),
            timeout=seconds * 1000,
        )

    @contextmanager
    def offline(self) -> Iterator[None]:
        """The server cannot be reached. What JupyterLab itself says of that, at its next poll, perhaps after the end,
        is dismissed."""

        def dismissed(dialog: Locator) -> None:
            dialog.get_by_role("button").last.click()

        if not self._dismisses_lost:
            self._dismisses_lost = True
            lost = self.page.locator(".jp-Dialog", has_text="Server Connection Error")
            self.page.add_locator_handler(lost, dismissed)
        self.page.context.set_offline(True)
        try:
            yield
        finally:
            self.page.context.set_offline(False)

    def screenshot(self, name: str) -> None:
        self._screenshots.mkdir(parents=True, exist_ok=True)
        self.page.screenshot(path=self._screenshots / f"{name}.png", animations="disabled")

    # --- the AI editor ---------------------------------------------------------------------

    @property
    def panel(self) -> Locator:
        return self.page.locator(".jp-Cabinet-editor")

    @property
    def composer(self) -> Locator:
        return self.panel.locator(".jp-Cabinet-composer .cm-content")

    def open_editor(self) -> None:
        self.page.keyboard.press("Alt+Shift+E")
        expect(self.composer).to_be_visible()
        expect(self.composer).to_be_focused()

    def choose_mode(self, words: str) -> None:
        """Select a permission mode. The page remembers it for all documents."""
        self.panel.get_by_role("combobox", name="Permission mode").select_option(label=words)
        self.mode_changed = words != DEFAULT_MODE

    def write(self, instruction: str) -> None:
        self.composer.click()
        self.page.keyboard.type(instruction)

    def run(self, instruction: str) -> None:
        """Write an instruction and run it as with a cell."""
        self.write(instruction)
        self.page.keyboard.press("Shift+Enter")

    def expect_state(self, words: str, *, seconds: float = 30) -> None:
        expect(self.panel.locator(".jp-Cabinet-run-state strong")).to_have_text(words, timeout=seconds * 1000)

    def button(self, name: str) -> Locator:
        return self.panel.get_by_role("button", name=name, exact=True)

    @property
    def screen(self) -> str:
        """What the terminal shows, through the emulator's own buffer."""
        return self.command("cabinet:terminal-text") or ""

    def expect_screen(self, text: str, *, seconds: float = 30) -> None:
        """Asked again and again from here: Playwright takes the promise of a predicate for a yes."""
        until(lambda: text in self.screen, seconds=seconds, what=f"{text!r} in the terminal")
