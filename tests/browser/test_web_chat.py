"""The page of the web chat on a phone: asking, answering a request, two tabs, a connection that ends."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from harness.server import Server, until
from playwright.sync_api import Browser, BrowserContext, Locator, Page, TimeoutError, expect

from jupyter_cabinet.channels.rules.code_blocks import segments

PHONE, DESKTOP = {"width": 360, "height": 740}, {"width": 1280, "height": 800}
SCREENSHOTS = Path(__file__).parents[2] / "test-results" / "screenshots"
AXE = Path(__file__).parents[2] / "labextension/node_modules/axe-core/axe.min.js"
# What the page knows after each page of messages: the newest one, one that continues it, one after a gap, an older one.
HISTORY = """async () => {
  const { History } = await import('./chat/parts.js');
  const history = new History();
  const page = (next, ...numbers) => ({ next, items: numbers.map(number => ({ id: `m${number}`, number })) });
  const known = () => [history.messages.map(each => each.number), history.cursor];
  history.takeNewest(page(null, 2, 1));
  const found = [known()];
  history.takeNewest(page(2, 3, 2));
  found.push(known());
  history.takeNewest(page(8, 9, 8));
  found.push(known());
  history.takeOlder(page(null, 7, 6));
  return [...found, known()];
}"""
# Whether the end counts as in view: at the end, scrolled up, and back again, before the next frame.
SCROLLED = """async () => {
  const { followEnd } = await import('./chat/view.js');
  const main = document.querySelector('main');
  const end = followEnd(main);
  end.show();
  const atEnd = end.isInView();
  main.scrollTop = 0;
  const scrolledUp = end.isInView();
  main.scrollTop = main.scrollHeight;
  return [atEnd, scrolledUp, end.isInView()];
}"""
ANSWER = "Look:\n```python\nprint('<b>1</b>')\n```\n<img src=x onerror=alert(1)>"
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
MARKED = {
    "# Plums\n- **blue** ones\n  * *red* `a*b*c` ones": [
        ["strong", "Plums"], ["", "\n• "], ["strong", "blue"], ["", " ones\n  • "], ["em", "red"], ["", " "],
        ["code", "a*b*c"], ["", " ones"],
    ],
    "see [our page](https://example.org/a_b), or https://example.org/?q=*1*.": [
        ["", "see our page ("], ["a", "https://example.org/a_b"], ["", ")"], ["", ", or "],
        ["a", "https://example.org/?q=*1*."],
    ],
    "[x](javascript:alert(1)) 2 * 3 * 4 a_b_c <b>no</b>": [["", "[x](javascript:alert(1)) 2 * 3 * 4 a_b_c <b>no</b>"]],
    "**": [["", "**"]],
}  # fmt: skip
SHOWN = """async text => {
  const { fillRow } = await import('./chat/view.js');
  const row = document.createElement('li');
  const message = { agent: 'chatter', at: '2026-01-14T12:30:00Z', buttons: [], sender: 'agent', text };
  fillRow(row, message, {});
  return [...row.querySelectorAll('p:not(.head), pre')].map(each => each.innerHTML);
}"""
MOST_CLICKS = 500
CLICK_MILLISECONDS = 2000


def press(card: Locator, label: str) -> None:
    """Click until a button is taken: one that has just appeared takes no press, and one that was taken goes away."""
    button = card.get_by_role("button", name=label, disabled=False)
    button.wait_for()
    for _ in range(MOST_CLICKS):
        with suppress(TimeoutError):
            button.click(timeout=CLICK_MILLISECONDS)
        if button.count() == 0:
            return
    raise AssertionError(f"{label} was not taken.")


@pytest.fixture(scope="module")
def chat(team: Server) -> Iterator[str]:
    """A web chat of Ada's with an agent that asks before it runs commands, and the id of the channel."""
    with team.browser_client("ada") as ada:
        fields = {"runtime": "demo", "heartbeat_enabled": False, "permission_mode": "ask", "allowed_tools": ["Bash"]}
        ada.post("agents", json={"slug": "chatter", "template": "research", "fields": fields}).raise_for_status()
        made = ada.post("channels", json={"platform": "web", "title": "Kitchen table", "agent": "chatter"})
        id = made.raise_for_status().json()["id"]
        until(lambda: ada.get(f"channels/{id}").json()["connection"]["state"] == "connected")
        yield id
        assert ada.delete(f"channels/{id}").status_code == 204


@contextmanager
def browser_of(
    chromium: Browser, team: Server, username: str | None, *, scheme: str = "light"
) -> Iterator[BrowserContext]:
    """A phone. Its pages must not throw or break their policy."""
    context = chromium.new_context(viewport=PHONE, color_scheme="light")
    context.set_default_timeout(15_000)
    problems: list[str] = []
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("console", lambda said: problems.append(said.text) if "Content Security Policy" in said.text else None)
    if username is not None:
        context.request.get(f"{team.url}cabinet/chat", params={"token": team.token(username)})
    try:
        yield context
        assert not problems
    finally:
        context.close()


