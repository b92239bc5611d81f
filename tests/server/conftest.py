"""Two shared servers: one with named people; one with the usual shared token, open to pages of another origin."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.server import Server

FRIENDS = ("--CabinetApp.trust=always", r"--ServerApp.allow_origin_pat=https://good\.example")


@pytest.fixture(scope="session")
def people_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("people"), people=True).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("shared"), arguments=FRIENDS).start()
    yield server
    server.stop()
