"""A turn is interrupted, and the CLI stays: which keys reach it, how the run ends, and what happens to the next one."""

from __future__ import annotations

import asyncio
import re
import signal
from pathlib import Path

import psutil
import pytest
from harness.backend import ADA, Place, ended, submit_in_terminal
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.execution.interactive.open_cli import OpenCli
from jupyter_cabinet.runs.model import Run
from jupyter_cabinet.sandboxes.process_table import turn_work

pytestmark = pytest.mark.slow(reason="starts real agents")

CANCELLED = ("cancelled", "Cancelled by Ada.")
CLOSED = "Demo agent could not be interrupted, so its session was closed. The next instruction resumes it."

LEFT = "Processes that Demo agent started did not end, so its session was closed. The next instruction resumes it."


async def at_work(backend: Backend, run: Run) -> OpenCli:
    """The CLI of a run that works: the agent itself has reported its instruction."""
    await holds(lambda: run.session_id in backend.executor.clis.by_session)
    cli = backend.executor.clis.by_session[run.session_id]
    await holds(lambda: cli.input_state == "busy")
    return cli


def ignores_ctrl_c(cli: OpenCli) -> bool:
    """Whether some process of the agent ignores the signal."""
    agent = cli.terminal.programs.agent
    assert agent is not None
    pids = [each.pid for each in psutil.Process(agent.pid).children(recursive=True)]
    ignored = [re.search(r"SigIgn:\t(\w+)", Path(f"/proc/{pid}/status").read_text()) for pid in pids]
    return any(found and int(found[1], 16) >> (signal.SIGINT - 1) & 1 for found in ignored)


async def stopped(backend: Backend, run: Run) -> tuple[str, str]:
    over = await backend.runs.cancel(run.id, ADA)
    return over.state, over.reason


async def test_stop_ends_the_turn_and_the_same_process_answers_the_next_instruction(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await submit_in_terminal(backend, "wait for the file go.txt")
        cli = await at_work(backend, first)
        assert await stopped(backend, first) == CANCELLED
        agent = cli.terminal.programs.agent
        assert agent is not None and agent.state == "waiting" and cli.alive
        second = await ended(backend, await submit_in_terminal(backend, "append: two"))
        assert second.state == "succeeded" and second.terminal_id == cli.terminal.id
        assert backend.executor.clis.by_session[first.session_id] is cli and cli.terminal.programs.agent is agent
        assert place.document.read_text().split() == ["#", "A", "two"]


@pytest.mark.long(reason="a race")
async def test_two_stops_at_once_are_one_and_a_typed_instruction_is_interrupted_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        second = await submit_in_terminal(backend, "wait for the file go.txt")
        cli = await at_work(backend, second)
        assert await asyncio.gather(stopped(backend, second), stopped(backend, second)) == [CANCELLED] * 2
        assert backend.executor.clis.by_session[first.session_id] is cli and cli.alive


@pytest.mark.long(reason="waits for a CLI that does not give up")
async def test_a_cli_that_does_not_give_up_is_closed_and_the_run_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit_in_terminal(backend, "hang")
        cli = await at_work(backend, run)
        await holds(lambda: ignores_ctrl_c(cli))
        assert await stopped(backend, run) == ("cancelled", f"Cancelled by Ada. {CLOSED}")
        assert run.session_id not in backend.executor.clis.by_session
        assert (await ended(backend, await submit_in_terminal(backend, "append: two"))).state == "succeeded"


def sleeping(seconds: str) -> list[psutil.Process]:
    """The processes of this machine that sleep for so long."""
    found = psutil.process_iter(["cmdline"])
    return [each for each in found if each.info["cmdline"] == ["sleep", seconds]]


async def test_what_the_turn_has_left_at_work_is_ended_before_the_run_and_what_an_earlier_one_has_started_goes_on(
    tmp_path: Path,
) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        served = await ended(backend, await submit_in_terminal(backend, "leave a sleep of 3601.25 at work"))
        assert served.state == "succeeded"
        run = await submit_in_terminal(backend, "leave a sleep of 3602.25 at work\nwait for the file go.txt")
        cli = await at_work(backend, run)
        await holds(lambda: bool(sleeping("3602.25")))
        assert await stopped(backend, run) == CANCELLED
        assert not sleeping("3602.25") and len(sleeping("3601.25")) == 1
        assert (
            cli.alive and (await ended(backend, await submit_in_terminal(backend, "append: two"))).state == "succeeded"
        )
    assert not sleeping("3601.25")


@pytest.mark.long(reason="waits for a CLI that does not give up")
async def test_a_cli_whose_work_does_not_end_is_closed_and_the_run_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_work, "STEPS", ((0.1, ()),))  # nothing is ended: as if it were another user's
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit_in_terminal(backend, "leave a sleep of 3603.25 at work\nwait for the file go.txt")
        await at_work(backend, run)
        await holds(lambda: bool(sleeping("3603.25")))
        assert await stopped(backend, run) == ("cancelled", f"Cancelled by Ada. {LEFT}")
        assert run.session_id not in backend.executor.clis.by_session and not sleeping("3603.25")


async def test_an_open_question_is_withdrawn(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit_in_terminal(backend, "append: never", permission_mode="ask")
        await holds(lambda: backend.records.live[run.id].run.state == "waiting")
        cli = backend.executor.clis.by_session[run.session_id]
        assert await stopped(backend, run) == CANCELLED
        assert cli.alive and cli.input_state == "empty"
        assert place.document.read_text() == "# A\n"


async def test_the_end_of_a_session_drops_what_waits_in_it_and_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        working = await submit_in_terminal(backend, "wait for the file go.txt")
        await at_work(backend, working)
        queued = await submit_in_terminal(backend, "append: never")
        await backend.runs.close_session(working.session_id, ADA)
        for run in (working, queued):
            over = await ended(backend, run)
            assert (over.state, over.reason) == ("cancelled", "Cancelled by Ada. The session was ended.")
        assert working.session_id not in backend.executor.clis.by_session


async def test_what_is_sent_now_goes_before_what_waits_into_the_same_cli(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        working = await submit_in_terminal(backend, "wait for the file go.txt")
        cli = await at_work(backend, working)
        queued = [await submit_in_terminal(backend, f"append: {word}") for word in ("one", "two", "three")]
        await backend.runs.send_now(queued[1].id, ADA)
        over = [await ended(backend, run) for run in (working, *queued)]
        assert [run.state for run in over] == ["cancelled", "succeeded", "succeeded", "succeeded"]
        assert {run.terminal_id for run in over} == {cli.terminal.id}
        assert place.document.read_text().split() == ["#", "A", "two", "one", "three"]
