"""Two shared servers: one with named people, one with the usual shared token."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.server import Server


@pytest.fixture(scope="session")
def people_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("people"), people=True).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("shared")).start()
    yield server
    server.stop()
