"""Carries out orders: headless with pipes, or in a terminal with a CLI that stays open.

Called by `runs/`, which decides when to run and what the outcome means. Owns the open CLIs.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from ..core.durations import spelled
from ..core.errors import Conflict, NotFound
from ..core.paths import folder_below
from ..core.people import Principal
from ..runners.port import Runner, RunnerName
from ..runtimes.cli_versions import fitted
from ..runtimes.model import Failure, Launch, Outcome, Request, Warned
from ..runtimes.port import Located, Missing, Runtime
from ..runtimes.registry import Runtimes
from ..sandboxes.environment import build_environment
from ..sandboxes.port import ProcessExit, Sandbox
from ..sandboxes.probe import SandboxCheck, probe
from ..sandboxes.resources import kill_below
from ..sessions.model import Session
from ..sessions.service import Sessions
from ..storage.private_folders import private_folder
from ..terminals.service import Terminals
from ..terminals.terminal import OpenTerminal
from . import agent_skills, own_tools, tool_servers
from .headless import HeadlessExecution
from .interactive.cli_setup import Setup
from .interactive.instruction_typing import Tell
from .interactive.native_session import MOST_TRIES, NativeSession
from .interactive.open_cli import OpenCli
from .interactive.transcript import TranscriptReader
from .isolation import Isolation, recorded
from .launcher_loss import without_launcher
from .model import Begun, Order, OrderListener, StoppedBeforeStart
from .order_runner import OrderRunner
from .order_sandbox import OrderSandbox
from .raw_log import RawLog
from .request_warnings import request_warnings
from .run_directory import RunDirectory
from .settings import ExecutionSettings, Surroundings
from .tool_door import ToolDoor

log = logging.getLogger(__name__)


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
        self.clis: dict[str, OpenCli] = {}  # by session
        self.sessions = sessions
        self.runtimes = runtimes
        self.terminals = terminals
        self.sandbox = sandbox
        self.runners = runners
        self.settings = settings
        self.places = surroundings
        self.sandbox_check = SandboxCheck(partial(probe, sandbox))

    def execution(self, order: Order, listener: OrderListener) -> OrderExecution:
        """Prepare the order, ready to be worked on and stopped."""
        return OrderExecution(order, listener, self)

    def logged_in(self, runtime: str) -> bool:
        """Return whether its CLI reports that it is logged in. Blocks."""
        located = self.runtimes.locate(runtime)
        return isinstance(located, Located) and located.login == "yes"

    async def close(self, session_id: str, reason: str) -> None:
        """Close the session's CLI, if one is open."""
        cli = self.clis.get(session_id)
        if cli is not None:
            await cli.close(reason)

    async def close_in(self, terminal_id: str, reason: str) -> bool:
        """Close the CLI in a terminal. Return False if there is none."""
        cli = next((cli for cli in self.clis.values() if cli.terminal.id == terminal_id), None)
        if cli is not None:
            await cli.close(reason)
        return cli is not None

    async def close_all(self, reason: str) -> None:
        """Close every open CLI, at the same time."""
        await asyncio.gather(*(cli.close(reason) for cli in list(self.clis.values())))

    async def close_idle(self) -> None:
        """Close CLIs that nobody watches or types into."""
        limit = self.settings.idle_cli_seconds
        for cli in list(self.clis.values()):
            kept = cli.at_work or bool(cli.held) or cli.terminal.about.lasting
            if not kept and cli.terminal.idle_seconds() > limit:
                await cli.close(f"It was closed after {spelled(limit)} without a viewer or a key.")

    async def launch(self, native: NativeSession, request: Request) -> Launch:
        """Return the command line and files of a request, in the form that the found version accepts."""
        launch = native.runtime.launch(native.located, request)
        return await asyncio.to_thread(fitted, launch, native.runtime.about, native.located, self.places.environment)

    def environment(self, runtime: Runtime, launch: Launch) -> dict[str, str]:
        """Return the CLI's environment: the part of the server's that it gets, and the additions of its launch."""
        keep = (*runtime.kept_environment(), *self.places.kept_environment)
        return build_environment(self.places.environment, keep=keep, add=launch.environment)

    async def on_cli_end(self, cli: OpenCli) -> None:
        """Record that the CLI is no longer open."""
        if self.clis.get(cli.session_id) is cli:
            del self.clis[cli.session_id]
        try:
            await self.sessions.note_closed(cli.session_id, cli.closing_reason or "The agent has ended.")
        except Exception:  # a full disk must not prevent anybody from closing it
            log.exception("The end of an agent could not be recorded")


