"""Agents in terminals that people opened: runs like all others, which a pause holds and a stop cancels."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.backend import ADA, Place, ended, submit_in_terminal
from harness.waiting import holds

from jupyter_cabinet.backend import Backend
from jupyter_cabinet.core.errors import Conflict, Invalid, NotFound, NotYourTurn, OutsideRoot, UnknownRuntime
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs.model import NewManualRun, Run, StartAgent
from jupyter_cabinet.runs.rules.limits import RunLimits
from jupyter_cabinet.runs.settings import RunSettings
from jupyter_cabinet.terminals.model import NewTerminal, TypedInput
from jupyter_cabinet.terminals.terminal import OpenTerminal

pytestmark = pytest.mark.slow(reason="starts real agents")

LIND = Principal(username="ada", display_name="Ada Lind")
BEN = Principal(username="ben", display_name="Ben Okoro")


async def opened(backend: Backend, who: Principal = LIND, **wanted: object) -> OpenTerminal:
    terminal = await backend.terminal_agents.open(NewTerminal(**wanted), who)  # type: ignore[arg-type]
    return backend.terminals.find(terminal.id)


async def working(backend: Backend, terminal: OpenTerminal) -> Run:
    """The run that works in it, once it does."""
    await holds(lambda: any(live.run.state == "running" for live in backend.records.live.values()))
    return next(live.run for live in backend.records.live.values())


async def test_an_agent_without_an_instruction_opens_and_waits_and_what_is_typed_is_a_run(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend, program="demo", name="Mine")
        assert (terminal.view().name, terminal.view().program) == ("Mine", "demo")
        await holds(lambda: terminal.programs.agent_state == "waiting")
        run_id = terminal.view().run_id
        run = await ended(backend, await backend.runs.get(run_id or "", ADA))
        assert (run.state, run.instruction, run.terminal_id) == ("succeeded", "Opened by Ada Lind", terminal.id)
        await terminal.input.type_for(LIND, TypedInput(text="say hello", submit=True))
        await holds(lambda: terminal.view().run_id != run_id)
        typed = await ended(backend, await backend.runs.get(terminal.view().run_id or "", ADA))
        assert (typed.state, typed.trigger.kind, typed.trigger.username) == ("succeeded", "terminal", "ada")


async def test_an_agent_starts_in_an_open_terminal_where_the_shell_is_one_at_a_time(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (place.root / "inner").mkdir()
    async with place.backend() as backend:
        terminal = await opened(backend, cwd="inner")
        run = await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo", instruction="sleep 60"), LIND)
        assert (run.kind, run.mode, run.cwd) == ("manual", "terminal", "inner")
        with pytest.raises(Conflict):  # also before the first is there
            await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo"), LIND)
        await holds(lambda: terminal.programs.occupied)
        with pytest.raises(Conflict):
            await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo"), LIND)


async def test_a_pause_holds_the_run_and_its_limits_and_a_stop_cancels_it(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend)
        await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo", instruction="sleep 60"), LIND)
        run = await working(backend, terminal)
        live = backend.records.live[run.id]
        view = await backend.terminal_agents.pause(terminal.id, LIND)
        assert view.agent_state == "paused"
        await holds(lambda: live.run.state == "waiting")
        assert live.run.reason == "Paused by Ada Lind."
        assert live.progress is not None and live.progress.waiting_since is not None
        await backend.terminal_agents.resume(terminal.id, LIND)
        await holds(lambda: live.run.state == "running")
        assert live.progress.waiting_since is None and live.progress.waited > 0
        await backend.terminal_agents.pause(terminal.id, LIND)
        stopped = await backend.terminal_agents.stop(terminal.id, LIND)
        run = await backend.runs.get(run.id, ADA)
        assert (stopped.agent_state, run.state, run.reason) == ("stopped", "cancelled", "Cancelled by Ada Lind.")
        assert terminal.display.shown is not None and terminal.display.shown.source == "shell"
        with pytest.raises(Conflict):
            await backend.terminal_agents.stop(terminal.id, LIND)


async def test_stopping_an_idle_agent_closes_it_and_leaves_its_run_as_it_was(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend, program="demo")
        await holds(lambda: terminal.programs.agent_state == "waiting")
        await backend.terminal_agents.pause(terminal.id, LIND)
        stopped = await backend.terminal_agents.stop(terminal.id, LIND)
        run = await backend.runs.get(terminal.view().run_id or "", ADA)
        assert (stopped.agent_state, run.state) == ("stopped", "succeeded")
        assert not backend.executor.clis.by_session


@pytest.mark.long(reason="waits for a time limit")
async def test_the_watchdog_does_not_count_a_pause(tmp_path: Path) -> None:
    from jupyter_cabinet.runs.settings import RunSettings

    settings = RunSettings(limits=RunLimits(working_seconds=3.0))
    async with Place(tmp_path).backend(runs=settings) as backend:
        terminal = await opened(backend)
        run = await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo", instruction="sleep 60"), LIND)
        await working(backend, terminal)
        await backend.terminal_agents.pause(terminal.id, LIND)
        live = backend.records.live[run.id]
        assert live.progress is not None
        held = live.progress.waiting_since or 0.0
        await holds(lambda: backend.clock.monotonic() > held + 3.5)
        assert live.run.state == "waiting"
        await backend.terminal_agents.resume(terminal.id, LIND)
        assert (await ended(backend, run)).state == "timed_out"


async def test_any_program_is_an_agent_that_nobody_types_into(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend)
        command = ("/bin/sh", "-c", "echo $0-was-here; read line; exit 3", "it")
        run = await backend.terminal_agents.start(terminal.id, StartAgent(command=command), LIND)
        assert (run.runtime, run.runtime_title) == ("command", "sh")
        assert run.instruction == "/bin/sh -c 'echo $0-was-here; read line; exit 3' it"
        await holds(lambda: terminal.programs.agent_state == "running")
        agent = terminal.programs.agent
        assert agent is not None
        with pytest.raises(Conflict):
            await terminal.input.type_for(LIND, TypedInput(text="x"))
        await working(backend, terminal)
        await agent.type(b"\n", submit=False)
        run = await ended(backend, run)
        assert (run.state, run.reason) == ("failed", "sh ended with code 3.")
        assert b"it-was-here" in await backend.runs.files.raw(run.id, ADA)
        good = await backend.terminal_agents.start(terminal.id, StartAgent(command=("/bin/true",)), LIND)
        assert (await ended(backend, good)).state == "succeeded"
        missing = await backend.terminal_agents.start(terminal.id, StartAgent(command=("no-such-program",)), LIND)
        assert (await ended(backend, missing)).reason == "The program was not found."


class Onlooker:
    """A viewer who keeps what is complained of."""

    def __init__(self, terminal: OpenTerminal) -> None:
        self.complaints: list[str] = []
        self._connection = terminal.connect(self, BEN, can_execute=False)

    async def attach(self) -> Onlooker:
        await self._connection.receive_text('{"type": "attach", "cols": 80, "rows": 24}')
        return self

    def send_text(self, text: str) -> None:
        frame = json.loads(text)
        if frame["type"] == "error":
            self.complaints.append(frame["message"])

    async def send_bytes(self, data: bytes) -> None: ...

    def close(self, code: int, reason: str) -> None: ...


async def test_who_watches_is_told_of_an_agent_that_has_not_started(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend)
        ben = await Onlooker(terminal).attach()
        missing = await backend.terminal_agents.start(terminal.id, StartAgent(command=("no-such-program",)), LIND)
        await ended(backend, missing)
        await holds(lambda: ben.complaints == ["no-such-program has not started. The program was not found."])
        good = await backend.terminal_agents.start(terminal.id, StartAgent(command=("/bin/false",)), LIND)
        assert (await ended(backend, good)).state == "failed" and len(ben.complaints) == 1


async def test_a_terminal_whose_agent_does_not_come_has_a_shell_and_says_why(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(runtime_paths={"claude": "/no/such/claude"}) as backend:
        terminal = await opened(backend, program="claude")
        run = next(live.run for live in backend.records.live.values())
        run = await ended(backend, run)
        assert run.failure is not None and run.failure.kind == "cli_missing"
        await terminal.input.type_for(LIND, TypedInput(text="echo", submit=True))
        assert terminal.display.shown is not None and terminal.display.shown.source == "shell"


async def test_what_cannot_be_opened_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        for wanted, error in (
            ({"program": "nobody"}, UnknownRuntime),
            ({"program": "command"}, Invalid),
            ({"command": ()}, Invalid),
            ({"command": ("a\0b",)}, Invalid),
            ({"cwd": "../out"}, OutsideRoot),
            ({"cwd": "nowhere"}, Invalid),
            ({"cols": 0, "rows": 5}, Invalid),
            ({"name": " "}, Invalid),
        ):
            with pytest.raises(error):
                await opened(backend, **wanted)
        assert backend.terminals.list(ADA) == []


async def test_what_does_not_fit_together_is_refused(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend)
        for fields in (
            {"runtime": "demo", "command": ("true",)},
            {"runtime": "command"},
            {"command": ("true",), "instruction": "x"},
        ):
            with pytest.raises(Invalid):
                await backend.terminal_agents.start(terminal.id, StartAgent(**fields), LIND)  # type: ignore[arg-type]
        for new in (
            NewManualRun(instruction="x", session_id="s", runtime="demo", terminal_id=terminal.id),
            NewManualRun(instruction="x", runtime="demo", terminal_id=terminal.id, mode="headless"),
            NewManualRun(instruction="", runtime="demo"),
        ):
            with pytest.raises(Invalid):
                await backend.runs.submit(new, LIND)
        with pytest.raises(NotFound):
            await backend.runs.submit(NewManualRun(instruction="x", runtime="demo", terminal_id="none"), LIND)
        with pytest.raises(NotYourTurn):  # may see it, but not start an agent in it
            await backend.runs.submit(NewManualRun(instruction="x", runtime="demo", terminal_id=terminal.id), BEN)


async def test_an_agent_of_the_editor_is_paused_and_its_next_instruction_waits(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.backend() as backend:
        first = await ended(backend, await submit_in_terminal(backend, "append: one"))
        terminal = backend.terminals.find(first.terminal_id or "")
        await backend.terminal_agents.pause(terminal.id, ADA)
        second = await submit_in_terminal(backend, "append: two")
        live = backend.records.live[second.id]
        await holds(lambda: live.run.state == "waiting")
        assert live.run.reason == "Paused by Ada." and "two" not in place.document.read_text()
        await backend.terminal_agents.resume(terminal.id, ADA)
        assert (await ended(backend, second)).state == "succeeded"
        assert "two" in place.document.read_text()


async def test_a_command_gets_the_environment_of_an_agent_and_what_the_operator_adds(tmp_path: Path) -> None:
    place = Place(tmp_path)
    environment = {"DATABASE_PASSWORD": "hush", "MY_AGENT_KEY": "mine", "JPY_API_TOKEN": "power", "LC_ALL": "C.UTF-8"}
    async with place.backend(environment=environment, runtime_env=("MY_AGENT_*", "JPY_*")) as backend:
        terminal = await opened(backend)
        command = ("/bin/sh", "-c", "env > environment")
        run = await backend.terminal_agents.start(terminal.id, StartAgent(command=command), LIND)
        assert (await ended(backend, run)).state == "succeeded"
        found = dict(line.split("=", 1) for line in (place.root / "environment").read_text().splitlines())
        assert (found["MY_AGENT_KEY"], found["LC_ALL"]) == ("mine", "C.UTF-8")
        assert not {"DATABASE_PASSWORD", "JPY_API_TOKEN"} & set(found)


class Watcher:
    """A viewer that keeps the frames about agents that wait."""

    def __init__(self, terminal: OpenTerminal) -> None:
        self.told: list[dict[str, object]] = []
        self.connection = terminal.connect(self, LIND, can_execute=True)

    async def attach(self) -> None:
        await self.connection.receive_text('{"type": "attach", "cols": 80, "rows": 24}')

    def send_text(self, text: str) -> None:
        frame = json.loads(text)
        if frame["type"] in ("agent_queued", "error", "agent_state"):
            self.told.append(frame)

    async def send_bytes(self, data: bytes) -> None:
        return None

    def close(self, code: int, reason: str) -> None:
        return None


async def test_who_watches_is_told_of_an_agent_that_waits_its_turn_and_when_it_does_no_longer(tmp_path: Path) -> None:
    async with Place(tmp_path).backend(runs=RunSettings(max_concurrent_runs=1)) as backend:
        first, second, third = [await opened(backend) for _ in range(3)]
        sleep = StartAgent(runtime="demo", instruction="sleep 60")
        await backend.terminal_agents.start(first.id, sleep, LIND)
        await working(backend, first)
        watchers = [Watcher(terminal) for terminal in (second, third)]
        await watchers[0].attach()
        runs = [await backend.terminal_agents.start(terminal.id, sleep, LIND) for terminal in (second, third)]
        await watchers[1].attach()  # a newcomer
        by = {"username": "ada", "display_name": "Ada Lind"}
        for place, watcher in enumerate(watchers, 1):
            queued = {"type": "agent_queued", "title": "Demo agent", "by": by, "position": place, "paused_by": None}
            await holds(lambda told=watcher.told, queued=queued: queued in told)  # type: ignore[misc]
        none = {"type": "agent_queued", "title": None, "by": None, "position": None, "paused_by": None}
        await backend.runs.cancel(runs[1].id, LIND)
        await holds(lambda: watchers[1].told[-1]["type"] == "error")
        assert watchers[1].told[-2] == none
        await backend.terminal_agents.stop(first.id, LIND)
        await holds(lambda: any(frame["type"] == "agent_state" for frame in watchers[0].told))
        kinds = [frame for frame in watchers[0].told if frame["type"] == "agent_queued"]
        assert kinds[-1] == none
        for watcher in watchers:
            watcher.connection.drop()


async def test_who_watches_is_told_that_an_agent_waits_because_all_work_is_paused(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        terminal = await opened(backend)
        watcher = Watcher(terminal)
        await watcher.attach()
        await backend.runs.turn_switch(paused=True, now=False, principal=BEN)
        await backend.terminal_agents.start(terminal.id, StartAgent(runtime="demo", instruction="write a plan"), LIND)
        await holds(lambda: bool(watcher.told))
        assert (watcher.told[0]["title"], watcher.told[0]["paused_by"]) == ("Demo agent", BEN.display_name)
        await backend.runs.turn_switch(paused=False, now=False, principal=BEN)
        await holds(lambda: any(frame["type"] == "agent_state" for frame in watcher.told))
        assert [frame["title"] for frame in watcher.told if frame["type"] == "agent_queued"][-1] is None
        watcher.connection.drop()
