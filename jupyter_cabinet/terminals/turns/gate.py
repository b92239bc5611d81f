"""The input gate: who may do what at one terminal now. The turn, the soft lock and ownership, asked in one place.

The rules themselves are in `transitions.py` and `lock.py`; the rights of Jupyter's authorizer come in as arguments.
Asked by `terminal.py`, by connections, by `programs/input.py`, and by `runs/` and `web/` for what is not typing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ...core.errors import NotYourTurn
from ...core.people import Person, Principal, owns
from ..model import AgentState
from . import lock
from .control import TurnControl


class GatedPrograms(Protocol):
    """What the gate looks at of a terminal's programs."""

    @property
    def lock_state(self) -> AgentState | None:
        """The agent's state by which keys are judged."""

    @property
    def keyboard(self) -> object | None:
        """The PTY that gets people's keys now, while it is alive."""

    @property
    def agent_started_by(self) -> Person | None:
        """Who has started the agent that is here."""


class InputGate:
    """Answers for one terminal; keeps nothing."""

    def __init__(self, owner: Person, control: TurnControl, programs: GatedPrograms) -> None:
        self._owner = owner
        self._control = control
        self._programs = programs

    def may_manage(self, principal: Principal) -> bool:
        """Whether the terminal or its agent was started by `principal`, or who asks may administer."""
        by = self._programs.agent_started_by
        return owns(principal, self._owner.username) or (by is not None and by.username == principal.username)

    def may_steer(self, principal: Principal) -> bool:
        """Whether `principal` may start, pause, resume and stop an agent here, record, and close the terminal."""
        return self._control.controls(principal) or self.may_manage(principal)

    def must_steer(self, principal: Principal) -> None:
        """Raises `NotYourTurn` for who may not."""
        if not self.may_steer(principal):
            raise NotYourTurn("Only who controls this terminal, or started it or its agent, may do this.")

    def refusal(self, person: Person, *, can_execute: bool) -> lock.Refusal | None:
        """Why a person's keys do not pass now; None: they do."""
        return lock.refusal(
            agent_state=self._programs.lock_state,
            screen_open=self._programs.keyboard is not None,
            controls=self._control.controls(person),
            can_execute=can_execute,
        )

    def admission(self, person: Person) -> Callable[[], bool]:
        """To be asked when queued keys leave: whether they still may go where they were meant to."""
        epoch, keyboard = self._control.turn.epoch, self._programs.keyboard
        return lambda: (
            self._control.turn.epoch == epoch
            and self._programs.keyboard is keyboard
            and self.refusal(person, can_execute=True) is None
        )
