"""The extension's end."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from types import SimpleNamespace

import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager

from jupyter_cabinet.web.jupyter import jupyter_integration
from jupyter_cabinet.web.jupyter.jupyter_integration import JupyterIntegration
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
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    monkeypatch.setattr(jupyter_integration, "STOP_SECONDS", 0.01)
    server = SimpleNamespace(contents_manager=LargeFileManager(root_dir=str(tmp_path)))
    jupyter = JupyterIntegration(server, tmp_path, ServerStatus(), logging.getLogger("cabinet"))
    backend = Backend()
    monkeypatch.setattr(jupyter, "_backend", backend)
    with caplog.at_level(logging.ERROR):
        await jupyter.stop()
    assert backend.let_go
    assert "Backend.close" in caplog.text
