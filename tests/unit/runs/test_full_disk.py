"""Nothing new starts where the disk of the records is nearly full, whatever room the documents have."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place, ended, submit

from jupyter_cabinet.core.errors import NoRoom
from jupyter_cabinet.storage.filesystem import private_folders
from jupyter_cabinet.terminals.model import NewTerminal

USAGE = type(shutil.disk_usage("/"))


def disks(free: dict[str, int]) -> Callable[[Any], Any]:
    """A machine on which `.cabinet/` is a separate disk."""

    def usage(path: Any) -> Any:
        disk = "state" if ".cabinet" in Path(path).resolve().parts else "documents"
        return USAGE(1 << 40, 0, free[disk])

    return usage


@pytest.mark.slow(reason="opens a server")
async def test_the_disk_of_the_records_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"state": private_folders.LEAST_FREE_BYTES - 1, "documents": 1 << 40}
    async with Place(tmp_path).backend() as backend:
        monkeypatch.setattr(private_folders.shutil, "disk_usage", disks(free))
        with pytest.raises(NoRoom):
            await submit(backend, "append: x")
        with pytest.raises(NoRoom):
            await backend.terminal_agents.open(NewTerminal(), ADA)
        free.update(state=private_folders.LEAST_FREE_BYTES, documents=0)
        assert (await ended(backend, await submit(backend, "append: x"))).state == "succeeded"
        terminal = await backend.terminal_agents.open(NewTerminal(), ADA)
        await backend.terminals.close(terminal.id, "Closed.")


@pytest.mark.long(reason="fills a disk; the quick tier fills one once")
async def test_what_waits_in_the_queue_is_not_started_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = {"state": 1 << 40, "documents": 1 << 40}
    async with Place(tmp_path).backend() as backend:
        monkeypatch.setattr(private_folders.shutil, "disk_usage", disks(free))
        await backend.runs.turn_switch(paused=True, now=False, principal=ADA)
        run = await submit(backend, "append: x")
        free["state"] = private_folders.LEAST_FREE_BYTES - 1
        await backend.runs.turn_switch(paused=False, now=False, principal=ADA)
        assert (await backend.runs.get(run.id, ADA)).state == "queued"
        free["state"] = private_folders.LEAST_FREE_BYTES
        assert (await ended(backend, run)).state == "succeeded"
