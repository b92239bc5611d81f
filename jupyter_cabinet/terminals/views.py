"""A terminal as others see it: in lists and events, and in the greeting of a new viewer. Reads, changes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.people import Person
from . import model

if TYPE_CHECKING:
    from .connection import Connection
    from .terminal import OpenTerminal


def view_of(terminal: OpenTerminal) -> model.Terminal:
    about, agent = terminal.about, terminal.agent
    return model.Terminal(
        id=about.id,
        name=about.name,
        owner=about.owner.username,
        visibility=about.visibility,
        program=about.program,
        agent_title=agent.title if agent is not None else None,
        agent_state=terminal.agent_state,
        agent_since=agent.since if agent is not None else None,
        run_id=terminal.run_id,
        controller=terminal.desk.turn.controller,
        size=terminal.size,
        cwd=about.cwd,
        created_at=about.created_at,
        exited=terminal.exited,
        recording=terminal.tape is not None and terminal.tape.on,
        recorded=terminal.tape is not None and terminal.tape.recorded,
    )


def hello_for(
    terminal: OpenTerminal, connection: Connection, *, primary: bool, viewers: tuple[Person, ...]
) -> model.Hello:
    you = model.You(
        username=connection.person.username,
        display_name=connection.person.display_name,
        can_execute=connection.can_execute,
        primary=primary,
        may_manage=terminal.gate.may_manage(connection.principal),
    )
    return model.Hello(
        terminal=terminal.view(),
        you=you,
        controller=terminal.desk.turn.controller,
        requests=terminal.desk.turn.requests,
        agent_state=terminal.agent_state,
        size=terminal.size,
        viewers=viewers,
        offset=terminal.screen.ring.end if terminal.screen is not None else 0,
    )