def open_chat(context: BrowserContext, team: Server) -> Page:
    page = context.new_page()
    page.goto(f"{team.url}cabinet/chat")
    expect(page.get_by_role("textbox", name="Message")).to_be_enabled()
    return page


def ask(page: Page, text: str) -> None:
    page.get_by_role("textbox", name="Message").fill(text)
    page.get_by_role("textbox", name="Message").press("Enter")


def rows(page: Page) -> list[str]:
    return [text.partition("\n")[2].strip() for text in page.get_by_role("listitem").all_inner_texts()]


def picture(page: Page, name: str) -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / f"web-chat-{name}.png")


def test_a_person_asks_an_agent_on_a_phone(chromium: Browser, team: Server, chat: str) -> None:
    with browser_of(chromium, team, "ada") as phone:
        page = open_chat(phone, team)
        expect(page.get_by_role("heading", name="Kitchen table")).to_be_visible()
        expect(page.get_by_text("@chatter answers what you write.")).to_be_visible()
        picture(page, "empty")
        page.get_by_role("button", name="Show the commands").click()
        expect(page.get_by_role("log")).to_contain_text("/agents – Which agents you can ask")

        other = open_chat(phone, team)
        ask(page, "remember first line")
        field = other.get_by_role("textbox", name="Message")
        expect(other.get_by_role("log")).to_contain_text("I have noted: first line")
        field.fill("remember")
        field.press("Shift+Enter")
        assert field.input_value() == "remember\n"

        # a request is answered by a button, and both tabs show the end
        ask(page, "run touch made-in-chat.txt")
        card = page.get_by_role("listitem").filter(has_text="asks to run a command")
        expect(card.locator("pre").last).to_have_text("touch made-in-chat.txt")
        expect(page.get_by_text("@chatter waits for your answer.")).to_be_visible()
        for width, name in ((PHONE, "360"), (DESKTOP, "1280")):
            for scheme in ("light", "dark"):
                page.set_viewport_size(width)
                page.emulate_media(color_scheme=scheme)
                picture(page, f"{name}-{scheme}")
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page) == []
        page.set_viewport_size(PHONE)
        press(card, "Allow once")
        for each in (page, other):
            shown = each.get_by_role("listitem").filter(has_text="asks to run a command")
            expect(shown).to_contain_text("Allowed once by Ada Lind.")
            expect(shown.get_by_role("button")).to_have_count(0)
        until((team.root / "made-in-chat.txt").exists)
        expect(page.get_by_text("@chatter waits for your answer.")).to_have_count(0)

        # the end stays in view when the keyboard of a phone opens, and not while a person reads earlier messages
        page.bring_to_front()  # a hidden page is not drawn
        main = page.get_by_role("main")
        from_end = "main => Math.round(main.scrollHeight - main.scrollTop - main.clientHeight)"
        page.set_viewport_size({"width": 360, "height": 400})
        page.wait_for_function(f"() => innerHeight === 400 && ({from_end})(document.querySelector('main')) < 5")
        assert page.evaluate(SCROLLED) == [True, False, True]
        page.evaluate(TWO_FRAMES)
        # both at once: the page hears of the scrolling when its height has changed already
        main.evaluate("main => { main.style.marginBottom = '20px'; main.scrollTop = 0; }")
        page.evaluate(TWO_FRAMES)
        assert main.evaluate("main => main.scrollTop") == 0
        page.set_viewport_size({"width": 360, "height": 380})
        page.wait_for_function("() => innerHeight === 380")
        page.evaluate(TWO_FRAMES)
        assert main.evaluate("main => main.scrollTop") == 0
        main.evaluate("main => { main.style.marginBottom = ''; main.scrollTop = main.scrollHeight; }")
        page.evaluate(TWO_FRAMES)
        page.set_viewport_size(PHONE)

        # work can be stopped
        ask(page, "sleep 60")
        page.get_by_role("button", name="Cancel the work of @chatter").click()
        expect(page.get_by_role("log")).to_contain_text("Stopped.")

        before = rows(page)
        page.reload()
        expect(page.get_by_role("log")).to_contain_text("Stopped.")
        assert rows(page) == before == rows(other)


def test_an_answer_shows_simple_marks_of_markdown_and_never_html(chromium: Browser, team: Server, chat: str) -> None:
    with browser_of(chromium, team, "ada") as phone:
        page = open_chat(phone, team)
        for text, expected in MARKED.items():
            assert page.evaluate("async t => (await import('./chat/parts.js')).marked(t)", text) == expected
        long = "[" * 200_000  # a mark that may begin everywhere
        assert page.evaluate("async t => (await import('./chat/parts.js')).marked(t)", long) == [["", long]]
        assert page.evaluate(SHOWN, "**<b>a</b>** https://a.org\n```\n**b**\n```") == [
            '<strong class="">&lt;b&gt;a&lt;/b&gt;</strong> '
            '<a class="" href="https://a.org" rel="noopener noreferrer" target="_blank">https://a.org</a>',
            "**b**",
        ]


