"""Runs of kind `manual`: an instruction without a document or agent, or a program started in a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import Conflict, Invalid
from ..core.people import Principal
from ..runtimes.model import Outcome
from ..runtimes.registry import COMMAND
from ..sessions.service import Sessions
from ..storage.outbox import Effect
from ..terminals.service import Terminals
from .kinds import Prepared, RunKind, RunSubject, check_instruction
from .model import NewManualRun, NewRun, Run

MAX_COMMAND_BYTES = 100_000


class ManualKind(RunKind):
    """The kind of a run that has no subject but its instruction."""

    request: type[NewRun] = NewManualRun

    def __init__(self, *, sessions: Sessions, terminals: Terminals) -> None:
        self._sessions = sessions
        self._terminals = terminals

    async def check(self, new: NewManualRun, principal: Principal) -> RunSubject:
        """Check the request, and return its subject. A request for a terminal always has the mode `terminal`.

        Raises `Invalid` and its subclasses, `NotFound` for the session or the terminal, `Conflict` for an occupied
        terminal, and `NotYourTurn` for a terminal that another person controls.
        """
        in_terminal = new.terminal_id is not None or new.command is not None
        if new.instruction.strip() or not in_terminal:
            check_instruction(new.instruction)
        if new.command is not None:
            if new.runtime not in (None, COMMAND):
                raise Invalid("Give a runtime or a command, not both.", field="command")
            check_command(new.command)
            if new.instruction.strip():
                raise Invalid("A command takes no instruction. Put it into its arguments.", field="instruction")
        if in_terminal:
            self._check_terminal(new, principal)
            return RunSubject(path=new.path, mode="terminal", fixed_mode=True)
        session = await self._sessions.get(new.session_id, principal) if new.session_id is not None else None
        path = new.path if session is None or new.path is not None else session.path
        return RunSubject(session=session, path=path)

    async def prepare(self, run: Run, new: NewManualRun) -> Prepared:
        """Return the instruction unchanged, or the command of the request."""
        return Prepared(prompt=new.instruction, command=new.command or ())

    async def look_back(self, run: Run) -> tuple[str, ...]:
        """Return no warnings: a manual run is not expected to leave anything specific behind."""
        return ()

    def effects(self, run: Run, outcome: Outcome) -> Iterable[Effect]:
        """Return no effects."""
        return ()

    def _check_terminal(self, new: NewManualRun, principal: Principal) -> None:
        """Check a request for an agent in a terminal: the caller must control the terminal, and it must have no other
        agent.
        """
        if new.session_id is not None:
            raise Invalid("A session has its own terminal. Leave out session_id or terminal_id.", field="terminal_id")
        if new.mode == "headless":
            raise Invalid("An agent in a terminal cannot be headless.", field="mode")
        if new.terminal_id is not None:
            terminal = self._terminals.get(new.terminal_id, principal)
            terminal.gate.must_steer(principal)
            if terminal.programs.occupied:
                raise Conflict("Another agent works in this terminal.")


def wanted_terminal(new: NewRun) -> str | None:
    """Return the id of the open terminal that a request names; None if it names none."""
    return new.terminal_id if isinstance(new, NewManualRun) else None


def check_command(command: tuple[str, ...]) -> None:
    """Raise `Invalid` for a command line that is empty, has a NUL character, or has more than `MAX_COMMAND_BYTES`.

    Does not check whether the program exists.
    """
    if not command or not command[0].strip() or any("\0" in part for part in command):
        raise Invalid("The command is empty or has a NUL character.", field="command")
    if sum(len(part.encode(errors="replace")) for part in command) > MAX_COMMAND_BYTES:
        raise Invalid("The command is longer than 100 kB.", field="command")
