"""One real server for all tests of the client, at a base URL, with an agent and a play."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from harness.server import Server

from jupyter_cabinet import Cabinet

PERSONA = (
    "---\nname: {name}\nruntime: demo\nallow_unenforced: true\nheartbeat_enabled: false\n"
    "goals:\n  - metric: articles\n    target: 5\n    period: weekly\n---\nBe kind.\n"
)
NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("client")).start()
    for slug in ("ada", "ben"):
        folder = server.root / ".agents" / slug
        folder.mkdir(parents=True)
        (folder / "persona.md").write_text(PERSONA.format(name=slug.title()))
        (folder / "HEARTBEAT.md").write_text("answer: LEARNING: tests are kind\nanswer: MESSAGE_TO [nobody]: hello\n")
    plays = server.root / ".playbooks" / "plays"
    plays.mkdir(parents=True)
    (plays / "greet.md").write_text("---\nagent: ada\n---\nreply with the single word {{word}}\n")
    (server.root / "page.ipynb").write_text(json.dumps(NOTEBOOK))
    yield server
    server.stop()


@pytest.fixture
def cabinet(server: Server) -> Iterator[Cabinet]:
    with Cabinet(server.url, token=server.token("root")) as cabinet:
        yield cabinet
