"""Watches a page for anything foreign text might have done: ran, loaded, opened, copied, led away, drawn.

It judges the contents of our panel, tooltips and dialogs; JupyterLab's own parts are not its business.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page

# Before any script of the page: what a payload would call, and what it would need.
CANARY = """
(() => {
  const seen = { ran: [], copied: [], opened: [], commands: [] };
  window.__seen = seen;
  window.canary = n => seen.ran.push(n);
  for (const name of ['writeText', 'write']) {
    Clipboard.prototype[name] = async () => void seen.copied.push(name);
  }
  const execCommand = Document.prototype.execCommand;
  Document.prototype.execCommand = function (name, ...rest) {
    if (name === 'copy' || name === 'cut') seen.copied.push(name);
    return execCommand.call(this, name, ...rest);
  };
  window.open = address => (seen.opened.push(String(address)), null);
  window.__mark = Math.random();
})();
"""

# JupyterLab's commands, from now on; one that payloads ask for.
LISTEN = """
() => {
  const { commands } = window.jupyterapp;
  if (!commands.hasCommand('canary:fire')) {
    commands.addCommand('canary:fire', { execute: () => null });
    commands.commandExecuted.connect((_, { id }) => void window.__seen.commands.push(id));
  }
  window.__seen.commands.length = 0;
  return window.__mark;
}
"""

# Judge what these elements contain now: a list of what is wrong.
AUDIT = r"""
(() => {
  const OURS = '.jp-Cabinet-editor, .jp-Cabinet-approvals, .jp-Cabinet-document-strip, .jp-Cabinet-completion,'
    + ' .jp-Dialog-content';
  const ALLOWED = {
    A: ['href', 'target', 'rel'], BLOCKQUOTE: [], BR: [], CODE: [], DEL: [], EM: [], HR: [], LI: [], OL: ['start'],
    P: [], PRE: [], STRONG: [], TABLE: [], TBODY: [], TD: [], TH: [], THEAD: [], TR: [], UL: [],
    DIV: ['role', 'aria-level']
  };
  const FORBIDDEN = 'script, iframe, frame, frameset, object, embed, applet, img:not(.cm-widgetBuffer), picture, video,'
    + ' audio, link, meta, base, form:not(.jp-Cabinet-why, .jp-Cabinet-together),'
    + ' math, foreignObject, marquee, template, portal, svg image, svg a';
  const HIDDEN = new RegExp('[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4'
    + '\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ue000-\\uf8ff\\ufe00-\\ufe0f\\ufeff'
    + '\\uffa0\\ufff0-\\ufffb\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{10ffff}]', 'u');
  const code = text => 'U+' + HIDDEN.exec(text)[0].codePointAt(0).toString(16);
  const short = element => element.outerHTML.slice(0, 160);

  function link(a, wrong) {
    let url;
    try { url = new URL(a.getAttribute('href')); } catch { return wrong.push(`no address: ${short(a)}`); }
    if (!/^https?:$/.test(url.protocol) || url.username) wrong.push(`leads astray: ${short(a)}`);
    if (!/\bnoopener\b/.test(a.rel) || a.target !== '_blank') wrong.push(`without noopener: ${short(a)}`);
    const shows = a.textContent.trim();
    const after = a.nextSibling?.textContent ?? '';
    const isItself = shows.startsWith(url.origin + '/') || shows === url.origin;
    if (!isItself && !after.startsWith(` (${url.host})`)) wrong.push(`hides ${url.host}: ${short(a.parentNode)}`);
  }

  function foreign(root, wrong) {
    for (const element of root.querySelectorAll('*')) {
      const allowed = ALLOWED[element.tagName];
      if (!allowed) { wrong.push(`element: ${short(element)}`); continue; }
      for (const { name } of element.attributes) {
        if (!allowed.includes(name)) wrong.push(`attribute ${name}: ${short(element)}`);
      }
      if (element.tagName === 'A') link(element, wrong);
    }
  }

  function texts(root, wrong) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      // The field and the terminal show what was written in a way of their own.
      if (!node.parentElement.closest('.cm-editor, .xterm') && HIDDEN.test(node.data)) {
        wrong.push(`hidden ${code(node.data)} in text of ${short(node.parentElement)}`);
      }
    }
    for (const element of root.querySelectorAll('[title], [aria-label]')) {
      for (const name of ['title', 'aria-label']) {
        const value = element.getAttribute(name) ?? '';
        if (HIDDEN.test(value)) wrong.push(`hidden ${code(value)} in ${name} of ${short(element)}`);
      }
    }
  }

  window.__audit = () => {
    const wrong = [];
    for (const root of document.querySelectorAll(OURS)) {
      root.querySelectorAll(FORBIDDEN).forEach(element => wrong.push(`forbidden: ${short(element)}`));
      root.querySelectorAll('.jp-Cabinet-untrusted').forEach(element => foreign(element, wrong));
      texts(root, wrong);
      for (const element of root.querySelectorAll('*')) {
        for (const { name } of element.attributes) {
          if (/^on|commandlinker/i.test(name)) wrong.push(`attribute ${name}: ${short(element)}`);
        }
      }
    }
    return [...new Set(wrong)];
  };

  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));

  // Scroll through the list of events: unfold, press everything foreign, judge. The list draws only what is seen.
  window.__walk = async () => {
    const list = document.querySelector('.jp-Cabinet-events-list');
    const [wrong, text] = [new Set(), new Set()];
    const drawn = () => [...list.querySelectorAll('[data-kind=text] .jp-Cabinet-untrusted')]
      .every(element => element.classList.contains('jp-Cabinet-markdown'));
    const first = () => Math.min(...[...list.querySelectorAll('[data-item-index]')].map(row => row.dataset.itemIndex));
    for (let calm = 0, tries = 0; calm < 20 && tries < 600; tries++) {
      list.scrollTop = 0; // the list measures itself at first, and goes back to its end
      await frame();
      calm = first() === 0 && list.scrollTop === 0 ? calm + 1 : 0;
    }
    for (let step = 0; step < 2000; step++) {
      await frame();
      await frame();
      for (let wait = 0; wait < 300 && !drawn(); wait++) await frame();
      if (!drawn()) wrong.add('a text was not drawn as Markdown');
      const read = () => list.querySelectorAll('.jp-Cabinet-event').forEach(row => text.add(row.textContent));
      read();
      list.querySelectorAll('[aria-expanded=false]').forEach(element => element.click());
      await frame();
      window.__press(list);
      window.__audit().forEach(each => wrong.add(each));
      read();
      if (list.scrollTop + list.clientHeight >= list.scrollHeight - 1) break;
      // What is unfolded folds when it leaves the window, and moves the rest: fold it before.
      list.querySelectorAll('[aria-expanded=true]').forEach(element => element.click());
      await frame();
      list.scrollTop += list.clientHeight * 0.5; // rows above change their heights meanwhile
    }
    return { wrong: [...wrong], text: [...text].join('\n') };
  };

  // A press on everything foreign, without following links.
  window.__press = root => {
    const stay = event => event.target.closest('a') && event.preventDefault();
    window.addEventListener('click', stay, true);
    root.querySelectorAll('.jp-Cabinet-untrusted, .jp-Cabinet-untrusted *').forEach(element => element.click?.());
    window.removeEventListener('click', stay, true);
  };
})();
"""


class Watch:
    """Listens from before the page loads."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.happened: list[str] = []
        self.origin = ""
        page.add_init_script(CANARY)
        page.on("dialog", lambda dialog: (self.happened.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("popup", lambda popup: self.happened.append(f"popup: {popup.url}"))
        page.on("download", lambda download: self.happened.append(f"download: {download.url}"))
        page.on("websocket", lambda socket: self._look(socket.url.replace("ws", "http", 1)))
        page.on("request", lambda request: self._look(request.url))

    def _look(self, url: str) -> None:
        if self.origin and not url.startswith((f"{self.origin}/", "data:", "blob:")):
            self.happened.append(f"request: {url}")

    def begin(self, origin: str) -> None:
        """The page is ready: from now on nothing may happen."""
        self.origin = origin
        self.page.evaluate(AUDIT)
        self._mark = self.page.evaluate(LISTEN)

    @property
    def commands(self) -> list[str]:
        """The commands of JupyterLab since the last look; some it runs by itself."""
        found: list[str] = self.page.evaluate("() => window.__seen.commands.splice(0)")
        return found

    @property
    def wrong(self) -> list[str]:
        """Everything that happened, and what is wrong with the current contents."""
        seen: dict[str, Any] = self.page.evaluate("() => ({ ...window.__seen, mark: window.__mark })")
        found = [*self.happened, *self.page.evaluate("() => window.__audit?.() ?? ['the page is another one']")]
        found += [f"{what}: {seen[what]}" for what in ("ran", "copied", "opened") if seen[what]]
        found += [f"command: {name}" for name in seen["commands"] if name.startswith("canary:")]
        if seen["mark"] != self._mark or len(self.page.frames) > 1:
            found.append("the page went elsewhere, or holds another one")
        return found
