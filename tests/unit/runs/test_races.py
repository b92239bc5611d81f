"""What happens at the same time: stopping what starts, two instructions at once, typing meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
from harness.backend import ADA, Place, ended, submit, submit_in_terminal
from harness.examples import cases
from harness.sessions import change_session
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.runs.model import Run, RunFilter, RunFinished, RunStarted, RunUpdated
from jupyter_cabinet.runs.rules import lifecycle
from jupyter_cabinet.runtimes.demo.program.session import Session, folder
from jupyter_cabinet.runtimes.model import Failure, Usage, UsageReported
from jupyter_cabinet.schedules.leases import RENEW_EVERY_SECONDS
from jupyter_cabinet.storage.outbox import Effect, Outbox
from jupyter_cabinet.testing.manual_clock import ManualClock

pytestmark = pytest.mark.slow(reason="starts real agents")


async def until_running(backend: Backend, run: Run) -> None:
    await holds(lambda: backend.records.live[run.id].run.state == "running")


@pytest.mark.parametrize("turns", cases(3, 0, 30))
async def test_what_is_cancelled_before_it_was_typed_is_never_typed(tmp_path: Path, turns: int) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        assert (await ended(backend, await submit(backend, "append: one"))).state == "succeeded"
        second = await submit(backend, "append: two")
        for _ in range(turns):
            await asyncio.sleep(0)
        run = await backend.runs.cancel(second.id, ADA)
        assert (run.state, run.reason) == ("cancelled", "Cancelled by Ada.")
        assert "two" not in place.document.read_text()


async def test_two_first_instructions_at_once_share_one_session(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first, second = await asyncio.gather(submit(backend, "append: one"), submit(backend, "append: two"))
        assert first.session_id == second.session_id
        assert [(await ended(backend, run)).state for run in (first, second)] == ["succeeded"] * 2


async def test_closing_a_session_ends_what_works_waits_and_has_no_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        working = await submit(backend, "sleep 60")
        await until_running(backend, working)
        queued = await submit(backend, "append: never")
        await backend.runs.close_session(working.session_id, ADA)
        for run in (working, queued):
            assert (await ended(backend, run)).state == "cancelled"
        assert (await backend.runs.get(queued.id, ADA)).terminal_id is None
        headless = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, headless)
        await backend.runs.close_session(headless.session_id, ADA)
        assert (await ended(backend, headless)).state == "cancelled"


async def test_closing_a_session_starts_nothing_that_waits_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Place(tmp_path).backend() as backend:
        working = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, working)
        waiting = await submit(backend, "append: never", mode="headless")
        live = backend.records.live[working.id]
        assert live.execution is not None
        stop = live.execution.stop

        async def stop_slowly() -> None:
            await stop()
            await live.finished.wait()  # its place is free by now

        monkeypatch.setattr(live.execution, "stop", stop_slowly)
        told: list[Event] = []
        backend.bus.subscribe(lambda event, scope: told.append(event))
        await backend.runs.close_session(working.session_id, ADA)
        assert (await ended(backend, waiting)).state == "cancelled"
        states = {event.run.state for event in told if isinstance(event, RunUpdated | RunStarted | RunFinished)}
        assert states == {"cancelled"}


async def test_no_secret_stands_in_the_reason_of_a_run(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, run)
        live = backend.records.live[run.id]
        await backend.records.put(live, lifecycle.held(live.life, "It shows s3cret-s3cret. Answer it there."))
        assert (await backend.runs.get(run.id, ADA)).reason == "It shows [redacted]. Answer it there."
        await backend.runs.cancel(run.id, ADA)


async def test_a_run_that_is_stopped_keeps_the_tokens_that_were_reported(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        run = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, run)
        usage = Usage(input_tokens=7, output_tokens=3)
        backend.records.live[run.id].take([UsageReported(usage=usage)])
        assert (await backend.runs.cancel(run.id, ADA)).usage == usage


async def test_no_secret_stands_in_a_failure_or_a_warning(tmp_path: Path) -> None:
    """Both may quote the last line that a CLI has written."""
    async with Place(tmp_path).backend() as backend:
        run = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, run)
        live = backend.records.live[run.id]
        live.warnings.append("It wrote s3cret-s3cret.")
        failure = Failure(kind="stalled", message="It wrote s3cret-s3cret last.")
        await backend.records.put(live, lifecycle.limit_passed(live.life, failure))
        await backend.runs.cancel(run.id, ADA)
        over = await ended(backend, run)
        assert over.failure is not None and "s3cret" not in str(over)
        assert "It wrote [redacted]." in over.warnings


async def test_what_a_server_beside_this_one_has_left_to_do_is_done_as_soon_as_it_is_dead(tmp_path: Path) -> None:
    clock, done = ManualClock(), asyncio.Event()

    async def do(body: str) -> None:
        done.set()

    async with Place(tmp_path).backend(clock=clock) as backend:
        backend.outbox.register("told", do)
        await backend.outbox.settled()
        dead = Outbox(database=backend.database, clock=clock, holder="dead", may_act=lambda: False)
        await backend.database.write(lambda c: dead.put(c, [Effect(topic="told", body="")]))
        await clock.advance(RENEW_EVERY_SECONDS, busy=lambda: backend.database.busy > 0)
        async with asyncio.timeout(10):
            await done.wait()


async def test_an_instruction_typed_while_another_starts_gets_its_own_answer(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        cli = backend.executor.clis.by_session[first.session_id]
        second = await submit_in_terminal(backend, "append: two")
        await holds(lambda: backend.records.live[second.id].life.claimed)
        agent = cli.terminal.programs.agent
        assert agent is not None
        typing = asyncio.create_task(agent.type(b"append: typed"))
        assert (await ended(backend, second)).state == "succeeded"
        await typing
        await holds(lambda: not backend.records.live)
        runs = await backend.runs.of_session(first.session_id)
        assert [run.state for run in runs] == ["succeeded"] * len(runs) and len(runs) >= 2


@pytest.mark.long(reason="waits for what must not come")
async def test_an_open_cli_uses_no_tool_of_ours_once_its_answer_was_given(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        answer = await backend.executor.clis.by_session[first.session_id].call_tool("memory_append", {"text": "x"})
        assert answer.is_error and answer.text == "No instruction is being worked on, so no tool can be used."


async def test_a_typed_secret_is_not_recorded(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        agent = backend.executor.clis.by_session[first.session_id].terminal.programs.agent
        assert agent is not None
        await agent.type(b"remember s3cret-s3cret")
        await holds(lambda: bool(backend.records.live))
        await holds(lambda: not backend.records.live)
        typed = (await backend.runs.of_session(first.session_id))[-1]
        assert (typed.trigger.kind, typed.instruction) == ("terminal", "remember [redacted]")


async def test_a_run_whose_terminal_is_closed_says_so(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit_in_terminal(backend, "sleep 60")
        await until_running(backend, run)
        terminal_id = (await backend.runs.get(run.id, ADA)).terminal_id or ""
        await backend.terminals.close(terminal_id, "Closed by Ada.")
        assert (await ended(backend, run)).reason == "Its terminal was closed. Closed by Ada."


async def test_the_last_words_of_a_cli_that_dies_are_in_the_output_of_its_run(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit_in_terminal(backend, "sleep 60")
        await until_running(backend, run)
        cli = backend.executor.clis.by_session[run.session_id]
        sessions = folder({}, tmp_path / "home")
        await holds(lambda: cli.input_state == "busy" and any(sessions.glob("*.jsonl")))  # it shows "busy" first
        (transcript,) = sessions.glob("*.jsonl")
        assert cli.terminal.programs.agent is not None
        (program,) = psutil.Process(cli.terminal.programs.agent.pid).children()
        Session(transcript.stem, transcript.parent).assistant([{"type": "text", "text": "These are my last words."}])
        program.kill()
        assert (await ended(backend, run)).state == "failed"
        said = [record async for record in backend.runs.files.follow(run.id, 0, ADA)]
        assert any(b"These are my last words." in record for record in said)


async def test_a_long_instruction_reaches_the_agent_in_a_terminal(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "append: hello\n" + "padding " * 8_000))
        assert run.state == "succeeded" and "hello" in place.document.read_text()
        assert (place.root / ".cabinet/runs" / run.id / "prompt.md").stat().st_size > 60_000


@pytest.mark.long(reason="two terminals; the headless case is quick")
async def test_a_session_that_the_cli_has_lost_goes_on_in_a_terminal_of_its_own(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        await backend.runs.close_session(first.session_id, ADA)
        await change_session(backend, first.session_id, native_id="00000000-0000-4000-8000-000000000000")
        second = await ended(backend, await submit_in_terminal(backend, "append: two"))
        assert second.state == "succeeded" and any("no longer has this session" in text for text in second.warnings)
        assert second.terminal_id == backend.executor.clis.by_session[first.session_id].terminal.id


async def test_the_end_is_recorded_when_the_database_is_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        monkeypatch.setattr("jupyter_cabinet.runs.records.RECORD_AGAIN_SECONDS", 0.05)
        run = await submit(backend, "wait for the file go", mode="headless")
        await until_running(backend, run)
        write, refused = backend.database.write, asyncio.Event()

        async def fails(work: object) -> object:
            refused.set()
            raise OSError("no room")

        monkeypatch.setattr(backend.database, "write", fails)
        (place.root / "go").touch()
        await asyncio.wait_for(refused.wait(), 10)
        monkeypatch.setattr(backend.database, "write", write)
        assert (await ended(backend, run)).state == "succeeded"


async def test_a_run_that_another_server_took_over_is_not_written_by_the_first(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit(backend, "sleep 60", mode="headless")
        await until_running(backend, run)
        await backend.database.write(backend.runs._reconciler._leases.release)  # as if it had slept too long
        other = await place.open()
        assert (await other.runs.get(run.id, ADA)).state == "interrupted"
        await holds(lambda: not backend.records.live)
        for each in (backend, other):
            assert (await each.runs.get(run.id, ADA)).state == "interrupted"
        await other.close()


async def test_a_second_server_leaves_the_open_sessions_of_the_first(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await ended(backend, await submit(backend, "append: one"))
        other = await place.open()
        session = await backend.sessions.load(run.session_id)
        assert session is not None and session.terminal_id == run.terminal_id
        await other.close()


async def test_an_instruction_right_after_a_stop_gets_a_new_cli(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await submit(backend, "sleep 60")
        await until_running(backend, first)
        live = backend.records.live[first.id]
        stopping = asyncio.create_task(backend.runs.cancel(first.id, ADA))
        await asyncio.wait_for(live.finished.wait(), 10)
        second = await ended(backend, await submit(backend, "append: two"))
        await stopping
        assert (second.state, second.reason) == ("succeeded", "Finished.")


@pytest.mark.long(reason="a race")
async def test_an_instruction_right_after_the_cli_was_left_opens_it_again(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        agent = backend.executor.clis.by_session[first.session_id].terminal.programs.agent
        assert agent is not None
        await agent.type(b"/exit")
        second = await ended(backend, await submit_in_terminal(backend, "append: two"))
        assert second.state == "succeeded" and second.terminal_id != first.terminal_id


async def test_an_instruction_that_the_cli_did_not_read_before_it_left_goes_to_another(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        cli = backend.executor.clis.by_session[first.session_id]
        agent = cli.terminal.programs.agent
        assert agent is not None
        await holds(lambda: cli.input_state == "empty")
        launcher = psutil.Process(agent.pid)
        (program,) = launcher.children()
        for process in (launcher, program):  # the launcher would let it continue
            process.suspend()
        await agent.type(b"/exit")
        second = await submit_in_terminal(backend, "append: two")
        await holds(lambda: agent.state == "running")  # it is typed in
        for process in (program, launcher):
            process.resume()
        run = await ended(backend, second)
        assert (run.state, run.reason) == ("succeeded", "Finished.")
        assert place.document.read_text().split() == ["#", "A", "one", "two"]


@pytest.mark.parametrize("mode", cases("headless", "terminal"))
async def test_a_run_whose_launcher_was_killed_says_so_and_the_next_one_works(tmp_path: Path, mode: str) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        run = await submit(backend, "sleep 60", mode=mode)
        await until_running(backend, run)
        progress = backend.records.live[run.id].progress
        await holds(lambda: progress is not None and progress.output_bytes > 0)
        (launcher,) = launchers_below(os.getpid())
        launcher.send_signal(signal.SIGKILL)
        killed = await ended(backend, run)
        assert killed.state == "failed"
        assert killed.reason.startswith("Demo agent was ended because its launcher was killed.")
        again = await ended(backend, await submit(backend, "append: two", mode=mode))
        assert (again.state, again.reason) == ("succeeded", "Finished.")


def launchers_below(pid: int) -> list[psutil.Process]:
    alive = [each for each in psutil.Process(pid).children() if each.status() != psutil.STATUS_ZOMBIE]
    return [child for child in alive if any(part.endswith("launcher.py") for part in child.cmdline())]


@pytest.mark.parametrize("mode", cases("terminal", "headless"))
async def test_what_escapes_from_a_run_by_killing_its_launcher_is_ended_and_told(tmp_path: Path, mode: str) -> None:
    """By a program in the agent's place, with the recorded answer of none."""
    place = Place(tmp_path)
    agent = tmp_path / "agent"
    agent.write_text(f"#!{sys.executable}\n" + ESCAPES.replace("PLACE", str(tmp_path / "stray")))
    agent.chmod(0o755)
    runtime_paths = {"claude": str(agent)}
    async with place.backend(runtime_paths=runtime_paths) as backend:
        run = await ended(backend, await submit(backend, "go", mode=mode, runtime="claude"))
        assert run.state == "failed"
        assert run.reason == (
            "Claude Code was ended because its launcher was killed. Its remaining processes were found and ended."
        )
        stray = int((tmp_path / "stray").read_text())
        await holds(lambda: not psutil.pid_exists(stray))


# Leaves its session, its parent, its environment and its descriptors, then kills its launcher.
ESCAPES = """
import os, sys, time
if "--version" in sys.argv:
    raise SystemExit("2.1.329 (Claude Code)")
launcher = os.getppid()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    os.closerange(0, 100)
    with open("PLACE", "w") as file:
        file.write(str(os.getpid()))
    while os.getppid() != launcher:
        time.sleep(0.01)
    program = f"import os, time; os.kill({launcher}, 9); time.sleep(600)"
    os.execve(sys.executable, [sys.executable, "-S", "-c", program], {})
time.sleep(600)
"""


async def test_a_run_that_was_stored_starts_although_its_caller_was_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with Place(tmp_path).backend() as backend:
        commit, is_storing = backend.commits.commit, asyncio.Event()

        async def commit_and_tell(*arguments: Any) -> Any:
            if backend.records.live:  # its session is stored before
                is_storing.set()
            return await commit(*arguments)

        monkeypatch.setattr(backend.commits, "commit", commit_and_tell)
        asking = asyncio.create_task(submit(backend, "append: one"))
        await is_storing.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        (run,) = await backend.runs.find(RunFilter(), ADA)
        assert (await ended(backend, run)).state == "succeeded"
