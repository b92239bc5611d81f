"""Drives a runtime's CLI in a terminal by the product's own execution: a backend without a server.

The backend's loop runs while a test waits for something, in the test's own thread.
"""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Callable, Coroutine, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec

from jupyter_cabinet.backend import Backend, BackendSettings
from jupyter_cabinet.core.people import Visibility
from jupyter_cabinet.execution.interactive.open_cli import OpenCli
from jupyter_cabinet.execution.model import Begun, Deliver, Execution, Order, Typed
from jupyter_cabinet.runtimes.model import Outcome, QuestionAsked
from jupyter_cabinet.sandboxes.port import ProcessExit, Size
from jupyter_cabinet.sessions.model import Session
from jupyter_cabinet.terminals.model import TypedInput
from jupyter_cabinet.terminals.programs.agent import AgentProcess
from jupyter_cabinet.terminals.terminal import OpenTerminal

from .backend import ADA
from .order_listener import KeepingListener

LOOK_SECONDS = 0.02
# Only what hangs takes longer: Gemini CLI starts in 12 s on two cores, and in 30 s if each has six other processes.
BOUND_SECONDS = 60.0
Run = Callable[[Coroutine[Any, Any, Any]], Any]


class TerminalClis:
    """Opens CLIs, one after the other, in terminals of one backend; closes it with all of them.

    `data`, `run_directories`: outside of `root`, where the CLIs work. `environment`: the server's.
    """

    def __init__(self, *, root: Path, data: Path, run_directories: Path, environment: Mapping[str, str]) -> None:
        self._settings = {"root": root, "data": data, "run_directories": run_directories, "environment": environment}
        self._stack = ExitStack()
        self._backend: Backend | None = None
        self._run: Run

    def __enter__(self) -> TerminalClis:
        self._run = self._stack.enter_context(asyncio.Runner()).run
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def open(self, runtime: str, prompt: str, *, resume: str | None = None, **fields: Any) -> TerminalCli:
        """Give a first instruction. `resume`: the CLI's own id of the session to resume; `fields`: the order's."""
        backend = self._opened()
        session = self._run(_session(backend, runtime, resume))
        values = {"permission_mode": "edit", "mode": "terminal", "cols": 120, "rows": 40, **fields}
        order = Order(
            run_id=_run_id(),
            session_id=session.id,
            prompt=prompt,
            label=prompt,
            runtime=runtime,
            runtime_title=backend.runtimes.get(runtime).about.title,
            by=ADA.person,
            owner=ADA,
            visibility="private",
            **values,
        )
        return TerminalCli(backend, self._run, order)

    def _opened(self) -> Backend:
        """Opened with the first CLI: until then a test may change the environment."""
        if self._backend is None:
            self._backend = Backend(BackendSettings(secrets=(), trust="always", **self._settings))
            self._run(self._backend.open())
            self._stack.callback(lambda backend: self._run(backend.close()), self._backend)
        return self._backend


async def _session(backend: Backend, runtime: str, resume: str | None) -> Session:
    session = await backend.sessions.create(ADA, subject=None, runtime=runtime, visibility="private")
    if resume is not None:
        await backend.commits.commit(lambda c: backend.sessions.begin_native(c, session.id, resume))
    return session


def _run_id() -> str:
    return uuid.uuid4().hex


