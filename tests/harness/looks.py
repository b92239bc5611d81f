"""What can be measured of our looks in a page: contrast, sizes, names, targets, overflow, focus.

Only our own parts count; JupyterLab's, CodeMirror's and xterm's are theirs. Each check gives a list of what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from .lab import Lab

AXE = Path(__file__).parents[2] / "labextension" / "node_modules" / "axe-core" / "axe.min.js"

THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
in_both_themes = pytest.mark.parametrize(
    "theme", ["light", pytest.param("dark", marks=pytest.mark.long(reason="the same in the other theme"))]
)

LOOKS = r"""
(() => {
  const ROOTS = '.jp-Cabinet-editor, .jp-Cabinet-document-strip, .jp-Cabinet-completion, .jp-Cabinet-status,'
    + ' .jp-Cabinet-tab-content, .jp-Cabinet-approvals, .jp-Cabinet-runtimes, .jp-Cabinet-output,'
    + ' .jp-Cabinet-agent-form, .jp-Cabinet-cell-content, .jp-Cabinet-agent-list, .jp-Cabinet-form-dialog';
  const CONTROLS = 'button, select, input, textarea, summary, a[href], [role=tab], [role=textbox],'
    + ' [tabindex]:not([tabindex="-1"])';
  const THEIRS = '.xterm, .cm-cursorLayer, .cm-selectionLayer, .cm-gutters';
  const roots = () => [...document.querySelectorAll(ROOTS)].filter(seen);
  const seen = element => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
    && element.getClientRects().length > 0;
  const short = element => element.outerHTML.replace(/<svg.*?<\/svg>/gs, '').slice(0, 120);

  function rgba(color) {
    const found = /^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/.exec(color);
    if (found) return found.slice(1).map((part, index) => Number(part ?? (index === 3 ? 1 : 0)));
    const srgb = /^color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)$/.exec(color);
    if (!srgb) throw new Error(`not a colour: ${color}`);
    return srgb.slice(1).map((part, index) => (index === 3 ? Number(part ?? 1) : part * 255));
  }
  const over = ([r, g, b, a], under) => [r, g, b].map((part, index) => part * a + under[index] * (1 - a));

  function ground(element) {
    const layers = [];
    for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  }

  function contrast(a, b) {
    const light = color => {
      const linear = x => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
      const [r, g, blue] = color.map(part => linear(part / 255));
      return 0.2126 * r + 0.7152 * g + 0.0722 * blue;
    };
    const [high, low] = [light(a), light(b)].sort((x, y) => y - x);
    return (high + 0.05) / (low + 0.05);
  }

  function* texts(root) {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = node.parentElement;
      const isOff = element.closest(':disabled, [aria-disabled=true], option, .jp-Cabinet-spoken');
      if (node.data.trim() && seen(element) && !isOff && !element.closest(THEIRS)) yield [node.data, element, ''];
    }
    for (const element of root.querySelectorAll('input')) {
      if (seen(element) && !element.value && element.placeholder) yield [element.placeholder, element, '::placeholder'];
    }
    for (const element of root.querySelectorAll('select:enabled')) {
      yield [element.selectedOptions[0]?.textContent ?? '', element, ''];
    }
  }

  const checks = {};

  checks.text = () => {
    const wrong = [];
    for (const root of roots()) {
      for (const [text, element, part] of texts(root)) {
        const style = getComputedStyle(element, part || undefined);
        const under = ground(element);
        const ratio = contrast(over(rgba(style.color), under), under);
        if (ratio < 4.495) wrong.push(`contrast ${ratio.toFixed(2)}: “${text.trim().slice(0, 40)}” ${short(element)}`);
        // initials may be small: their meaning is in a label too
        const isSmall = parseFloat(style.fontSize) < 11 && !element.closest('.jp-Cabinet-face');
        if (isSmall) wrong.push(`${style.fontSize}: “${text.trim().slice(0, 40)}”`);
      }
    }
    return wrong;
  };

  const controls = root => [...root.querySelectorAll(CONTROLS), ...(root.matches(CONTROLS) ? [root] : [])]
    .filter(element => seen(element) && !element.closest(THEIRS));

  checks.names = () => roots().flatMap(controls)
    .filter(element => !(element.getAttribute('aria-label') || element.textContent.trim() || element.title
      || element.labels?.length))
    .map(element => `no name: ${short(element)}`);

  // A target of 24 is what a pointer hits, not what is drawn: a small chip may reach further. The line of one pixel
  // around a field or a group counts, and so does half a pixel of rounding.
  function isCut(element, box) {
    for (let at = element.parentElement; at; at = at.parentElement) {
      const { top, bottom } = at.getBoundingClientRect();
      const scrolls = getComputedStyle(at).overflowY !== 'visible';
      if (scrolls && (box.top < top - 1 || box.bottom > bottom + 1)) return true;
    }
    return false;
  }

  checks.targets = () => roots().flatMap(controls)
    .filter(element => !element.disabled && !element.matches('a[href], .cm-content'))
    .filter(element => !element.closest('[role=listbox]'))
    .flatMap(element => {
      const box = element.getBoundingClientRect();
      const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
      const hits = (dx, dy) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return !hit || element.contains(hit) || hit.contains(element) && hit.tagName === 'LABEL';
      };
      if (!hits(0, 0) || isCut(element, box)) return []; // under something else, or out of sight
      const small = [[0, -10.5], [0, 10.5], [-10.5, 0], [10.5, 0]].filter(([dx, dy]) => !hits(dx, dy));
      const size = `${box.width.toFixed(0)} × ${box.height.toFixed(0)}`;
      return small.length ? [`target ${size}: ${short(element)}`] : [];
    });

  // What is cut with an ellipsis, and what scrolls by itself.
  const CUT = '.jp-Cabinet-row-main, .jp-Cabinet-header-document, .jp-Cabinet-fold-title, .jp-Cabinet-chip, svg,'
    + ' select, .jp-Cabinet-watchers, .jp-Cabinet-spoken, .cm-editor, pre';

  checks.overflow = () => {
    const wrong = [];
    for (const panel of document.querySelectorAll('.jp-Cabinet-editor, .jp-Cabinet-approvals')) {
      const { left, right } = panel.getBoundingClientRect();
      if (right > innerWidth + 1) wrong.push(`the panel ends at ${right} of ${innerWidth}`);
      for (const element of panel.querySelectorAll('*')) {
        const box = element.getBoundingClientRect();
        if (!seen(element) || !box.width || element.closest(THEIRS) || element.parentElement.closest(CUT)) continue;
        if (box.right > right + 1 || box.left < left - 1) {
          const place = [box.left, box.right, left, right].map(Math.round).join(' ');
          wrong.push(`sticks out, ${place}: ${short(element)}`);
        }
      }
      const body = panel.querySelector('.jp-Cabinet-body');
      if (body && body.scrollWidth > body.clientWidth) wrong.push(`the body scrolls sideways: ${body.scrollWidth}`);
    }
    return wrong;
  };

  // A notification, ours or JupyterLab's, stands over none of our controls.
  checks.covered = () => roots().flatMap(controls)
    .filter(element => {
      const box = element.getBoundingClientRect();
      return [...document.querySelectorAll('.Toastify__toast')].some(toast => {
        const over = toast.getBoundingClientRect();
        return over.left < box.right && over.right > box.left && over.top < box.bottom && over.bottom > box.top;
      });
    })
    .map(element => `under a notification: ${short(element)}`);

  checks.axe = async (include = roots()) => {
    if (!include.length) return [];
    const { violations } = await axe.run({ include, exclude: [['.xterm']] }, { resultTypes: ['violations'] });
    return violations.filter(({ impact }) => ['serious', 'critical'].includes(impact))
      .flatMap(({ id, nodes }) => nodes.map(({ html, target }) => `axe, ${id}: ${target} ${html.slice(0, 120)}`));
  };

  checks.motion = () => [...document.querySelectorAll(ROOTS)]
    .flatMap(root => [root, ...root.querySelectorAll('*')])
    .filter(element => !element.closest(THEIRS) && getComputedStyle(element).animationName !== 'none')
    .map(element => `moves: ${short(element)}`);

  // What the Tab key shall reach: every control but those of a list with one stop.
  checks.stops = place => [...document.querySelectorAll(place)].flatMap(controls)
    .filter(element => !element.disabled && element.tabIndex >= 0).length;

  checks.focused = place => {
    const element = document.activeElement;
    const panel = element?.closest(place);
    if (!panel) return null;
    const all = controls(panel).filter(each => !each.disabled && each.tabIndex >= 0);
    const ringed = [element, element.closest('.jp-Cabinet-search'), element.closest('.jp-Cabinet-composer-box')]
      .filter(each => each)
      .some(each => {
        const style = getComputedStyle(each);
        const outline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
        return outline || (each.matches('.jp-Cabinet-composer-box') && style.boxShadow !== 'none');
      });
    return { index: all.indexOf(element), ringed, what: short(element) };
  };

  window.__looks = checks;
})();
"""


def wrong(page: Page, *names: str) -> list[str]:
    """What these checks (`text`, `names`, `targets`, `overflow`, `covered`, `motion`) find now."""
    if not page.evaluate("() => !!window.__looks"):
        page.evaluate(LOOKS)
    found: list[str] = page.evaluate("names => names.flatMap(name => window.__looks[name]())", list(names))
    return found


def wrong_by_axe(page: Page) -> list[str]:
    """What axe-core holds against our parts as they are now, if it is serious or critical."""
    wrong(page)
    if not page.evaluate("() => !!window.axe"):
        page.evaluate(AXE.read_text())
    found: list[str] = page.evaluate("() => window.__looks.axe()")
    return found


def wrong_by_axe_in(place: Locator) -> list[str]:
    """What axe-core holds against one part of the page, which must be visible, if it is serious or critical."""
    expect(place).to_be_visible()
    wrong_by_axe(place.page)  # loads it, too
    found: list[str] = place.evaluate("node => window.__looks.axe([node])")
    return found


def wrong_in_a_tab(page: Page, place: str, command: Callable[[str], Any]) -> list[str]:
    """What is wrong with a tab of the main area, `place`, at three widths: text, names, sizes, what runs out of it,
    and what axe-core finds. `command`: runs a command of JupyterLab's."""
    found = []
    sides = [f"application:toggle-{side}-area" for side in ("left", "right") if _is_open(page, side)]
    for side in sides:
        command(side)
    for width in (1440, 1024, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        found += [f"{width}: {each}" for each in (*wrong(page, "text", "names", "targets"), *wrong_by_axe(page))]
        if not page.locator(place).evaluate("node => node.scrollWidth <= node.clientWidth"):
            found.append(f"{width}: {place} is wider than its tab")
    page.set_viewport_size({"width": 1440, "height": 900})
    for side in sides:
        command(side)
    return found


def _is_open(page: Page, side: str) -> bool:
    return page.locator(f"#jp-{side}-stack").is_visible()


def wrong_by_tab(page: Page, place: str = ".jp-Cabinet-editor", first: str = ".jp-Cabinet-header button") -> list[str]:
    """Walk through a panel with the Tab key, from its first control: what is not reached or has no ring.

    A panel that was just opened may get a control while it is walked through: what is wrong is so twice.
    """
    return _walk(page, place, first) and _walk(page, place, first)


def _walk(page: Page, place: str, first: str) -> list[str]:
    wrong(page)
    page.evaluate("first => [...document.querySelectorAll(first)].find(each => each.offsetParent).focus()", first)
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")  # focused by key now, as a person would see it
    stops: int = page.evaluate("place => window.__looks.stops(place)", place)
    reached, found = set(), []
    for _ in range(stops + 5):
        focused = page.evaluate("place => window.__looks.focused(place)", place)
        if focused is None:
            break
        reached.add(focused["index"])
        if not focused["ringed"]:
            found.append(f"no ring: {focused['what']}")
        page.keyboard.press("Tab")
    if reached != set(range(stops)):
        found.append(f"Tab reaches {sorted(reached)} of {stops} controls")
    return found


def show(lab: Lab, state: str) -> list[str]:
    """Take the pictures of a state in both themes, measure, and ask axe-core; returns what is wrong."""
    found = []
    for theme, name in THEMES.items():
        change_theme(lab, name)
        lab.screenshot(f"{state}-{theme}")
        found += [f"{state}, {theme}: {each}" for each in wrong(lab.page, "text", "names", "targets", "overflow")]
        found += [f"{state}, {theme}: {each}" for each in wrong_by_axe(lab.page)]
    return found


def drag_to_width(lab: Lab, width: int) -> None:
    """Pull the sidebar's edge as a person does."""
    box = lab.panel.bounding_box()
    assert box
    right = box["x"] + box["width"]
    lab.page.mouse.move(box["x"] - 2, 500)
    lab.page.mouse.down()
    lab.page.mouse.move(right - width - 2, 500, steps=3)
    lab.page.mouse.up()
    lab.page.wait_for_function(
        "width => Math.abs(document.querySelector('.jp-Cabinet-editor').offsetWidth - width) < 6", arg=width
    )


def change_theme(lab: Lab, name: str) -> None:
    """JupyterLab shows its splash meanwhile, over everything."""
    lab.command("apputils:change-theme", theme=name)
    lab.page.wait_for_function(
        "name => document.body.dataset.jpThemeName === name && !document.querySelector('#jupyterlab-splash')", arg=name
    )


def listed(found: list[str]) -> str:
    """For an assertion's message."""
    return "\n".join(["", *dict.fromkeys(found)])
