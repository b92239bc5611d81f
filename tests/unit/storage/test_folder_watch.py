"""Folders are watched whatever names the files in them have."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Collection
from pathlib import Path

import pytest

from jupyter_cabinet.core.clock import SystemClock
from jupyter_cabinet.storage.filesystem import folder_watch
from jupyter_cabinet.storage.filesystem.folder_watch import FolderWatch


@pytest.mark.parametrize("recursive", [False, True])
async def test_a_name_that_is_not_utf_8_does_not_end_the_watch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recursive: bool
) -> None:
    monkeypatch.setattr(folder_watch, "AGAIN_SECONDS", 3600.0)
    monkeypatch.setattr(folder_watch, "MISSING_AGAIN_SECONDS", 0.05)
    told: list[tuple[str, ...]] = []

    async def changed(paths: Collection[str]) -> None:
        told.append(tuple(paths))

    watch = FolderWatch(changed, lambda path: True, clock=SystemClock(), recursive=recursive)
    await watch.follow([tmp_path])
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe.md")).touch()
    async with asyncio.timeout(60):
        while () not in told:  # callers look for themselves then
            await asyncio.sleep(0.02)
        later = tmp_path / "later.md"
        while not any(str(later) in paths for paths in told):
            later.touch()  # again and again, because the new watcher may not have started
            await asyncio.sleep(0.05)
    await watch.stop()
