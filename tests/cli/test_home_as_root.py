"""The real CLIs with the home directory as the server's root, where they keep their conversations: a run is undone, and
the next instruction continues the same conversation."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.home_server import HomeServer
from harness.server import Server

from jupyter_cabinet.testing.model_script import Answer, ToolUse
from jupyter_cabinet.testing.model_server import ModelServer

from .homes import NAMES
from .servers import running_server

pytestmark = [pytest.mark.realcli, pytest.mark.timeout(240)]


@pytest.fixture(scope="module")
def server(service: ModelServer) -> Iterator[Server]:
    with running_server(NAMES, service.url, kind=HomeServer) as server:
        yield server


def write(name: str, path: Path) -> Answer:
    if name == "codex":
        return Answer(tools=(ToolUse(name="exec_command", arguments={"cmd": f"printf made > {path}"}),))
    tool = {"claude": "Write", "gemini": "write_file"}.get(name, "write")
    key = "filePath" if name == "opencode" else "path"
    arguments = {"file_path" if name in ("claude", "gemini") else key: str(path), "content": "made"}
    return Answer(tools=(ToolUse(name=tool, arguments=arguments),))


def marked(name: str, mode: str) -> Any:
    quick = (name, mode) == ("claude", "headless")
    marks = () if quick else (pytest.mark.long(reason="one of ten cells of a table"),)
    return pytest.param(name, mode, id=f"{name}-{mode}", marks=marks)


@pytest.mark.parametrize(("name", "mode"), [marked(name, mode) for name in NAMES for mode in ("headless", "terminal")])
def test_a_conversation_continues_after_an_undo(server: Server, service: ModelServer, name: str, mode: str) -> None:
    page, made = server.root / f"{name}-{mode}.md", server.root / f"{name}-{mode}-made.txt"
    page.write_text("# Page\n")
    about = {"kind": "editor", "path": page.name, "runtime": name, "mode": mode, "permission_mode": "edit"}
    with server.browser_client("ada") as client:
        service.script = [write(name, made), Answer(text="I made it.")]
        first = server.run(client, "please make the file", wait=120, **about)
        assert first["state"] == "succeeded" and made.exists(), first
        files = [file["path"] for file in client.get(f"runs/{first['id']}/changes").json()["files"]]
        assert files == [made.name]
        client.post(f"editor/sessions/{first['session_id']}/close", json={}, timeout=20)
        undone = client.post(f"runs/{first['id']}/changes", json={"decision": "revert"})
        assert undone.status_code == 200 and not made.exists(), undone.text

        service.script = [Answer(text="Second answer.")]
        second = server.run(client, "and what did you make?", wait=120, session_id=first["session_id"], **about)
        assert second["state"] == "succeeded" and second["result"]["text"] == "Second answer.", second
        assert "no longer has this session" not in str(second)
        said = json.dumps([each.body for each in service.requests[-3:] if not each.aside])
        assert "please make the file" in said and "and what did you make?" in said
        client.post(f"editor/sessions/{second['session_id']}/close", json={}, timeout=20)