class OrderExecution:
    """One order that is being carried out. `stop` may be called at any time, also before `work`."""

    def __init__(self, order: Order, listener: OrderListener, executor: Executor) -> None:
        self.has_agent = False
        self._order = order
        self._listener = listener
        self._executor = executor
        self._places = executor.places
        self._stopping = False
        self._own_tools: tuple[str, ...] = ()  # groups of tools that its CLI gets
        self._tool_servers = order.tool_servers  # that its CLI gets
        self._skills = order.skills  # without scripts, if it is not isolated
        self.pid: int | None = None
        self._runner = OrderRunner(order, executor.sandbox, None, executor.places)
        self._sandbox: OrderSandbox | None = None
        self._end_process: Callable[[], Awaitable[None]] | None = None
        self._cli: OpenCli | None = None  # the CLI that works on it
        self._waiting: asyncio.Task[None] | None = None  # until the CLI can take the instruction

    async def work(self) -> Outcome:
        """Carry out the order and return its outcome, which may be a failure.

        It continues the CLI's own session if that still exists (`native_session.py`). If the CLI was not found, the
        outcome is the failure `cli_missing`.
        """
        order, executor = self._order, self._executor
        runtime = executor.runtimes.get(order.runtime)
        located = await asyncio.to_thread(executor.runtimes.locate, order.runtime)
        if isinstance(located, Missing):
            return Outcome(
                failure=Failure(kind="cli_missing", message=f"{runtime.about.title} was not found. {located.reason}")
            )
        self._warn(*request_warnings(order, runtime, located))
        await self._look_for_tools(runtime, located)
        self._runner = OrderRunner.choose(order, executor.sandbox, executor.runners, self._places)
        given = msgspec.structs.replace(order, tool_servers=self._tool_servers)
        self._sandbox = await OrderSandbox.choose(
            given, runtime, self._runner, executor.sandbox_check, self._places, self._warn
        )
        if self._sandbox is None:
            self._skills, left_out = agent_skills.without_scripts(order.skills)
            self._warn(*left_out)
        native = self._native(runtime, located, await executor.sessions.load(order.session_id))
        outcome = await self._once(native)
        for _ in range(MOST_TRIES - 1):
            if self._stopping or not await native.other_try(outcome):
                break
            outcome = await self._once(native)
        return outcome

    async def stop(self, *, at_once: bool = False) -> None:
        """End the CLI that works on it and all child processes, confirmed."""
        self._stopping = True
        if at_once and self.pid is not None:
            await kill_below(self.pid)
        if self._end_process is not None:
            await self._end_process()

    async def interrupt(self) -> str:
        """End its turn if a CLI that stays open works on it; otherwise end the CLI."""
        self._stopping = True
        if self._waiting is not None:
            self._waiting.cancel()
        elif self._cli is None or not self._cli.started or self._order.command:
            await self.stop()
        else:
            return await self._cli.interrupt()
        return ""

    async def _look_for_tools(self, runtime: Runtime, located: Located) -> None:
        why = await asyncio.to_thread(own_tools.missing, self._order, runtime, located)
        self._own_tools = () if why else self._order.own_tools
        if why and not set(self._order.own_tools) <= own_tools.OPTIONAL:
            self._warn(why)
        without = await asyncio.to_thread(tool_servers.missing, self._order.tool_servers, runtime, located)
        if without:
            self._tool_servers = ()
            self._warn(without)

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

    async def _once(self, native: NativeSession) -> Outcome:
        if self._order.mode == "headless":
            return await self._headless(native)
        return await self._in_terminal(native)

    async def _headless(self, native: NativeSession) -> Outcome:
        request = await native.to_start()
        if not (self._own_tools or self._tool_servers or self._skills or self._sandbox):
            return await self._with_pipes(native, request, None, None)
        directory = await RunDirectory.create(self._places.run_directories)
        try:
            given = await self._equipped(request, directory)
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
        runtime = native.runtime
        launch = await self._executor.launch(native, request)
        environment = self._executor.environment(runtime, launch)
        view = None
        if isolated is not None:
            view, launch, environment = isolated.view, *isolated.adapt(launch, environment)
        sandbox = self._runner.sandbox(self._listener.waits_to_start, directory.path if directory is not None else None)
        start = partial(sandbox.start, launch.argv, cwd=request.cwd, environment=environment, view=view)
        headless = HeadlessExecution(
            launch=launch,
            title=runtime.about.title,
            conversation=runtime.conversation(request),
            start=start,
            raw=RawLog(self._places.raw_path(self._order.run_id, None), self._places.redactor),
            listener=self._listener,
            clock=self._places.clock,
        )
        self._end_process = headless.stop

        async def on_process(pid: int, started_at: str) -> None:
            if self._runner.is_here:
                self.pid = pid
            if directory is not None:
                await directory.listen(
                    on_tool=ToolDoor(self._listener.call_tool).serve, launcher=self._runner.launcher(pid)
                )
            begun = Begun(pid=pid, started_at=started_at, native_id=native.chosen(request), where=self._runner.where)
            await self._begin(msgspec.structs.replace(begun, isolated=view is not None))

        if self._stopping:
            raise StoppedBeforeStart
        outcome = await headless.work(on_process)
        return self._ended(outcome, headless.exit)

    async def _equipped(self, request: Request, directory: RunDirectory) -> Request:
        """Return the request with our tool server and the agent's own ones and skills, whose files are written."""
        given = own_tools.with_server(request, directory, self._own_tools)
        environment = self._places.environment
        given = await asyncio.to_thread(
            tool_servers.with_tool_servers, given, directory.path, self._tool_servers, environment
        )
        return await asyncio.to_thread(agent_skills.with_skills, given, directory.path, self._skills)

    async def _begin(self, begun: Begun) -> None:
        """The CLI is there and waits: report that, or give up if the order was stopped in the meantime."""
        if self._stopping:
            raise StoppedBeforeStart
        await self._listener.begun(begun)

    # --- in a terminal ---------------------------------------------------------------------

    async def _in_terminal(self, native: NativeSession) -> Outcome:
        cli = self._executor.clis.get(self._order.session_id)
        fits = cli is not None and cli.setup == Setup.of(self._order) and cli.isolated == (self._sandbox is not None)
        if cli is not None and not (cli.alive and fits):
            await cli.close("It was opened again with other settings.")
            cli = None
        if cli is not None:
            answer = await self._instruct(cli, native.request.prompt)
            if answer is not None:
                return answer
        return await self._open(native)

    async def _instruct(self, cli: OpenCli, prompt: str) -> Outcome | None:
        """Return None if the CLI ended by itself before it had the instruction; another can be opened."""
        self._end_process = lambda: cli.close("The run was stopped.")
        self.has_agent, self.pid = True, cli.pid
        await self._begin(Begun(terminal_id=cli.terminal.id, isolated=cli.isolated))
        if cli.held:
            self._listener.waits(cli.held)

        def tell(reason: str) -> None:
            if reason or cli.held:
                self._listener.waits(reason or cli.held)
            else:
                self._listener.goes_on(None)

        try:
            await self._until_free(cli, tell)
            answer = cli.expect(self._order, self._listener)
            self._cli = cli
            async with recorded(cli.isolation, self._order.run_id):
                await cli.instruct(prompt, tell)
                outcome = self._ended(await answer, _exit_of(cli.terminal))
        except Conflict:
            if self._stopping:
                raise StoppedBeforeStart from None
            if because := cli.terminal.closed_because:
                return Outcome(failure=Failure(kind="cancelled", message=f"Its terminal was closed. {because}"))
            await cli.close("The agent has ended.")
            return None
        if cli.left_unheard and not self._stopping and not cli.terminal.closed_because:
            await cli.close("The agent has ended.")
            return None
        return outcome

    async def _until_free(self, cli: OpenCli, tell: Tell) -> None:
        """Raises `StoppedBeforeStart` when the order is no longer wanted: the CLI has received nothing of it."""
        self._waiting = asyncio.create_task(cli.until_free(tell))
        try:
            await asyncio.gather(self._waiting, return_exceptions=True)
            if self._stopping:
                raise StoppedBeforeStart
            self._waiting.result()
        finally:
            self._waiting.cancel()
            self._waiting = None

    async def _open(self, native: NativeSession) -> Outcome:
        asked = await native.to_start()
        directory = await RunDirectory.create(self._places.run_directories)
        # temporary files live as long as the CLI; the run's folder keeps its own `prompt.md`
        request = msgspec.structs.replace(asked, run_directory=str(directory.path), hook_command=directory.hook_command)
        isolated = None
        try:
            request = await self._equipped(request, directory)
            if self._sandbox is not None:
                isolated = await self._sandbox.open(native.located.path, directory.path)
            launch = await self._executor.launch(native, request)
            terminal = await self._terminal(request)
        except BaseException:
            if isolated is not None:
                await isolated.close()
            await directory.close()
            raise
        cli = self._open_cli(native.runtime, request, directory, terminal)
        cli.isolation = isolated
        self._executor.clis[self._order.session_id] = cli
        self._end_process = lambda: cli.close("The run was stopped.")
        self._cli = cli
        answer = cli.expect(self._order, self._listener)

        async def on_process(pid: int, started_at: str) -> None:
            self.pid = pid
            native_id = native.chosen(request)
            begun = Begun(pid=pid, started_at=started_at, native_id=native_id, terminal_id=terminal.id)
            await self._begin(msgspec.structs.replace(begun, isolated=isolated is not None))
            await self._executor.sessions.note_open(self._order.session_id, terminal.id)

        environment = self._executor.environment(native.runtime, launch)
        if isolated is not None:
            launch, environment = isolated.adapt(launch, environment)
        try:
            await cli.start(
                launch,
                cwd=request.cwd,
                environment=environment,
                title=self._order.runtime_title,
                has_tools=bool(self._own_tools),
                on_process=on_process,
                on_end=self._executor.on_cli_end,
            )
        except BaseException:
            await self._give_up(terminal)
            raise
        self.has_agent = True
        async with recorded(isolated, self._order.run_id):
            return self._ended(await answer, _exit_of(terminal))

    def _open_cli(self, runtime: Runtime, request: Request, directory: RunDirectory, terminal: OpenTerminal) -> OpenCli:
        transcripts = runtime.transcripts(Path(self._places.environment.get("HOME", "/")))
        raw_path = self._places.raw_path(self._order.run_id, terminal.id)
        return OpenCli(
            setup=Setup.of(self._order),
            terminal=terminal,
            conversation=runtime.conversation(request),
            directory=directory,
            transcript=TranscriptReader(transcripts),
            raw=RawLog(raw_path, self._places.redactor),
            opens_only=not request.prompt and not request.command,
        )

    async def _give_up(self, terminal: OpenTerminal) -> None:
        """The CLI could not be started. A terminal that was opened for it is closed."""
        self._executor.clis.pop(self._order.session_id, None)
        if terminal.closed_because and not self._stopping:
            raise Conflict(f"Its terminal was closed. {terminal.closed_because}") from None
        if self._order.terminal_id is None:
            with suppress(NotFound):  # a person closed it first
                await self._executor.terminals.close(terminal.id, "The agent could not be started.")

    async def _terminal(self, request: Request) -> OpenTerminal:
        """Return the open terminal that was requested, else a new one."""
        order = self._order
        if order.terminal_id is not None:
            return self._executor.terminals.find(order.terminal_id)
        return await self._executor.terminals.open(
            Principal(username=order.owner, display_name=order.by.display_name),
            name=order.label[:60],
            cwd=request.cwd,
            cols=order.cols or 120,
            rows=order.rows or 30,
            visibility=order.visibility,
            program=order.runtime,
        )

    # --- the end ---------------------------------------------------------------------------

    def _ended(self, outcome: Outcome, exit: ProcessExit | None) -> Outcome:
        """If the launcher was killed, that is the reason, and people are notified."""
        if exit is None or not exit.killed or self._stopping:
            return outcome
        outcome, warning = without_launcher(outcome, self._order.runtime_title, exit)
        if warning:
            self._warn(warning)
        return outcome

    def _warn(self, *warnings: str) -> None:
        if warnings:
            self._listener.heard([Warned(message=warning) for warning in warnings])


def _exit_of(terminal: OpenTerminal) -> ProcessExit | None:
    """Return how the agent in a terminal has ended, if it has."""
    agent = terminal.programs.agent
    return agent.exit if agent is not None else None