class TerminalCli(KeepingListener):
    """A CLI in a terminal, and the orders that it was given.

    `screen`: every byte that it has drawn. `typed_texts`: instructions that were typed into it by a person.
    `waits_because`: why an instruction could not be typed at once, the last time.
    """

    def __init__(self, backend: Backend, run: Run, order: Order) -> None:
        super().__init__()
        self.screen = b""
        self.typed_texts: list[str] = []
        self.waits_because = ""
        self._backend = backend
        self._run = run
        self._order = order
        self._terminal_id = ""
        self._deliveries: dict[str, Deliver] = {}  # ways to answer, by question
        self._works: list[asyncio.Task[Outcome]] = []  # of each order
        self._executions: list[Execution] = []  # of each order
        self._run(self._give(order))

    async def _give(self, order: Order) -> None:
        self._work(self._backend.executor.execution(order, self))

    def _work(self, execution: Execution) -> None:
        self._executions.append(execution)
        self._works.append(asyncio.get_running_loop().create_task(execution.work()))

    # --- what the order's execution tells ------------------------------------------------------

    async def begun(self, begun: Begun) -> None:
        if begun.pid is not None and begun.terminal_id is not None:
            self._terminal_id = begun.terminal_id
            self._agent.subscribe(self._drawn)

    def _drawn(self, data: bytes) -> None:
        self.screen += data

    def asked(self, asked: QuestionAsked, deliver: Deliver) -> bool:
        self._deliveries[asked.question_id] = deliver
        return True

    def waits(self, reason: str) -> None:
        self.waits_because = reason

    def typed(self, typed: Typed) -> None:
        self.typed_texts.append(typed.text)
        self._work(typed.accept(_further(self._order, typed.text), self))

    # --- what a test does ----------------------------------------------------------------------

    def keys(self, data: bytes) -> None:
        """What a person types. While it works, people's keys are locked out: then the server types them."""
        self._run(self._type(data))

    async def _type(self, data: bytes) -> None:
        if self._agent.state != "waiting":
            await self._agent.type(data, submit=False)
            return
        text, enter = data.removesuffix(b"\r"), data.endswith(b"\r")
        await self._terminal.input.type_for(ADA.person, TypedInput(text=text.decode(), submit=enter))

    def instruct(self, text: str, **fields: Any) -> None:
        """Give a further instruction, which is typed when the empty input box is there. `fields`: the order's."""
        self._run(self._give(msgspec.structs.replace(_further(self._order, text), **fields)))

    @property
    def is_given(self) -> bool:
        """Whether the open CLI has the newest order, also if its instruction is not typed yet."""
        return self._cli.at_work

    @property
    def shows_empty_box(self) -> bool:
        """Whether an instruction would be typed at once."""
        return self._cli._conversation.input() == "empty"

    @property
    def _cli(self) -> OpenCli:
        (cli,) = self._backend.executor.clis.by_session.values()
        return cli

    def set_visibility(self, visibility: Visibility) -> None:
        """Share the terminal, or make it private to Ada."""
        self._run(self._set_visibility(visibility))

    async def _set_visibility(self, visibility: Visibility) -> None:
        self._terminal.set_visibility(visibility, "")

    def pause(self) -> None:
        """Ada takes the terminal, and has her shell in it."""
        self._run(self._terminal.pause(ADA))

    def resume(self) -> None:
        """Ada lets the agent continue."""
        self._run(self._terminal.resume(ADA))

    def interrupt(self) -> str:
        """Stop the newest order as a person does. Why its CLI could not be interrupted; empty: it is, and stays."""
        return str(self._run(self._executions[-1].interrupt()))

    @property
    def pid(self) -> int:
        """Of the launcher under which the CLI works."""
        return self._agent.pid

    def answer(self, question_id: str, option: str, note: str = "") -> None:
        """A person's answer, by the way that the question came."""
        assert self._run(self._deliveries[question_id](option, note))

    def resize(self, cols: int, rows: int) -> None:
        """Set the terminal's size."""
        self._run(self._resize(Size(cols=cols, rows=rows)))

    async def _resize(self, size: Size) -> None:
        self._terminal.resize(size)

    def close(self) -> None:
        """End it, and everything that it has started."""
        self._run(self._backend.executor.clis.close(self._order.session_id, "The test is done with it."))

    # --- what a test waits for -----------------------------------------------------------------

    def event(self, kind: type, seconds: float = BOUND_SECONDS, count: int = 1) -> Any:
        """Wait for the n-th event of a kind."""
        self.until(lambda: len(self.of(kind)) >= count, seconds)
        return self.of(kind)[count - 1]

    def of(self, kind: type) -> list[Any]:
        """The events of a kind, so far."""
        return [event for event in self.events if isinstance(event, kind)]

    def outcome(self, seconds: float = BOUND_SECONDS) -> Outcome:
        """Wait for the outcome of the newest order."""
        newest = self._works[-1]
        self.until(newest.done, seconds)
        return newest.result()

    def gone(self, seconds: float = 20) -> ProcessExit:
        """Wait for the CLI's end."""
        self.until(lambda: self._exit is not None, seconds)
        assert self._exit is not None
        return self._exit

    def settle(self, quiet_seconds: float = 0.3) -> None:
        """Until nothing was drawn for so long (bounded by 3 s: some CLIs animate for ever)."""
        self._run(self._settled(quiet_seconds))

    async def _settled(self, quiet_seconds: float) -> None:
        try:
            async with asyncio.timeout(3):
                await asyncio.sleep(quiet_seconds)
                while self._agent.still_seconds < quiet_seconds:
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            return

    def until(self, done: Callable[[], bool], seconds: float = BOUND_SECONDS) -> None:
        """Let it run until `done`. Raises `TimeoutError` with what the screen showed last, and at once what an order
        has raised."""
        self._run(self._until(done, seconds))

    async def _until(self, done: Callable[[], bool], seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while not done():
                    self._outcomes()
                    await asyncio.sleep(LOOK_SECONDS)
        except TimeoutError:
            found = f"outcomes {self._outcomes()!r}, events {self.events!r}, screen ends {self.screen[-1500:]!r}"
            raise TimeoutError(found) from None

    def _outcomes(self) -> list[Outcome]:
        return [work.result() for work in self._works if work.done()]

    # --- inside --------------------------------------------------------------------------------

    @property
    def _terminal(self) -> OpenTerminal:
        return self._backend.terminals.find(self._terminal_id)

    @property
    def _agent(self) -> AgentProcess:
        agent = self._terminal.programs.agent
        assert agent is not None
        return agent

    @property
    def _exit(self) -> ProcessExit | None:
        return self._agent.exit


def _further(order: Order, text: str) -> Order:
    """Another order to the same CLI."""
    return msgspec.structs.replace(order, run_id=_run_id(), prompt=text, label=text)


def prompt_file(prompt: str) -> str:
    """The path that a CLI received instead of an instruction that is too long for its command line."""
    found = re.search(r"/\S+/prompt\.md", prompt)
    assert found is not None, prompt
    return found[0]
