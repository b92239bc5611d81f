"""Carries out orders: headless with pipes, or in a terminal (`interactive/terminal_execution.py`).

Called by `runs/`, which decides when to run and what the outcome means.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

import msgspec

from ..core.paths import folder_below
from ..runners.port import Runner, RunnerName
from ..runtimes.model import Failure, Outcome, Request, Warned
from ..runtimes.port import Located, Missing, Runtime
from ..runtimes.registry import Runtimes
from ..sandboxes.port import Sandbox
from ..sandboxes.probe import SandboxCheck, probe
from ..sandboxes.process_table.resources import kill_below
from ..sessions.model import Session
from ..sessions.service import Sessions
from ..storage.filesystem.private_folders import private_folder
from ..terminals.service import Terminals
from .headless import HeadlessExecution
from .interactive.native_session import MOST_TRIES, NativeSession
from .interactive.open_clis import OpenClis
from .interactive.terminal_execution import TerminalExecution
from .launcher_loss import without_launcher
from .model import Begun, Order, OrderListener, StoppedBeforeStart
from .order_runner import OrderRunner
from .raw_log import RawLog
from .request_warnings import request_warnings
from .run_directory import RunDirectory
from .sandbox.isolation import Isolation
from .sandbox.order_sandbox import OrderSandbox
from .settings import ExecutionSettings, Surroundings
from .tools.order_equipment import OrderEquipment
from .tools.tool_door import ToolDoor


class Executor:
    """The state that executions share: the open CLIs, and the ways to start one."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        runtimes: Runtimes,
        terminals: Terminals,
        sandbox: Sandbox,
        settings: ExecutionSettings,
        surroundings: Surroundings,
        runners: Mapping[RunnerName, Runner],
    ) -> None:
        self.clis = OpenClis(sessions=sessions, terminals=terminals, idle_seconds=settings.idle_cli_seconds)
        self.sessions = sessions
        self.runtimes = runtimes
        self.sandbox = sandbox
        self.runners = runners
        self.settings = settings
        self.places = surroundings
        self.sandbox_check = SandboxCheck(partial(probe, sandbox))

    def execution(self, order: Order, listener: OrderListener) -> OrderExecution:
        """Return the order ready to be worked on and stopped. Starts nothing, and writes nothing."""
        return OrderExecution(order, listener, self)

    def logged_in(self, runtime: str) -> bool:
        """Return whether the CLI of a runtime was found and reports that it is logged in. False if it cannot say.

        Blocks. Raises `UnknownRuntime`.
        """
        located = self.runtimes.locate(runtime)
        return isinstance(located, Located) and located.login == "yes"


