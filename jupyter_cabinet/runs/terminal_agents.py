"""Terminals that people open, and the agents in them: opened, started as runs, paused, resumed, stopped.

Called by `web/handlers/terminals.py`. Every agent is started by `runs.submit`. A shell needs no trusted folder.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..core.errors import CabinetError, Conflict, Invalid
from ..core.paths import folder_below, is_folder_below
from ..core.people import Principal
from ..runtimes.registry import COMMAND, Runtimes
from ..storage.filesystem.private_folders import check_room
from ..terminals.model import SHELL, NewTerminal, Terminal, TerminalPatch
from ..terminals.service import Terminals
from ..terminals.terminal import OpenTerminal
from .manual import check_command
from .model import NewManualRun, Run, StartAgent
from .service import Runs

MAX_NAME = 200


class TerminalAgents:
    """The operations on terminals and their agents. Permissions are checked here and in `terminals/`."""

    def __init__(self, *, runs: Runs, terminals: Terminals, runtimes: Runtimes, root: Path, state_folder: Path) -> None:
        self._runs = runs
        self._terminals = terminals
        self._runtimes = runtimes
        self._root = root
        self._state_folder = state_folder

    async def open(self, new: NewTerminal, principal: Principal) -> Terminal:
        """Open a terminal with a shell, a program or an agent CLI in it.

        If the agent cannot be accepted, it is closed again. Returns when the agent is queued. Raises `Invalid`,
        `UnknownRuntime`, `OutsideRoot`, `NotFound`, `NoRoom`, `Unavailable`; for an agent also what `Runs.submit`
        raises.
        """
        _check(new)
        if new.command is None and new.program != SHELL:
            self._runtimes.get(new.program)
        check_room(self._state_folder)
        terminal = await self._terminals.open_for(principal, new, cwd=str(folder_below(self._root, new.cwd)))
        if new.command is None and new.program != SHELL:
            try:
                await self.start(terminal.id, StartAgent(runtime=new.program, isolate=new.isolate), principal)
            except CabinetError as error:
                await self._terminals.close(terminal.id, error.message)
                raise
        return terminal.view()

    async def start(self, terminal_id: str, agent: StartAgent, principal: Principal) -> Run:
        """Start an agent in an open terminal, in the folder of its shell. Returns the queued run.

        If that folder is not below the root, the agent starts in the root. Raises `NotFound`, and what `Runs.submit`
        raises.
        """
        terminal = self._terminals.get(terminal_id, principal)
        return await self._runs.submit(
            NewManualRun(
                mode="terminal",
                terminal_id=terminal.id,
                instruction=agent.instruction,
                runtime=agent.runtime,
                command=agent.command,
                model=agent.model,
                permission_mode=agent.permission_mode,
                isolate=agent.isolate,
                runner=agent.runner,
                cwd=self._relative(terminal.programs.folder),
            ),
            principal,
        )

    def change(self, terminal_id: str, patch: TerminalPatch, principal: Principal) -> Terminal:
        """Share a terminal or make it private, and return it, as `Terminals.change_for`.

        A run that is queued to start in a private terminal ends if its owner may not see the terminal.
        """
        terminal = self._terminals.change_for(terminal_id, patch, principal)
        self._runs.end_hidden(self._terminals.find(terminal_id))
        return terminal

    async def pause(self, terminal_id: str, principal: Principal) -> Terminal:
        """Pause the agent and show the shell. Returns when all its processes are stopped.

        Raises `NotFound`, `NotYourTurn`, `Conflict` if no agent works in the terminal, and `Unavailable`.
        """
        terminal = self._terminals.get(terminal_id, principal)
        await terminal.pause(principal)
        return terminal.view()

    async def resume(self, terminal_id: str, principal: Principal) -> Terminal:
        """Let a paused agent continue. Raises `NotFound`, `NotYourTurn`, `Conflict`."""
        terminal = self._terminals.get(terminal_id, principal)
        await terminal.resume(principal)
        return terminal.view()

    async def stop(self, terminal_id: str, principal: Principal) -> Terminal:
        """End the agent and all its processes, and cancel the run that works there or is queued for it.

        The terminal stays open. Waits for the end of the run for at most `stop_seconds`. Raises `NotFound`,
        `NotYourTurn`, and `Conflict` if no agent works in the terminal.
        """
        terminal = self._terminals.get(terminal_id, principal)
        terminal.gate.must_steer(principal)
        if terminal.programs.agent is not None:
            terminal.programs.agent.stop_is_by(principal.person)
        if not await self._runs.stop_in(terminal_id, principal):
            await _stop_alone(terminal)
        return terminal.view()

    def _relative(self, folder: str) -> str:
        """Return `folder` relative to the root; "." if it is outside, because agents work below the root."""
        root = self._root.resolve()
        path = Path(os.path.realpath(folder))
        inside = path.is_relative_to(root) and path != root
        below = str(path.relative_to(root)) if inside else "."
        try:
            return below if below == "." or is_folder_below(root, below) else "."
        except CabinetError:  # the folder of the server's own records
            return "."


async def _stop_alone(terminal: OpenTerminal) -> None:
    if terminal.programs.agent is None or not terminal.programs.agent.at_work:
        raise Conflict("No agent works in this terminal.", reason="exited")
    await terminal.programs.agent.stop()


def _check(new: NewTerminal) -> None:
    if new.name is not None and (not new.name.strip() or len(new.name) > MAX_NAME):
        raise Invalid("A terminal's name has 1 to 200 characters.", field="name")
    if new.command is None:
        if new.program == COMMAND:
            raise Invalid("Name the program to start.", field="command")
        return
    check_command(new.command)
