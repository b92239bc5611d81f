"""`jupyter cabinet tool-servers`: how tool servers of the CLIs, and remote ones, are printed."""

from __future__ import annotations

import argparse
from typing import Any, cast

from jupyter_cabinet.client.api import Api
from jupyter_cabinet.commands import tool_servers


class Answers:
    """Gives one answer for each path."""

    def __init__(self, **answers: object) -> None:
        self._answers = answers

    def get(self, path: str) -> Any:
        return self._answers[path.replace("-", "_").replace("/", "_")]


def printed(command: Any, **answers: object) -> str:
    return "\n".join(command(cast("Api", Answers(**answers)), argparse.Namespace(slug="docs")).lines)


def test_those_of_the_clis_are_printed_in_one_line_each() -> None:
    item = {
        "runtime": "codex",
        "title": "Codex",
        "name": "docs",
        "path": "/home/ada/.codex/config.toml",
        "transport": "stdio",
        "command": ["npx", "a\nb"],
        "use": "if_trusted",
    }
    remote = {**item, "name": "away", "command": [], "address": "https://a.example.com/mcp", "use": "no"}
    said = printed(tool_servers.of_clis, tool_servers_of_clis={"items": [item, remote], "problems": ["x is damaged."]})
    first, second, problem = said.splitlines()[-3:]
    assert "Codex" in first and "docs" in first and "if the folder is trusted" in first
    assert "https://a.example.com/mcp" in second and "switched off" in second
    assert problem == "x is damaged."
    assert printed(tool_servers.of_clis, tool_servers_of_clis={"items": []}) == tool_servers.NONE_OF_CLIS


def test_a_remote_one_is_shown_with_its_address_and_the_names_of_its_headers() -> None:
    server = {
        "name": "docs",
        "owner": "ada",
        "mine": True,
        "shared": False,
        "command": [],
        "variables": [],
        "tools": [],
        "address": "https://a.example.com/mcp",
        "headers": ["Authorization"],
        "agents": [],
        "problem": "",
        "looked_at": "2026-11-28T06:00:00Z",
        "hash": "0",
    }
    said = printed(tool_servers.shown, tool_servers_docs=server)
    assert said.splitlines() == ["docs: https://a.example.com/mcp", "Headers: Authorization"]
