"""The input gate: who may do what at one terminal now. It checks the turn, the soft lock and ownership.

The rules themselves are in `transitions.py` and `lock.py`; the rights of Jupyter's authorizer come in as arguments.
Called by `terminal.py`, by connections, by `programs/input.py`, and by `runs/` and `web/` for anything but typing.
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
    """The facts about a terminal's programs that the gate needs."""

    @property
    def lock_state(self) -> AgentState | None:
        """The agent state that decides about keys; None without an agent."""

    @property
    def keyboard(self) -> object | None:
        """The PTY that gets people's keys now, while it is alive; None: keys are refused."""

    @property
    def agent_started_by(self) -> Person | None:
        """The person who started the agent that is here; None without an agent."""


class InputGate:
    """Answers for one terminal; keeps no state."""

    def __init__(self, owner: Person, control: TurnControl, programs: GatedPrograms) -> None:
        self._owner = owner
        self._control = control
        self._programs = programs

    def may_manage(self, principal: Principal) -> bool:
        """Return whether `principal` started the terminal or its agent, or may administer."""
        by = self._programs.agent_started_by
        return owns(principal, self._owner.username) or (by is not None and by.username == principal.username)

    def may_share(self, principal: Principal) -> bool:
        """Return whether `principal` may make the terminal private or share it: only the person who started it.

        With a shared token everybody counts as that person. Administrators may not, because its screen and its
        recording may contain what that person has kept private.
        """
        return principal.shared_token or principal.username == self._owner.username

    def may_steer(self, principal: Principal) -> bool:
        """Return whether `principal` may control an agent here, record, and close the terminal."""
        return self._control.controls(principal) or self.may_manage(principal)

    def must_steer(self, principal: Principal) -> None:
        """Raise `NotYourTurn` unless `may_steer` is true for this person."""
        if not self.may_steer(principal):
            raise NotYourTurn("Only a person who controls this terminal, or started it or its agent, may do this.")

    def refusal(self, person: Person, *, can_execute: bool) -> lock.Refusal | None:
        """Return why a person's keys are refused now; None: they pass."""
        return lock.refusal(
            agent_state=self._programs.lock_state,
            screen_open=self._programs.keyboard is not None,
            controls=self._control.controls(person),
            can_execute=can_execute,
        )

    def admission(self, person: Person) -> Callable[[], bool]:
        """Return a check for the time when queued keys leave: whether they may still go to the same PTY."""
        epoch, keyboard = self._control.turn.epoch, self._programs.keyboard
        return lambda: (
            self._control.turn.epoch == epoch
            and self._programs.keyboard is keyboard
            and self.refusal(person, can_execute=True) is None
        )
