"""A terminal as others see it: in lists and events, and in the first frames for a new viewer. Read-only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import frames
from .model import ScreenSource, Terminal

if TYPE_CHECKING:
    from .terminal import OpenTerminal
    from .viewers.connection import Connection


def view_of(terminal: OpenTerminal) -> Terminal:
    """Return the terminal as it is now, for lists and events."""
    about, agent = terminal.about, terminal.programs.agent
    return Terminal(
        id=about.id,
        name=about.name,
        owner=about.owner.username,
        visibility=about.visibility,
        program=about.program,
        agent_title=agent.title if agent is not None else None,
        agent_state=terminal.programs.agent_state,
        agent_since=agent.since if agent is not None else None,
        run_id=terminal.run_id,
        controller=terminal.control.turn.controller,
        size=terminal.display.size,
        cwd=about.cwd,
        created_at=about.created_at,
        exited=terminal.programs.exited,
        recording=terminal.recording.on,
        recorded=terminal.recording.recorded,
    )


def hello_for(terminal: OpenTerminal, connection: Connection) -> frames.Hello:
    """Return the first frame for a client that has just attached."""
    you = frames.You(
        username=connection.person.username,
        display_name=connection.person.display_name,
        can_execute=connection.can_execute,
        primary=terminal.viewers.primary is connection,
        may_manage=terminal.gate.may_manage(connection.principal),
        may_share=terminal.gate.may_share(connection.principal),
    )
    screen = terminal.display.shown
    return frames.Hello(
        terminal=terminal.view(),
        you=you,
        controller=terminal.control.turn.controller,
        grace_seconds=terminal.control.grace_left(),
        requests=terminal.control.turn.requests,
        agent_state=terminal.programs.agent_state,
        size=terminal.display.size,
        viewers=terminal.viewers.people(),
        offset=screen.ring.end if screen is not None else 0,
    )


def greet(terminal: OpenTerminal, connection: Connection, *, since: int | None, source: ScreenSource | None) -> None:
    """Send the current state to a client that has just attached, and show it the screen.

    `since`, `source`: it has the bytes of that PTY before that offset.
    """
    stream, screen, programs = connection.stream, terminal.display.shown, terminal.programs
    stream.tell(hello_for(terminal, connection))
    if screen is not None:
        stream.show(screen, since=since, source=source)
        if screen.title:
            stream.tell(frames.Title(text=screen.title))
    if programs.agent is not None:
        stream.tell(programs.agent.frame())
    if terminal.notifications.queued is not None:
        stream.tell(terminal.notifications.queued)
    if programs.folder != terminal.about.cwd:
        stream.tell(frames.CwdChanged(path=programs.folder))
    if programs.ended is not None:
        stream.tell(programs.ended, after_output=True)
