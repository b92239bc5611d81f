"""Whoever has a CLI's ticket may name anything as its transcript: the server and the session continue."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest
from harness.backend import Place, ended, submit
from harness.examples import cases

from jupyter_cabinet.runtimes.demo.program.session import folder

pytestmark = [pytest.mark.slow(reason="starts an agent in a terminal"), pytest.mark.timeout(90)]


async def call_hook(place: Place, transcript: Path) -> None:
    """As the CLI's own hook program does."""
    (door,) = (place.folder / "d").iterdir()
    reader, writer = await asyncio.open_unix_connection(door / "socket")
    said = json.dumps({"hook_event_name": "Planted", "transcript_path": str(transcript)}).encode()
    writer.write(b"hook %s %d\n%s" % ((door / "ticket").read_bytes(), len(said), said))
    await asyncio.wait_for(reader.read(), 10)
    writer.close()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _size(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(3 << 30)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("plant", cases(_pipe, _size, _device))
async def test_a_planted_transcript_hangs_nothing_and_the_next_instructions_are_answered(tmp_path: Path, plant) -> None:  # type: ignore[no-untyped-def]
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit(backend, "append: one", mode="terminal"))
        planted = folder({}, tmp_path / "home") / "planted.jsonl"
        plant(planted)
        await call_hook(place, planted)
        for text in ("two", "three"):
            run = await ended(backend, await submit(backend, f"append: {text}", mode="terminal"))
            assert (run.state, run.session_id, run.terminal_id) == ("succeeded", first.session_id, first.terminal_id)
            assert run.result is not None and run.result.text
        assert "two" in place.document.read_text() and "three" in place.document.read_text()
