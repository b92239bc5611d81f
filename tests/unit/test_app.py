"""The extension's end."""

from __future__ import annotations

import asyncio
import logging

import pytest

from jupyter_cabinet import app as module
from jupyter_cabinet.app import CabinetApp
from jupyter_cabinet.web.server_status import ServerStatus


class Backend:
    """In place of the services: something in them never ends."""

    def __init__(self) -> None:
        self.let_go = False

    async def close(self) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            self.let_go = True


async def test_a_server_stops_also_where_something_of_ours_does_not_and_says_what(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "STOP_SECONDS", 0.01)
    app, backend = CabinetApp(), Backend()
    monkeypatch.setattr(app, "_status", ServerStatus(), raising=False)
    monkeypatch.setattr(app, "_backend", backend, raising=False)
    monkeypatch.setattr(app, "_unhear", lambda: None, raising=False)
    with caplog.at_level(logging.ERROR):
        await app.stop_extension()
    assert backend.let_go
    assert "Backend.close" in caplog.text