def test_texts_are_shown_as_they_are_and_code_as_code(chromium: Browser, team: Server, chat: str) -> None:
    texts = (ANSWER, "~~~\na\n~~~", "```x y\nb\n````\nend", "```python\n```", "``` a`b\nc", "\n\n", "  ```\nq\n    ```")
    with browser_of(chromium, team, "ada") as phone:
        page = open_chat(phone, team)
        for text in texts:
            found = page.evaluate("async t => (await import('./chat/parts.js')).segments(t)", text)
            expected = [{"text": part.text, "isCode": part.is_code} for part in segments(text)]
            assert found == expected, json.dumps(text)
        assert page.evaluate(HISTORY) == [[[1, 2], None], [[1, 2, 3], None], [[8, 9], 8], [[6, 7, 8, 9], None]]
        ask(page, f"remember {ANSWER}")
        mine = page.get_by_role("listitem").filter(has_text="onerror").first
        expect(mine.locator("pre")).to_have_text("print('<b>1</b>')")
        expect(mine).to_contain_text("<img src=x onerror=alert(1)>")
        assert page.locator("main img, main b").count() == 0


def test_nothing_is_lost_or_doubled_when_the_connection_ends(chromium: Browser, team: Server, chat: str) -> None:
    with browser_of(chromium, team, "ada") as phone:
        page, other = open_chat(phone, team), open_chat(phone, team)
        phone.set_offline(True)
        page.evaluate("dispatchEvent(new Event('online'))")  # connect again, as after sleep
        expect(page.get_by_role("status").first).to_have_text("Disconnected. Trying again.")
        ask(page, "remember from the tunnel")
        expect(page.get_by_role("listitem").last).to_contain_text("not sent yet")
        phone.set_offline(False)
        page.evaluate("dispatchEvent(new Event('online'))")
        for each in (page, other):
            expect(each.get_by_role("log")).to_contain_text("I have noted: from the tunnel")
            assert [row for row in rows(each) if "tunnel" in row] == [
                "remember from the tunnel",
                "I have noted: from the tunnel",
            ]
        expect(page.get_by_role("status").first).to_have_text("")


@pytest.mark.long(reason="the quick tier uses the only chat of a page")
def test_of_several_chats_a_person_chooses_one(chromium: Browser, team: Server, chat: str) -> None:
    with browser_of(chromium, team, "ada") as phone, team.browser_client("ada") as ada:
        page = open_chat(phone, team)
        expect(page.get_by_label("Chat", exact=True)).to_be_hidden()
        made = ada.post("channels", json={"platform": "web", "title": "Second", "agent": ""}).raise_for_status()
        page.get_by_label("Chat", exact=True).select_option(label="Second")
        expect(page.get_by_role("heading", name="Second")).to_be_visible()
        expect(page.get_by_text("Begin with the name of an agent")).to_be_visible()
        field = page.get_by_role("textbox", name="Message")
        field.fill("not finished")
        page.reload()
        expect(page.get_by_role("heading", name="Second")).to_be_visible()
        expect(field).to_have_value("not finished")
        field.fill("x" * 16_001)
        field.press("Enter")
        expect(page.get_by_role("alert")).to_contain_text("A message has at most 16,000 characters.")
        assert len(field.input_value()) == 16_001  # to be shortened
        assert ada.delete(f"channels/{made.json()['id']}").status_code == 204
        expect(page.get_by_text("There is no such web chat, or you may not see it.")).to_be_visible()
        page.get_by_role("button", name="Open another one").click()
        expect(page.get_by_role("heading", name="Kitchen table")).to_be_visible()
        expect(page.get_by_role("textbox", name="Message")).to_have_value("")


@pytest.mark.long(reason="who may enter is tested on the server")
def test_everybody_else_stays_outside(chromium: Browser, team: Server, chat: str) -> None:
    with browser_of(chromium, team, None) as stranger:
        page = stranger.new_page()
        page.goto(f"{team.url}cabinet/chat")
        assert "/login?next=" in page.url
    with browser_of(chromium, team, "ben") as phone:
        page = phone.new_page()
        page.goto(f"{team.url}cabinet/chat?token={team.token('ben')}#{chat}")
        expect(page.get_by_text("There is no web chat for you yet.")).to_be_visible()
        expect(page.get_by_role("textbox", name="Message")).to_be_hidden()
        assert "token" not in page.url
        picture(page, "none")


def violations(page: Page) -> list[str]:
    """What axe finds wrong. It is evaluated, because the page takes no script from elsewhere."""
    page.evaluate(AXE.read_text())
    found = page.evaluate("async () => (await axe.run()).violations.map(v => v.id + ': ' + v.nodes.map(n => n.html))")
    assert isinstance(found, list)
    return found
