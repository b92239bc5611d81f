"""What the end of a process adds to an outcome."""

from __future__ import annotations

import msgspec

from ..runtimes.model import Outcome
from ..sandboxes.port import ProcessExit
from ..terminals.terminal import OpenTerminal


def without_launcher(outcome: Outcome, title: str, *, left: bool) -> tuple[Outcome, str]:
    """The outcome of a run whose launcher was killed, with what is worth a warning where the outcome does not tell it.

    `left`: processes of it had to be found and ended.
    """
    told = f"{title} was ended: something has killed its launcher."
    if left:
        told += " What was left of it was found and ended."
    if outcome.failure is None or outcome.failure.kind != "crashed":
        return outcome, told
    failure = msgspec.structs.replace(outcome.failure, message=told)
    return msgspec.structs.replace(outcome, failure=failure), ""


def exit_of(terminal: OpenTerminal) -> ProcessExit | None:
    """How the agent in a terminal has ended, if it has."""
    agent = terminal.programs.agent
    return agent.exit if agent is not None else None
