"""Who may do what at one terminal now: the turn, the soft lock and ownership, asked in one place.

The rules themselves are in `turns.py` and `lock.py`; the rights of Jupyter's authorizer come in as arguments.
"""

from __future__ import annotations

from collections.abc import Callable

from ..core.errors import NotYourTurn
from ..core.people import Person, Principal, owns
from . import lock
from .desk import TurnDesk
from .stage import Stage


class Gate:
    """Asked by `terminal.py`, its connections, and `inputs.py`."""

    def __init__(self, owner: Person, desk: TurnDesk, stage: Stage) -> None:
        self._owner = owner
        self._desk = desk
        self._stage = stage

    def may_manage(self, principal: Principal) -> bool:
        """Whether the terminal or its agent was started by `principal`, or who asks may administer."""
        agent = self._stage.agent
        by = agent.started_by if agent is not None else None
        return owns(principal, self._owner.username) or (by is not None and by.username == principal.username)

    def may_steer(self, principal: Principal) -> bool:
        """Whether `principal` may start, pause, resume and stop an agent here, record, and close the terminal."""
        return self._desk.controls(principal) or self.may_manage(principal)

    def must_steer(self, principal: Principal) -> None:
        if not self.may_steer(principal):
            raise NotYourTurn("Only who controls this terminal, or started it or its agent, may do this.")

    def refusal(self, person: Person, *, can_execute: bool) -> lock.Refusal | None:
        """Why a person's keys do not pass now."""
        return lock.refusal(
            agent_state=self._stage.lock_state,
            screen_open=self._stage.keyboard is not None,
            controls=self._desk.controls(person),
            can_execute=can_execute,
        )

    def admission(self, person: Person) -> Callable[[], bool]:
        """To be asked when queued keys leave: whether they still may go where they were meant to."""
        epoch, screen = self._desk.turn.epoch, self._stage.keyboard
        return lambda: (
            self._desk.turn.epoch == epoch
            and self._stage.keyboard is screen
            and self.refusal(person, can_execute=True) is None
        )
