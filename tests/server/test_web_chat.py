"""The page of the web chat and its routes, with real requests: who gets what, and what a page of ours may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.server import RIGHTS, Server, plain_client, until

NUMBERS = iter(range(1000))


@pytest.fixture(scope="module")
def chat(people_server: Server) -> Iterator[str]:
    """A web chat of Ada's with an agent, and the id of the channel."""
    with people_server.browser_client("ada") as ada:
        fields = {"runtime": "demo", "heartbeat_enabled": False, "permission_mode": "ask", "allowed_tools": ["Bash"]}
        body = {"slug": "chatter", "template": "research", "fields": fields}
        ada.post("agents", json=body).raise_for_status()
        made = ada.post("channels", json={"platform": "web", "title": "Ada's chat", "agent": "chatter"})
        assert made.status_code == 201, made.text
        id = made.json()["id"]
        until(lambda: ada.get(f"channels/{id}").json()["connection"]["state"] == "connected")
        yield id
        assert ada.delete(f"channels/{id}").status_code == 204


def write(client: httpx.Client, chat_id: str, words: str, **fields: Any) -> httpx.Response:
    body = {"key": f"message-{next(NUMBERS)}", "text": words, **fields}
    return client.post(f"web-chats/{chat_id}/messages", json=body)


def texts(client: httpx.Client, chat: str) -> list[str]:
    return [each["text"] for each in client.get(f"web-chats/{chat}/messages").json()["items"]]


def test_a_person_asks_in_their_own_chat_and_answers_a_request_there(people_server: Server, chat: str) -> None:
    with people_server.browser_client("ada") as ada:
        listed = ada.get("web-chats").json()
        assert [(each["id"], each["title"], each["state"]) for each in listed["items"]] == [
            (chat, "Ada's chat", "connected")
        ]
        assert (listed["display_name"], listed["may_ask"], listed["may_approve"]) == ("Ada Lind", True, True)
        stored = write(ada, chat, "run touch made.txt")
        assert stored.status_code == 201 and stored.json()["sender"] == "you"

        def card() -> Any:
            items = ada.get(f"web-chats/{chat}/messages").json()["items"]
            return next((each for each in items if each["buttons"]), None)

        shown = until(card)
        body = {"message": shown["id"], "button": shown["buttons"].index("Deny")}
        with people_server.browser_client("ben") as ben, people_server.browser_client("root") as root:
            for other in (ben, root):
                assert other.post(f"web-chats/{chat}/press", json=body).status_code == 404
        with people_server.client("ada") as program:
            assert program.post(f"web-chats/{chat}/press", json=body).status_code == 403
            assert write(program, chat, "hello").status_code == 403
        pressed = ada.post(f"web-chats/{chat}/press", json=body)
        assert (pressed.status_code, pressed.json()) == (200, {"note": "Denied."})
        until(lambda: any("Denied by Ada Lind." in text for text in texts(ada, chat)))
        assert not (people_server.root / "made.txt").exists()


def test_another_person_neither_reads_nor_writes_a_chat_by_its_address(people_server: Server, chat: str) -> None:
    with people_server.browser_client("ben") as ben, people_server.browser_client("ada") as ada:
        assert ben.get("web-chats").json()["items"] == []
        for reply in (ben.get(f"web-chats/{chat}/messages"), write(ben, chat, "hello")):
            missing = ben.get("web-chats/01aaaaaaaaaaaaaaaaaaaaaaaa/messages")
            assert (reply.status_code, reply.json()) == (404, missing.json())
        for field in ("sender", "chat", "username", "sender_id"):
            assert write(ada, chat, "hello", **{field: "ben"}).status_code == 400
        assert write(ada, chat, "x" * 16_001).json()["error"]["message"].startswith("A message has at most 16,000")


def test_who_may_not_run_agents_may_not_write(people_server: Server, chat: str) -> None:
    lacks = {
        "cabinet-runs:execute": (False, True, 403),
        "cabinet-approvals:execute": (True, False, 201),
        "cabinet-channels:execute": (False, False, 403),
    }
    try:
        with people_server.browser_client("ada") as ada:
            for right, expected in lacks.items():
                people_server.set_rights({**RIGHTS, "ada": [each for each in RIGHTS["ada"] if each != right]})
                listed = ada.get("web-chats").json()
                status = write(ada, chat, "/help").status_code
                assert (listed["may_ask"], listed["may_approve"], status) == expected, right
    finally:
        people_server.set_rights(RIGHTS)


# --- the page ----------------------------------------------------------------------------------

FILES = (
    "cabinet/chat",
    *(f"cabinet/chat/{name}" for name in ("chat.css", "chat.js", "outbox.js", "parts.js", "server.js", "view.js")),
)


@pytest.mark.parametrize("path", FILES)
def test_who_is_logged_out_is_sent_to_the_login_and_sees_nothing(people_server: Server, path: str) -> None:
    with plain_client(people_server.url) as nobody:
        reply = nobody.get(path)
        assert reply.status_code == 302 and "/login?next=" in reply.headers["Location"]
        assert "chat/chat.js" not in reply.text


def test_a_token_in_the_address_logs_in_and_does_not_stay_there(people_server: Server) -> None:
    with plain_client(people_server.url) as browser:
        reply = browser.get("cabinet/chat", params={"token": people_server.token("ada")})
        assert reply.status_code == 302
        assert reply.headers["Location"] == f"{people_server.base_url}cabinet/chat"
        reply = browser.get("cabinet/chat")
        assert reply.status_code == 200 and "chat/chat.js" in reply.text
        assert people_server.token("ada") not in reply.text and "_xsrf" in browser.cookies


def test_the_page_runs_only_its_own_files_and_is_shown_only_by_this_server(people_server: Server) -> None:
    with people_server.browser_client("ada") as ada:
        sizes = []
        for path in FILES:
            reply = ada.get(f"{people_server.url}{path}")
            assert reply.status_code == 200 and reply.headers["X-Content-Type-Options"] == "nosniff"
            policy = dict(
                part.strip().partition(" ")[::2] for part in reply.headers["Content-Security-Policy"].split(";")
            )
            assert policy["default-src"] == "'none'" and policy["script-src"] == policy["style-src"] == "'self'"
            assert policy["frame-ancestors"] == "'self'"
            sizes.append(len(reply.content))
            for private in (people_server.place, Path.home(), people_server.root.name + "/", "127.0.0.1"):
                assert str(private) not in reply.text
        assert sum(sizes) < 27_500
        page = ada.get(f"{people_server.url}cabinet/chat").text
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|style=|<style", page)
        assert ada.get(f"{people_server.url}cabinet/chat/handlers.py").status_code == 404


def test_an_operator_decides_who_may_show_the_page(tmp_path: Path) -> None:
    from jupyter_cabinet.web.chat_page.handlers import ChatPageHandler

    class Handler(ChatPageHandler):
        def __init__(self, headers: dict[str, str]) -> None:
            self._settings = {"headers": headers}

        @property
        def settings(self) -> dict[str, Any]:
            return self._settings

    named = Handler({"Content-Security-Policy": "frame-ancestors https://portal.example; script-src *"})
    assert named.content_security_policy.endswith("form-action 'none'; frame-ancestors https://portal.example")
