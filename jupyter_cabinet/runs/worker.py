"""Carries out one run: headless with pipes, or in a terminal with a CLI that stays open for the session.

Called by `service.py`, which decides when and what the outcome means. Owns the open CLIs.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from ..core.errors import Conflict, NotFound
from ..core.paths import folder_below, moved
from ..core.people import Principal
from ..runtimes.cli_versions import fitted
from ..runtimes.model import AnyAgentEvent, Failure, Launch, Outcome, Request, Warned
from ..runtimes.port import Missing, Runtime
from ..runtimes.registry import Runtimes
from ..sandboxes.environment import build_environment
from ..sandboxes.port import ProcessExit, Sandbox
from ..storage.places import private_folder
from ..terminals.service import Terminals
from ..terminals.terminal import OpenTerminal
from .approvals import Approvals
from .asked_terminals import AskedTerminals
from .cli_news import CliNews
from .directory import RunDirectory
from .ending import without_launcher
from .headless import HeadlessExecution
from .kinds import Prepared
from .live import LiveRun
from .model import Session
from .native_session import MOST_TRIES, NativeSession
from .open_cli import OpenCli, Setup
from .raw import RawLog
from .records import RunRecords
from .sessions import Sessions
from .settings import Surroundings
from .transcript import TranscriptReader
from .unkept import unkept

log = logging.getLogger(__name__)


class StoppedBeforeStart(Exception):
    """The run was ended before its process was let go."""


class Worker:
    """Turns a prepared run into an outcome. Never decides a run's state."""

    def __init__(
        self,
        *,
        records: RunRecords,
        sessions: Sessions,
        runtimes: Runtimes,
        terminals: Terminals,
        sandbox: Sandbox,
        surroundings: Surroundings,
        approvals: Approvals,
    ) -> None:
        self.clis: dict[str, OpenCli] = {}
        self.news = CliNews(records, approvals)
        self.asked = AskedTerminals(records, terminals)
        self._records = records
        self._sessions = sessions
        self._runtimes = runtimes
        self._terminals = terminals
        self._sandbox = sandbox
        self._places = surroundings
        self._settings = surroundings.settings

    async def work(self, live: LiveRun, prepared: Prepared) -> Outcome:
        """Do the run, in the CLI's own session where it still has it (`native_session.py`)."""
        run = live.run
        runtime = self._runtimes.get(run.runtime)
        located = await asyncio.to_thread(self._runtimes.locate, run.runtime)
        if isinstance(located, Missing):
            return Outcome(
                failure=Failure(kind="cli_missing", message=f"{runtime.about.title} was not found. {located.reason}")
            )
        live.warnings.extend(unkept(live.new, run.mode, runtime, located))
        request = self._request(live, prepared, await self._sessions.load(run.session_id))
        native = NativeSession(live, request, runtime, located, self._records.of_session)
        outcome = await self._once(live, native)
        for _ in range(MOST_TRIES - 1):
            if not await native.other_try(outcome):
                break
            outcome = await self._once(live, native)
        return outcome

    async def close(self, session_id: str, reason: str) -> None:
        """Close the session's CLI, if one is open."""
        cli = self.clis.get(session_id)
        if cli is not None:
            await cli.close(reason)

    async def close_in(self, terminal_id: str, reason: str) -> bool:
        """Close the CLI in a terminal; False if there is none."""
        cli = next((cli for cli in self.clis.values() if cli.terminal.id == terminal_id), None)
        if cli is not None:
            await cli.close(reason)
        return cli is not None

    def document_moved(self, old: str, new: str) -> None:
        """What is typed into an open CLI from now on is about the document under its new name."""
        for cli in self.clis.values():
            if cli.last.path and (path := moved(cli.last.path, old, new)):
                cli.last = msgspec.structs.replace(cli.last, path=path)

    async def close_all(self, reason: str) -> None:
        await asyncio.gather(*(cli.close(reason) for cli in list(self.clis.values())))
        await self.news.settle()

    async def close_idle(self) -> None:
        """Close CLIs that nobody looks at or types into."""
        for cli in list(self.clis.values()):
            kept = cli.last.id in self._records.live or bool(cli.held) or cli.terminal.about.lasting
            if not kept and cli.terminal.idle_seconds() > self._settings.idle_cli_seconds:
                await cli.close("It was closed after 30 minutes without a viewer or a key.")

    # --- one try ---------------------------------------------------------------------------

    async def _once(self, live: LiveRun, native: NativeSession) -> Outcome:
        if native.request.mode == "headless":
            return await self._headless(live, native)
        return await self._in_terminal(live, native)

    def _request(self, live: LiveRun, prepared: Prepared, session: Session | None) -> Request:
        run = live.run
        return Request(
            prompt=prepared.prompt,
            system=prepared.system,
            mode=run.mode,
            cwd=str(folder_below(self._places.root, run.cwd)),  # again: a row may have been changed since
            session_id=run.session_id,
            resume=session.native_id if session else None,
            session_cost_before_usd=session.native_cost_usd if session else None,
            session_usage_before=session.native_usage if session else None,
            model=run.model,
            permission_mode=run.permission_mode,
            allowed_tools=run.allowed_tools,
            max_turns=live.new.max_turns or self._settings.max_turns,
            run_directory=str(private_folder(self._places.run_folder(run.id))),
            command=live.new.command or (),
        )

    def _environment(self, runtime: Runtime, launch: Launch) -> dict[str, str]:
        keep = (*runtime.kept_environment(), *self._places.kept_environment)
        return build_environment(self._places.environment, keep=keep, add=launch.environment)

    async def _launch(self, native: NativeSession, request: Request) -> Launch:
        runtime, located = native.runtime, native.located
        launch = runtime.launch(located, request)
        return await asyncio.to_thread(fitted, launch, runtime.about, located, self._places.environment)

    async def _headless(self, live: LiveRun, native: NativeSession) -> Outcome:
        runtime, request = native.runtime, await native.to_start()
        launch = await self._launch(native, request)
        execution = HeadlessExecution(
            launch=launch,
            title=runtime.about.title,
            conversation=runtime.conversation(request),
            sandbox=self._sandbox,
            cwd=request.cwd,
            environment=self._environment(runtime, launch),
            raw=RawLog(self._places.raw_path(live.run), self._places.redactor),
        )
        live.stop = execution.stop

        async def on_process(pid: int, started_at: str) -> None:
            await self._begin(live, pid, started_at, native.chosen(request))

        def on_events(events: list[AnyAgentEvent]) -> None:
            self.news.take(live, events, execution.answer)

        outcome = await execution.work(on_process=on_process, on_events=on_events, on_bytes=live.count)
        return _ended(live, outcome, execution.exit)

    async def _begin(self, live: LiveRun, pid: int, started_at: str, native_id: str | None, **changes: Any) -> None:
        """The process exists and waits: put it on record, or give up when the run was ended meanwhile.

        `native_id`: what its new session will be called. It must be known to whoever comes after a crash.
        """
        await self._records.note_launcher(live, pid, started_at)
        if live.ending:
            raise StoppedBeforeStart
        if native_id is not None:
            await self._sessions.note_begun(live.run.session_id, native_id)
        if live.run.state == "running":  # a second try, in a terminal of its own
            await self._records.update(live, **changes)
        else:
            await self._records.advance(live, "running", **changes)

    # --- in a terminal ---------------------------------------------------------------------

    async def _in_terminal(self, live: LiveRun, native: NativeSession) -> Outcome:
        run = live.run
        cli = self.clis.get(run.session_id)
        if cli is not None and (not cli.alive or cli.setup != Setup.of(run)):
            await cli.close("It was opened again with other settings.")
            cli = None
        if cli is not None:
            answer = await self._instruct(live, cli, native.request.prompt)
            if answer is not None:
                return answer
        return await self._open(live, native)

    async def _instruct(self, live: LiveRun, cli: OpenCli, prompt: str) -> Outcome | None:
        """None: the CLI has ended by itself before it had the instruction; another can be opened."""
        live.stop = lambda: cli.close("The run was stopped.")
        live.has_agent = True
        await self._records.advance(live, "running", terminal_id=cli.terminal.id)
        if cli.held:
            self.news.hold_up(live, cli.held)

        def tell(reason: str) -> None:
            self.news.hold_up(live, reason or cli.held)

        try:
            await cli.until_free(tell)
            if live.ending:
                raise StoppedBeforeStart
            answer = cli.expect(live.run)
            await cli.instruct(prompt, tell)
        except Conflict:
            if live.ending:
                raise StoppedBeforeStart from None
            if because := cli.terminal.closed_because:
                return Outcome(failure=Failure(kind="cancelled", message=f"Its terminal was closed. {because}"))
            await cli.close("The agent has ended.")
            return None
        outcome = _ended(live, await answer, _exit_of(cli))
        if cli.left_unheard and not live.ending and not cli.terminal.closed_because:
            await cli.close("The agent has ended.")
            return None
        return outcome

    async def _open(self, live: LiveRun, native: NativeSession) -> Outcome:
        run, runtime, asked = live.run, native.runtime, await native.to_start()
        opened: list[OpenCli] = []  # the directory is needed for the launch, the launch for the CLI

        async def take_hook(payload: bytes, gone: asyncio.Event) -> bytes:
            return await opened[0].on_hook(payload, gone)

        directory = await RunDirectory.create(self._places.run_directories, take_hook)
        # temporary files live as long as the CLI; the run's folder keeps a `prompt.md` of its own
        request = msgspec.structs.replace(asked, run_directory=str(directory.path), hook_command=directory.hook_command)
        try:
            launch = await self._launch(native, request)
            terminal = await self._terminal_for(live, request)
        except BaseException:
            await directory.close()
            raise
        run = msgspec.structs.replace(run, terminal_id=terminal.id)
        cli = OpenCli(
            first=run,
            terminal=terminal,
            conversation=runtime.conversation(request),
            directory=directory,
            transcript=TranscriptReader(runtime.transcripts(Path(self._places.environment.get("HOME", "/")))),
            raw=RawLog(self._places.raw_path(run), self._places.redactor),
            listener=self.news,
        )
        cli.opens_only = not request.prompt and not request.command
        opened.append(cli)
        self.clis[run.session_id] = cli
        live.stop = lambda: cli.close("The run was stopped.")
        answer = cli.expect(run)

        async def on_process(pid: int, started_at: str) -> None:
            await self._begin(live, pid, started_at, native.chosen(request), terminal_id=terminal.id)
            await self._sessions.change(run.session_id, terminal_id=terminal.id)

        try:
            await cli.start(
                launch,
                cwd=request.cwd,
                environment=self._environment(runtime, launch),
                title=run.runtime_title,
                on_process=on_process,
                on_end=self._on_cli_end,
            )
        except BaseException:
            self.clis.pop(run.session_id, None)
            if terminal.closed_because and not live.ending:
                raise Conflict(f"Its terminal was closed. {terminal.closed_because}") from None
            with suppress(NotFound):  # a person was faster
                if live.new.terminal_id is not None:
                    raise
                await self._terminals.close(terminal.id, "The agent could not be started.")
            raise
        live.has_agent = True
        return _ended(live, await answer, _exit_of(cli))

    async def _terminal_for(self, live: LiveRun, request: Request) -> OpenTerminal:
        """The open terminal that was asked for, else one of the run's own."""
        run = live.run
        if live.new.terminal_id is not None:
            return self._terminals.find(live.new.terminal_id)
        return await self._terminals.open(
            Principal(username=run.owner, display_name=run.trigger.display_name),
            name=run.instruction[:60],
            cwd=request.cwd,
            cols=live.new.cols or 120,
            rows=live.new.rows or 30,
            visibility=run.visibility,
            program=run.runtime,
        )

    async def _on_cli_end(self, cli: OpenCli) -> None:
        if self.clis.get(cli.session_id) is cli:
            del self.clis[cli.session_id]
        try:
            await self._sessions.note_closed(cli.session_id, cli.closing_reason or "The agent has ended.")
        except Exception:  # a full disk must not keep anybody from closing
            log.exception("The end of an agent could not be put on record")


def _exit_of(cli: OpenCli) -> ProcessExit | None:
    return cli.terminal.programs.agent.exit if cli.terminal.programs.agent is not None else None


def _ended(live: LiveRun, outcome: Outcome, exit: ProcessExit | None) -> Outcome:
    """Where something has killed the launcher, that is the reason, and people are told."""
    if exit is None or not exit.killed or live.ending:
        return outcome
    outcome, warning = without_launcher(outcome, live.run.runtime_title, left=exit.survivors > 0)
    if warning:
        live.take([Warned(message=warning)])
    return outcome
