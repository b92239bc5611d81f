"""Carries out one order in a terminal: in the CLI of its session that is open, or in one that it opens.

Called by `executor.py`, like `headless.py`. `open_cli.py` is the CLI, which stays open afterwards.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec

from ...core.errors import Conflict
from ...runtimes.model import Failure, Outcome, Request
from ...runtimes.port import Runtime
from ...terminals.terminal import OpenTerminal
from ..launcher_loss import without_launcher
from ..model import Begun, Order, OrderListener, StoppedBeforeStart
from ..order_runner import OrderRunner
from ..run_directory import RunDirectory
from ..sandbox.isolation import recorded
from ..sandbox.order_sandbox import OrderSandbox
from ..settings import Surroundings
from ..tools.order_equipment import OrderEquipment
from .cli_raw_output import CliRawOutput
from .cli_setup import Setup
from .instruction_typing import Tell
from .native_session import NativeSession
from .open_cli import OpenCli
from .open_clis import OpenClis, check_still_seen
from .transcript import TranscriptReader


class TerminalExecution:
    """One order, perhaps in several attempts. `stop` may be called at any time."""

    def __init__(
        self,
        order: Order,
        listener: OrderListener,
        clis: OpenClis,
        equipment: OrderEquipment,
        sandbox: OrderSandbox | None,
        runner: OrderRunner,
        places: Surroundings,
    ) -> None:
        self.has_agent = False
        self.pid: int | None = None
        self._order = order
        self._listener = listener
        self._clis = clis
        self._equipment = equipment
        self._sandbox = sandbox
        self._runner = runner
        self._places = places
        self._stopping = False
        self._chosen: OpenCli | None = None  # the CLI that the order goes to: it is closed to stop the order
        self._cli: OpenCli | None = None  # the CLI that works on it
        self._waiting: asyncio.Task[None] | None = None  # until the CLI can take the instruction

    async def work(self, native: NativeSession) -> Outcome:
        """Carry out the order, and return its outcome: in the session's open CLI, or in one that it opens.

        Waits until it is free. If an open CLI ends before it has read the instruction, another is opened. Raises
        `StoppedBeforeStart`, `Conflict` if the terminal was closed while the CLI started, `NotFound` if the requested
        terminal is gone, `NotAllowed` if the terminal was made private to somebody else before the CLI had the
        instruction, and what starting raises.
        """
        cli = await self._clis.fitting(self._order, isolated=self._sandbox is not None)
        if cli is not None:
            answer = await self._instruct(cli, native.request.prompt)
            if answer is not None:
                return answer
        return await self._open(native)

    async def stop(self) -> None:
        """Close the CLI that the order goes to. Returns when that is confirmed.

        Before a CLI was chosen, none is opened any more.
        """
        self._stopping = True
        if self._chosen is not None:
            await self._chosen.close("The run was stopped.")

    async def interrupt(self) -> str:
        """End the turn; the CLI stays open if it works on the order. Otherwise, end it.

        A program of `command` is always ended. Return "" on success, else the reason why the CLI could not be
        interrupted; then it has to be stopped.
        """
        self._stopping = True
        if self._waiting is not None:
            self._waiting.cancel()
        elif self._cli is None or not self._cli.started or self._order.command:
            await self.stop()
        else:
            return await self._cli.interrupt()
        return ""

    async def _begin(self, begun: Begun) -> None:
        if self._stopping:
            raise StoppedBeforeStart
        await self._listener.begun(begun)

    async def _instruct(self, cli: OpenCli, prompt: str) -> Outcome | None:
        """Return None if the CLI ended by itself before it had the instruction; another can be opened."""
        check_still_seen(cli.terminal, self._order)
        self._chosen = cli
        self.has_agent, self.pid = True, cli.pid
        await self._begin(Begun(terminal_id=cli.terminal.id, isolated=cli.isolated, where=cli.where))
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
                await cli.instruct(prompt, tell, lambda: cli.terminal.admits(self._order.owner))
                outcome = self._ended(await answer, cli.terminal)
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
        """Raises `StoppedBeforeStart` when the order is no longer wanted, and `NotAllowed` when the terminal was made
        private to somebody else: the CLI has received nothing of the order.
        """
        self._waiting = asyncio.create_task(cli.until_free(tell))
        hidden = asyncio.create_task(cli.terminal.until_hidden_from(self._order.owner))
        try:
            await asyncio.wait((self._waiting, hidden), return_when=asyncio.FIRST_COMPLETED)
            if self._stopping:
                raise StoppedBeforeStart
            check_still_seen(cli.terminal, self._order)
            self._waiting.result()
        finally:
            hidden.cancel()
            self._waiting.cancel()
            self._waiting = None

    async def _open(self, native: NativeSession) -> Outcome:
        asked = await native.to_start()
        directory = await RunDirectory.create(self._places.run_directories)
        # temporary files live as long as the CLI; the run's folder keeps its own `prompt.md`
        request = msgspec.structs.replace(asked, run_directory=str(directory.path), hook_command=directory.hook_command)
        isolated = None
        try:
            request = await self._equipment.given(request, directory)
            if self._sandbox is not None:
                isolated = await self._sandbox.open(native.located.path, directory.path)
            launch, environment = await native.launch(request, self._places, isolated)
            sandbox = self._runner.pty_sandbox(self._listener.waits_to_start, directory.path)
            terminal = await self._clis.terminal_of(self._order, request.cwd)
        except BaseException:
            if isolated is not None:
                await isolated.close()
            await directory.close()
            raise
        cli = self._open_cli(native.runtime, request, directory, terminal)
        cli.isolation = isolated
        cli.sandbox = sandbox
        self._clis.by_session[self._order.session_id] = cli
        self._chosen = self._cli = cli
        answer = cli.expect(self._order, self._listener)

        async def on_process(pid: int, started_at: str) -> None:
            self.pid = pid
            native_id = native.chosen(request)
            cli.where = self._runner.where
            begun = Begun(pid=pid, started_at=started_at, native_id=native_id, terminal_id=terminal.id, where=cli.where)
            await self._begin(msgspec.structs.replace(begun, isolated=isolated is not None))
            await self._clis.note_open(cli)
            check_still_seen(terminal, self._order)  # last: nothing waits between this and the start

        try:
            await cli.start(
                launch,
                cwd=request.cwd,
                environment=environment,
                title=self._title,
                has_tools=bool(self._equipment.own_tools),
                on_process=on_process,
                on_end=self._clis.on_end,
            )
        except BaseException:
            because = terminal.closed_because
            await self._clis.give_up(cli, self._order)
            if because and not self._stopping:
                raise Conflict(f"Its terminal was closed. {because}") from None
            raise
        self.has_agent = True
        async with recorded(isolated, self._order.run_id):
            return self._ended(await answer, terminal)

    @property
    def _title(self) -> str:
        """What people see in the terminal: other files and programs are found in a container."""
        title = self._order.runtime_title
        return title if self._runner.image is None else f"{title} in a container"

    def _open_cli(self, runtime: Runtime, request: Request, directory: RunDirectory, terminal: OpenTerminal) -> OpenCli:
        transcripts = runtime.transcripts(Path(self._places.environment.get("HOME", "/")))
        return OpenCli(
            setup=Setup.of(self._order),
            terminal=terminal,
            conversation=runtime.conversation(request),
            directory=directory,
            transcript=TranscriptReader(transcripts),
            raw=CliRawOutput(terminal, self._places),
            opens_only=not request.prompt and not request.command,
        )

    def _ended(self, outcome: Outcome, terminal: OpenTerminal) -> Outcome:
        agent = terminal.programs.agent
        exit = agent.exit if agent is not None and not self._stopping else None
        return without_launcher(outcome, self._order.runtime_title, exit, self._listener)