class OrderExecution:
    """One order that is being carried out. `stop` may be called at any time, also before `work`."""

    def __init__(self, order: Order, listener: OrderListener, executor: Executor) -> None:
        self._order = order
        self._listener = listener
        self._executor = executor
        self._places = executor.places
        self._stopping = False
        self._equipment = OrderEquipment(order, executor.places)
        self._pid: int | None = None
        self._runner = OrderRunner(order, executor.sandbox, None, executor.places)
        self._sandbox: OrderSandbox | None = None
        self._end_process: Callable[[], Awaitable[None]] | None = None
        self._in_terminal: TerminalExecution | None = None

    @property
    def pid(self) -> int | None:
        """Return the process id of its launcher on this machine; None if none was started here yet.

        It stays after the end.
        """
        return self._in_terminal.pid if self._in_terminal is not None else self._pid

    @property
    def has_agent(self) -> bool:
        """Return whether a CLI in a terminal works on it, or did."""
        return self._in_terminal is not None and self._in_terminal.has_agent

    async def work(self) -> Outcome:
        """Carry out the order and return its outcome, which may be a failure. Call it once.

        It continues the CLI's own session if that still exists, else it starts a new one. If the CLI was not found, the
        outcome is the failure `cli_missing`. The listener receives warnings as events. Raises `StoppedBeforeStart`,
        `Unavailable` if the runner or the sandbox cannot be used, other `CabinetError`s, and `OSError` for files that
        cannot be written.
        """
        order, executor = self._order, self._executor
        runtime = executor.runtimes.get(order.runtime)
        located = await asyncio.to_thread(executor.runtimes.locate, order.runtime)
        if isinstance(located, Missing):
            return Outcome(
                failure=Failure(kind="cli_missing", message=f"{runtime.about.title} was not found. {located.reason}")
            )
        self._warn(*request_warnings(order, runtime, located))
        self._equipment = await OrderEquipment.choose(order, runtime, located, self._places, self._warn)
        self._runner = OrderRunner.choose(order, executor.sandbox, executor.runners, self._places)
        given = msgspec.structs.replace(order, tool_servers=self._equipment.tool_servers)
        self._sandbox = await OrderSandbox.choose(
            given, runtime, self._runner, executor.sandbox_check, self._places, self._warn
        )
        if self._sandbox is None:
            self._warn(*self._equipment.remove_scripts())
        native = self._native(runtime, located, await executor.sessions.load(order.session_id))
        attempt = self._headless
        if order.mode == "terminal":
            if self._stopping:
                raise StoppedBeforeStart
            self._in_terminal = TerminalExecution(
                order, self._listener, executor.clis, self._equipment, self._sandbox, self._runner, self._places
            )
            attempt, self._end_process = self._in_terminal.work, self._in_terminal.stop
        outcome = await attempt(native)
        for _ in range(MOST_TRIES - 1):
            if self._stopping or not await native.other_try(outcome):
                break
            outcome = await attempt(native)
        return outcome

    async def stop(self, *, at_once: bool = False) -> None:
        """End the CLI that works on it and all child processes, confirmed.

        `work` then returns, or raises `StoppedBeforeStart`. `at_once`: kill the processes without giving them time to
        end.
        """
        self._stopping = True
        if at_once and self.pid is not None:
            await kill_below(self.pid)
        if self._end_process is not None:
            await self._end_process()

    async def interrupt(self) -> str:
        """End its turn if a CLI that stays open works on it; otherwise end the CLI.

        Return "" if that was confirmed, else the reason why the CLI could not be interrupted; then it has to be
        stopped.
        """
        self._stopping = True
        if self._in_terminal is not None:
            return await self._in_terminal.interrupt()
        await self.stop()
        return ""

    # --- one attempt -----------------------------------------------------------------------

    def _native(self, runtime: Runtime, located: Located, session: Session | None) -> NativeSession:
        request = self._request(session)
        return NativeSession(request, runtime, located, earlier=self._listener.earlier, tell=self._listener.heard)

    def _request(self, session: Session | None) -> Request:
        order = self._order
        return Request(
            prompt=order.prompt,
            system=order.system,
            mode=order.mode,
            # checked again: a row may have been changed in the meantime
            cwd=str(folder_below(self._places.root, order.cwd)),
            session_id=order.session_id,
            resume=session.native_id if session else None,
            session_cost_before_usd=session.native_cost_usd if session else None,
            session_usage_before=session.native_usage if session else None,
            model=order.model,
            permission_mode=order.permission_mode,
            allowed_tools=order.allowed_tools,
            max_turns=order.max_turns or self._executor.settings.max_turns,
            run_directory=str(private_folder(self._places.run_folder(order.run_id))),
            command=order.command,
            keeps_tool_servers=order.agent is None,
            isolated=self._sandbox is not None,
        )

    async def _headless(self, native: NativeSession) -> Outcome:
        request = await native.to_start()
        if not self._equipment.needs_directory and self._sandbox is None:
            return await self._with_pipes(native, request, None, None)
        directory = await RunDirectory.create(self._places.run_directories)
        try:
            given = await self._equipment.given(request, directory)
            if self._sandbox is None:
                return await self._with_pipes(native, given, directory, None)
            given = msgspec.structs.replace(given, run_directory=str(directory.path))  # nothing else is visible inside
            isolated = await self._sandbox.open(native.located.path, directory.path)
            try:
                async with isolated.recorded(self._order.run_id):
                    return await self._with_pipes(native, given, directory, isolated)
            finally:
                self._warn(*await isolated.close())
        finally:
            await directory.close()

    async def _with_pipes(
        self, native: NativeSession, request: Request, directory: RunDirectory | None, isolated: Isolation | None
    ) -> Outcome:
        """`directory`: the run directory that only our tool server may use; None: it has none."""
        runtime, order = native.runtime, self._order
        launch, environment = await native.launch(request, self._places, isolated)
        view = isolated.view if isolated is not None else None
        sandbox = self._runner.sandbox(self._listener.waits_to_start, directory.path if directory is not None else None)
        start = partial(sandbox.start, launch.argv, cwd=request.cwd, environment=environment, view=view)
        raw_path = self._places.raw_path(order.run_id, None, owner=order.owner.username, visibility=order.visibility)
        headless = HeadlessExecution(
            launch=launch,
            title=runtime.about.title,
            conversation=runtime.conversation(request),
            start=start,
            raw=RawLog(raw_path, self._places.redactor),
            listener=self._listener,
            clock=self._places.clock,
        )
        self._end_process = headless.stop

        async def on_process(pid: int, started_at: str) -> None:
            if self._runner.is_here:
                self._pid = pid
            if directory is not None:
                await directory.listen(
                    on_tool=ToolDoor(self._listener.call_tool).serve, launcher=self._runner.launcher(pid)
                )
            begun = Begun(pid=pid, started_at=started_at, native_id=native.chosen(request), where=self._runner.where)
            if self._stopping:
                raise StoppedBeforeStart
            await self._listener.begun(msgspec.structs.replace(begun, isolated=view is not None))

        if self._stopping:
            raise StoppedBeforeStart
        outcome = await headless.work(on_process)
        exit = None if self._stopping else headless.exit
        return without_launcher(outcome, runtime.about.title, exit, self._listener)

    def _warn(self, *warnings: str) -> None:
        if warnings:
            self._listener.heard([Warned(message=warning) for warning in warnings])
