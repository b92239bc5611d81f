"""Pages of JupyterLab that tests use one after the other: to start JupyterLab costs more than most tests do.

A page belongs to one server and one user. Between two tests everything in it is closed; what its stores know of other
documents stays, as it does for a person who works all day.

Nothing in them moves by itself, because software draws the pages: a ring that turns takes a tenth of a processor.
`test_looks.py` checks motion.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Browser

from .lab import DEFAULT_MODE, Lab
from .looks import THEMES
from .server import Server

VIEWPORT = {"width": 1440, "height": 900}
ACTION_MILLISECONDS = 15_000
MOST_IDLE = 4  # pages: each takes some of the processor's time even so

# Dialogs first: what they hold up would keep a document from being closed. Unsaved changes are nobody's.
_CLEAR = """async () => {
  const { commands, shell } = window.jupyterapp;
  const until = async (holds, frames = 120) => {
    while (frames-- > 0 && !holds()) await new Promise(done => requestAnimationFrame(done));
  };
  const dialog = () => document.querySelector('.jp-Dialog');
  for (let tries = 0; tries < 5 && dialog(); tries++) {
    (dialog().querySelector('.jp-mod-reject') ?? dialog().querySelector('button'))?.click();
    await until(() => !dialog(), 30);
  }
  document.activeElement?.blur();
  const open = () => [...shell.widgets('main'), ...shell.widgets('down')];
  for (const widget of open()) {
    const context = widget.context ?? widget.content?.context;
    if (context) context.model.dirty = false;
    widget.close();
  }
  await until(() => open().every(widget => widget.title.label === 'Launcher'));
  shell.mode = 'multiple-document';
  await commands.execute('filebrowser:go-to-path', { path: '/' });
  shell.activateById('filebrowser');
  shell.collapseRight();
  localStorage.clear();
  sessionStorage.clear();
}"""
# Terminals are then drawn with elements, because WebGL in software takes ten times as long. The pages of
# `test_terminals.py` and `test_sidebar.py` have it.
_WITHOUT_WEBGL = """
const { getContext } = HTMLCanvasElement.prototype;
HTMLCanvasElement.prototype.getContext = function (kind, ...options) {
  return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...options);
};
"""
_SET_THEME = """async theme => {
  const { commands } = window.jupyterapp;
  if (document.body.dataset.jpThemeName !== theme) await commands.execute('apputils:change-theme', { theme });
}"""
# JupyterLab opens a launcher where nothing else is open.
_ONLY_CURRENT = """async () => {
  const { shell } = window.jupyterapp;
  for (const widget of [...shell.widgets('main')]) if (widget !== shell.currentWidget) widget.close();
}"""


class LabPool:
    """`take` and `give_back` in pairs."""

    def __init__(self, browser: Browser, screenshots: Path) -> None:
        self._browser = browser
        self._screenshots = screenshots
        self._idle: list[tuple[Lab, str]] = []  # with the user
        self._made = 0

    def take(self, server: Server, path: str, *, username: str, theme: str) -> Lab:
        """A page that shows this document and nothing else."""
        self._close_those_of_stopped_servers()
        found = next((each for each in self._idle if each[0].server is server and each[1] == username), None)
        if found is None:
            return self.fresh(server, path, username=username, theme=theme)
        self._idle.remove(found)
        lab = found[0]
        Lab.opened.append(lab)
        lab.foreign_requests.clear()  # a test may have tried a picture from elsewhere
        lab.page.emulate_media(color_scheme="dark" if theme == "dark" else "light")
        lab.page.evaluate(_CLEAR)  # what has come since, such as a notification
        lab.page.evaluate(_SET_THEME, THEMES[theme])
        lab.show(path)
        lab.page.evaluate(_ONLY_CURRENT)
        return lab

    def fresh(self, server: Server, path: str, *, username: str, theme: str) -> Lab:
        """A new page in a browser that has never been here, in a separate workspace."""
        context = self._browser.new_context(viewport=VIEWPORT, color_scheme=theme, reduced_motion="reduce")
        context.set_default_timeout(ACTION_MILLISECONDS)
        context.add_init_script(_WITHOUT_WEBGL)
        lab = Lab(context.new_page(), server, screenshots=self._screenshots)
        self._made += 1
        lab.open(path, username=username, theme=theme, workspace=f"page-{self._made}")
        return lab

    def give_back(self, lab: Lab, username: str, *, reusable: bool) -> None:
        """Close it, or keep it for the next test, as it was when it was opened."""
        page = lab.page
        if not reusable or page.is_closed() or len(page.context.pages) != 1 or lab.errors:
            page.context.close()
            return
        page.unroute_all()
        page.context.set_offline(False)
        page.set_viewport_size(VIEWPORT)
        if lab.mode_changed:
            lab.command("cabinet:open-editor")
            lab.choose_mode(DEFAULT_MODE)
        page.evaluate(_CLEAR)  # nothing is drawn again and again meanwhile
        self._idle.append((lab, username))
        if len(self._idle) > MOST_IDLE:
            oldest, _ = self._idle.pop(0)
            oldest.page.context.close()

    def close(self) -> None:
        for lab, _ in self._idle:
            lab.page.context.close()
        self._idle.clear()

    def _close_those_of_stopped_servers(self) -> None:
        for each in [each for each in self._idle if not each[0].server.is_running]:
            self._idle.remove(each)
            each[0].page.context.close()
