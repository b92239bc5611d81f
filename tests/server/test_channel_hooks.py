"""Signed messages from outside, to a real server: what the documentation shows works, and nothing else gets in."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.how_to import files_of, shells_of
from harness.server import Server, plain_client, until

from jupyter_cabinet.testing.webhook import WebhookReceiver, signed_delivery

PAGE = Path(__file__).parents[2] / "docs/how-to/talk-by-webhook.md"


@dataclass
class Hook:
    """A webhook that Ada's account is connected with. `url`: where messages are sent."""

    receiver: WebhookReceiver
    id: str
    url: str

    def wait_for(self, part: str) -> dict[str, Any]:
        found: dict[str, Any] = until(lambda: next((e for e in self.receiver.taken if part in e["text"]), None))
        return found

    def run(self, script: Path, text: str) -> str:
        """Send a text with the script of the docs, and return what it prints."""
        command, environment = [sys.executable, str(script)], self.environment(TEXT=text)
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    def environment(self, **fields: str) -> dict[str, str]:
        return {"PATH": os.environ["PATH"], "URL": self.url, "SECRET": self.receiver.secret, **fields}


@pytest.fixture(scope="module")
def hook(people_server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hook]:
    script = tmp_path_factory.mktemp("docs") / "send.py"
    script.write_text(files_of(PAGE)["send.py"])
    with WebhookReceiver() as receiver, people_server.browser_client("ada") as ada:
        agent = {"slug": "hooked", "template": "research", "fields": {"runtime": "demo", "heartbeat_enabled": False}}
        ada.post("agents", json=agent).raise_for_status()
        new = {"platform": "webhook", "title": "Kitchen", "agent": "hooked", "api_url": receiver.address}
        made = ada.post("channels", json=new)
        assert made.status_code == 201, made.text
        id = made.json()["id"]
        hook = Hook(receiver, id, f"{people_server.url}cabinet/api/hooks/channels/{id}")
        secret = ada.post(f"channels/{id}/secret")
        assert secret.status_code == 201, secret.text
        receiver.secret = secret.json()["secret"]
        until(lambda: ada.get(f"channels/{id}").json()["connection"]["state"] == "connected")
        assert hook.run(script, "hello") == '202 {"recorded":false,"note":""}\n'
        code = re.search(r"[A-Z2-9]{4}-[A-Z2-9]{4}", hook.wait_for("do not know this account")["text"])
        assert code is not None
        ada.post("channel-pairings", json={"code": code[0], "may": ["ask"]}).raise_for_status()
        assert hook.run(script, "remember milk") == '202 {"recorded":true,"note":""}\n'
        yield hook
        assert ada.delete(f"channels/{id}").status_code == 204


@pytest.mark.long(reason="an interpreter for each example")
@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("openssl")), reason="needs curl and openssl")
def test_the_examples_of_the_docs_send_a_message_and_check_the_answer(hook: Hook) -> None:
    assert hook.wait_for("I have noted: milk")["conversation"] == "kitchen"
    (command,) = [each for each in shells_of(PAGE) if "openssl" in each]
    done = subprocess.run(
        ["bash", "-c", command], env=hook.environment(), capture_output=True, text=True, check=True, timeout=30
    )
    assert '"recorded":true' in done.stdout
    assert until(lambda: next((e for e in hook.receiver.taken if e.get("in_reply_to") == "by-hand-1"), None))
    names: dict[str, Any] = {}
    exec(files_of(PAGE)["check.py"], names)
    headers, body = hook.receiver.headers[-1], hook.receiver.bodies[-1]
    assert names["is_genuine"](hook.receiver.secret, headers, body)
    assert not names["is_genuine"](hook.receiver.secret, headers, body + b" ")
    assert not names["is_genuine"]("x" * 43, headers, body)


def test_nothing_without_a_valid_signature_gets_in_and_all_refusals_are_the_same(hook: Hook) -> None:
    body = b'{"conversation": "kitchen", "sender": {"id": "ada"}, "id": "x", "text": "remember mud", "direct": true}'
    genuine = signed_delivery(hook.receiver.secret, body, id="once")
    headers = {
        "X-Cabinet-Timestamp": genuine.timestamp,
        "X-Cabinet-Delivery": genuine.id,
        "X-Cabinet-Signature": genuine.signature,
    }
    with plain_client(hook.url.rpartition("/")[0] + "/") as stranger:
        refused = [
            stranger.post(hook.id, content=body),
            stranger.post(hook.id, content=body + b" ", headers=headers),
            stranger.post("nobody", content=body, headers=headers),
            stranger.post(hook.id, content=body, headers=headers | {"X-Cabinet-Timestamp": "1"}),
        ]
        taken = stranger.post(hook.id, content=body, headers=headers)
        refused.append(stranger.post(hook.id, content=body, headers=headers))
    assert (taken.status_code, taken.json()) == (202, {"recorded": True, "note": ""})
    assert {each.status_code for each in refused} == {403}
    assert len({each.text for each in refused}) == 1


def test_a_body_of_100_mb_is_refused_before_it_was_sent(hook: Hook, people_server: Server) -> None:
    with socket.create_connection(("127.0.0.1", people_server.port), timeout=10) as connection:
        address = f"{people_server.base_url}cabinet/api/hooks/channels/{hook.id}"
        head = f"POST {address} HTTP/1.1\r\nHost: 127.0.0.1:{people_server.port}\r\n"
        connection.sendall(f"{head}Content-Length: {100 << 20}\r\n\r\n".encode())
        assert connection.recv(4096).startswith(b"HTTP/1.1 413")


def test_a_channel_cannot_send_to_the_server_itself(people_server: Server) -> None:
    with people_server.browser_client("ada") as ada:
        new = {"platform": "webhook", "title": "Self", "api_url": f"{people_server.url}api/contents"}
        made = ada.post("channels", json=new)
        assert made.status_code == 201, made.text
        channel = f"channels/{made.json()['id']}"
        ada.post(f"{channel}/secret").raise_for_status()
        connection = until(lambda: (c := ada.get(channel).json()["connection"]) and c["since"] and c)
        problem = until(lambda: (p := ada.get(channel).json()["connection"]["problem"]) and "this server" in p and p)
        assert connection and problem.startswith("The address of the receiver is that of this server.")
        ada.delete(channel)


def test_only_the_owner_makes_a_secret_in_the_browser(hook: Hook, people_server: Server) -> None:
    replies: list[httpx.Response] = []
    for opened in (people_server.client("ada"), people_server.browser_client("ben"), people_server.client("rea")):
        with opened as client:
            replies.append(client.post(f"channels/{hook.id}/secret"))
    assert [each.status_code for each in replies] == [403, 404, 403]
