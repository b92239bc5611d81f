"""The turn and the lock after any sequence of events: never two who type, and no key of anybody else."""

from __future__ import annotations

from collections import deque

import msgspec
from harness.examples import examples
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jupyter_cabinet.core.errors import CabinetError
from jupyter_cabinet.core.people import Person
from jupyter_cabinet.terminals.turns import lock, transitions

PEOPLE = [Person(username=name, display_name=name.title()) for name in ("ada", "ben", "cleo")]
WHO = st.sampled_from(PEOPLE)
TABS = st.integers(1, 2)
A_MOMENT = 1e-6


class Terminal(RuleBasedStateMachine):
    """A terminal in the abstract: seats, a clock, an agent, and a slow program's queue of keys."""

    @initialize(idle=st.sampled_from([None, 30.0]))
    def open(self, idle):
        self.now = 100.0
        self.limits = transitions.TurnLimits(grace_seconds=10.0, control_idle_seconds=idle)
        self.turn = transitions.opened(PEOPLE[0], self.now)
        self.may = dict.fromkeys(((who.username, tab) for who in PEOPLE for tab in (1, 2)), True)
        self.agent = None
        self.queue = deque()  # (typist, tab, epoch)
        self.typed = []  # (typist, the controller then, the agent's state then)

    # --- the turn ------------------------------------------------------------------------------

    def apply(self, step, *, gains=()):
        """Take a step; control comes to nobody but those in `gains`."""
        before, self.turn = self.turn, step.turn
        assert self.turn.epoch == before.epoch + (self.turn.controller != before.controller)
        quiet = msgspec.structs.replace(
            self.turn, away_since=before.away_since
        )  # a grace that begins again is not announced
        assert quiet == before or step.frames or self.turn.seats != before.seats
        if self.turn.controller not in (None, before.controller):
            assert self.turn.controller in gains
        self.recheck()

    def attempt(self, function, *arguments, gains=(), **named):
        try:
            step = function(self.turn, *arguments, **named)
        except CabinetError:
            return
        self.apply(step, gains=gains)

    @rule(who=WHO, tab=TABS)
    def comes(self, who, tab):
        if self.seat_of(who, tab) is None:
            seat = transitions.Seat(
                connection=f"{who.username}-{tab}", person=who, can_execute=self.may[who.username, tab]
            )
            alone = {who} >= {seat.person for seat in self.turn.seats} and self.turn.controller is None
            self.apply(transitions.joined(self.turn, seat, self.now, self.limits), gains=(who,) if alone else ())

    @rule(who=WHO, tab=TABS)
    def leaves_also_twice(self, who, tab):
        self.apply(transitions.left(self.turn, f"{who.username}-{tab}", self.now, self.limits))
        again = transitions.left(self.turn, f"{who.username}-{tab}", self.now, self.limits)
        assert again == transitions.TurnTransition(turn=self.turn)

    @rule(who=WHO, tab=TABS)
    def right_changes(self, who, tab):
        self.may[who.username, tab] = not self.may[who.username, tab]
        self.apply(transitions.rights(self.turn, f"{who.username}-{tab}", self.may[who.username, tab], self.now))

    @rule(who=WHO)
    def asks(self, who):
        if self.is_here(who):
            self.attempt(transitions.requested, who, self.now, self.limits, gains=(who,))

    @rule(who=WHO)
    def submits(self, who):
        controller = self.turn.controller
        self.apply(transitions.submitted(self.turn, who, self.now, self.limits), gains=(who,))
        if controller is not None and self.is_here(controller):
            assert self.turn.controller == controller

    @rule(who=WHO)
    def withdraws(self, who):
        self.attempt(transitions.withdrawn, who)

    @rule(who=WHO, to=WHO)
    def grants(self, who, to):
        was_controller = transitions.controls(self.turn, who)
        epoch = self.turn.epoch
        self.attempt(transitions.granted, who, to.username, self.now, gains=(to,))
        assert was_controller or self.turn.epoch == epoch

    @rule(who=WHO, to=WHO)
    def denies(self, who, to):
        self.attempt(transitions.denied, who, to.username)

    @rule(who=WHO, administrator=st.booleans())
    def revokes(self, who, administrator):
        self.attempt(transitions.revoked, who, administrator=administrator, now=self.now)

    @rule(seconds=st.floats(0.001, 40))
    def time_passes(self, seconds):
        """As the timer of `control.py` does: a limit takes effect at its very moment, and not a moment before."""
        until = self.now + seconds
        while (at := transitions.next_tick(self.turn, self.limits)) is not None and at <= until:
            assert transitions.ticked(self.turn, at - A_MOMENT, self.limits) == transitions.TurnTransition(
                turn=self.turn
            )
            self.now = max(self.now, at)
            self.apply(transitions.ticked(self.turn, self.now, self.limits))
            assert self.turn.controller is None
        self.now = until
        assert transitions.ticked(self.turn, self.now, self.limits) == transitions.TurnTransition(turn=self.turn)

    # --- keys ----------------------------------------------------------------------------------

    @rule(state=st.sampled_from([None, "running", "waiting", "paused", "ending", "stopped"]))
    def agent_changes(self, state):
        self.agent = state
        self.recheck()

    @rule(who=WHO, tab=TABS)
    def types(self, who, tab):
        if self.seat_of(who, tab) is not None and self.refusal(who, tab) is None:
            self.queue.append((who, tab, self.turn.epoch))
            self.turn = transitions.typed(self.turn, self.now)

    @precondition(lambda self: self.queue)
    @rule()
    def the_program_reads(self):
        who, tab, epoch = self.queue.popleft()
        if epoch == self.turn.epoch and self.refusal(who, tab) is None:
            self.typed.append((who, self.turn.controller, self.agent))

    def recheck(self):
        self.queue = deque(key for key in self.queue if key[2] == self.turn.epoch and self.refusal(*key[:2]) is None)

    def refusal(self, who, tab):
        return lock.refusal(
            agent_state=self.agent,
            screen_open=lock.KEYBOARD[self.agent] is not None,
            controls=transitions.controls(self.turn, who),
            can_execute=self.may[who.username, tab],
        )

    # --- what always holds ---------------------------------------------------------------------

    def seat_of(self, who, tab):
        return next((seat for seat in self.turn.seats if seat.connection == f"{who.username}-{tab}"), None)

    def is_here(self, who):
        return any(seat.person == who for seat in self.turn.seats)

    @invariant()
    def only_the_controller_has_typed_and_never_past_an_agent(self):
        for typist, controller, agent in self.typed:
            assert typist == controller and agent not in ("running", "ending")
        assert len({key[0].username for key in self.queue}) <= 1  # what waits is one person's

    @invariant()
    def requests_are_of_people_who_are_here_and_may_each_once(self):
        asking = [person.username for person in self.turn.requests]
        assert len(set(asking)) == len(asking)
        assert self.turn.controller is None or self.turn.controller.username not in asking
        for person in self.turn.requests:
            assert any(seat.person == person and seat.can_execute for seat in self.turn.seats)

    @invariant()
    def a_controller_is_here_with_the_right_or_is_waited_for(self):
        controller = self.turn.controller
        if controller is None:
            assert self.turn.away_since is None
        elif self.is_here(controller):
            assert self.turn.away_since is None
            assert any(seat.person == controller and seat.can_execute for seat in self.turn.seats)
        else:
            assert self.turn.away_since is not None


Terminal.TestCase.settings = settings(max_examples=examples(30), stateful_step_count=60)
TestTerminal = Terminal.TestCase
