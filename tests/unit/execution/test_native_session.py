"""Which session of its CLI a run continues with: after crashes, beside another server, with invalid ids."""

from __future__ import annotations

import asyncio
import uuid
from pathlib import Path
from typing import Any

import pytest
from harness.backend import ADA, Place, ended, submit, submit_in_terminal
from harness.examples import cases
from harness.sessions import change_session
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.runtimes.claude.failures import of_exit
from jupyter_cabinet.runtimes.model import Outcome
from jupyter_cabinet.runtimes.port import Exit
from jupyter_cabinet.sessions.model import DocumentSubject, Session

pytestmark = pytest.mark.slow(reason="starts real agents")
MODES = pytest.mark.parametrize("mode", cases("headless", "terminal"))
OVERLONG = "a" * 129


async def session_of(backend: Backend, run: Run) -> Session:
    session = await backend.sessions.load(run.session_id)
    assert session is not None
    return session


async def forgotten(backend: Backend, run: Run, **changes: Any) -> None:
    """As a server finds it that was started after a crash: no CLI is open, and the record says something else."""
    await backend.runs.close_session(run.session_id, ADA)
    await change_session(backend, run.session_id, **changes)


@MODES
async def test_the_id_of_a_session_is_on_record_before_its_cli_works(tmp_path: Path, mode: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit(backend, "sleep 60", mode=mode)
        await holds(lambda: backend.records.live[run.id].run.state == "running")
        assert (await session_of(backend, run)).native_id == run.session_id


@MODES
async def test_a_session_that_the_cli_knows_and_the_record_does_not_is_gone_on_with(tmp_path: Path, mode: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit(backend, "remember the word heron", mode=mode))
        await forgotten(backend, first, native_id=None)
        second = await ended(backend, await submit(backend, "what did I tell you", mode=mode))
        assert (second.state, second.reason) == ("succeeded", "Finished.")
        assert second.result is not None and "heron" in second.result.text
        assert (await session_of(backend, first)).native_id == first.session_id


@MODES
async def test_a_session_on_record_that_the_cli_has_never_begun_is_begun(tmp_path: Path, mode: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit(backend, "remember the word heron", mode=mode))
        await forgotten(backend, first, native_id=str(uuid.uuid4()))
        for word in ("two", "three"):
            run = await ended(backend, await submit(backend, f"append: {word}", mode=mode))
            assert run.state == "succeeded"
        assert run.warnings == ()
        assert place.document.read_text().split() == ["#", "A", "two", "three"]


@MODES
@pytest.mark.parametrize("stored", cases("../../etc/passwd", "--help", OVERLONG, ""))
async def test_a_stored_id_that_cannot_be_used_counts_as_gone(tmp_path: Path, mode: str, stored: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit(backend, "remember the word heron", mode=mode))
        await forgotten(backend, first, native_id=stored)
        second = await ended(backend, await submit(backend, "what did I tell you", mode=mode))
        assert second.state == "succeeded"
        assert second.warnings == ("The id of Demo agent's session is not valid. A new session was started.",)
        prompt = (place.root / ".cabinet/runs" / second.id / "prompt.md").read_text()
        assert "what did I tell you" in prompt
        third = await ended(backend, await submit(backend, "append: three", mode=mode))
        assert (third.state, third.warnings) == ("succeeded", ())


async def test_an_id_that_no_argument_can_hold_is_not_kept_and_what_was_said_stands_in_the_prompt(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit(backend, "append: one", mode="headless"))
        await forgotten(backend, first, native_id=None)
        for unusable in ("two words", "-x", OVERLONG, "a/b", "é", "x\n", ""):
            await backend.database.write(
                lambda c, id=unusable: backend.sessions.take_outcome(c, first.session_id, id, Outcome(), newest=True)
            )
            assert (await session_of(backend, first)).native_id is None
        second = await ended(backend, await submit(backend, "append: two", mode="headless"))
        assert second.state == "succeeded"
        assert second.warnings == ("Demo agent's session has no valid id: the earlier messages are in the prompt.",)


async def test_a_cli_that_is_open_is_not_told_again_what_was_said(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        await change_session(backend, first.session_id, native_id=None)
        second = await ended(backend, await submit_in_terminal(backend, "append: two"))
        assert (second.state, second.warnings, second.terminal_id) == ("succeeded", (), first.terminal_id)
        assert place.document.read_text().split() == ["#", "A", "one", "two"]


@pytest.mark.long(reason="two servers; the quick tier has the other ways into a session")
async def test_two_servers_that_begin_one_session_at_once_both_succeed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        other = await place.open()
        for number in range(6):
            path = f"{number}.md"
            (place.root / path).write_text("# A\n")
            session = await backend.sessions.create(
                ADA, subject=DocumentSubject(path=path), runtime="demo", visibility="server"
            )
            fields = {"path": path, "session_id": session.id, "mode": "headless"}
            runs = await asyncio.gather(
                *(submit(each, f"append: {word}", **fields) for each, word in ((backend, "one"), (other, "two")))
            )
            for each, run in zip((backend, other), runs, strict=True):
                over = await ended(each, run)
                assert (over.state, over.reason) == ("succeeded", "Finished.")
        await other.close()


def test_the_sentence_names_the_cli_that_has_the_session() -> None:
    failure = of_exit(Exit(code=1), "Error: Session ID 1-2-3 is already in use.\n", "Demo agent")
    assert (failure.kind, failure.message) == ("session_exists", "Demo agent already has a session with this id.")
