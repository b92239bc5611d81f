"""The connections of a terminal: which of them is primary, and frames for all. No rules are here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...core.people import Person, Principal
from ..frames import ServerFrame, Viewers
from ..screens.screen import Screen

if TYPE_CHECKING:
    from .connection import Connection


class Connections:
    """The attached connections, in the order of their arrival.

    `primary`: the controller's connection that typed or attached last. Its size counts, and it answers queries.
    """

    def __init__(self) -> None:
        self._connections: list[Connection] = []
        self.primary: Connection | None = None

    def __bool__(self) -> bool:
        return bool(self._connections)

    def __contains__(self, connection: Connection) -> bool:
        return connection in self._connections

    def people(self) -> tuple[Person, ...]:
        """Return the connected people, each once, in the order of their arrival."""
        return tuple({each.person.username: each.person for each in self._connections}.values())

    def add(self, connection: Connection) -> None:
        """Add a client that has attached."""
        self._connections.append(connection)

    def remove(self, connection: Connection, controller: Person | None) -> None:
        """Remove a client that has gone; if it was primary, another of the `controller` becomes primary."""
        self._connections.remove(connection)
        if self.primary is connection:
            self.elect(controller)

    def elect(self, controller: Person | None) -> None:
        """Choose the primary again, after control has moved or the primary has disconnected.

        It is the controller's latest connection that may execute; None if there is no such connection.
        """
        own = [
            each
            for each in self._connections
            if controller and each.person.username == controller.username and each.can_execute
        ]
        self.primary = own[-1] if own else None

    def tell(self, frame: ServerFrame, *, after_output: bool = False) -> None:
        """Send a frame to all; with `after_output`, to each after all output written until now."""
        for connection in list(self._connections):
            connection.stream.tell(frame, after_output=after_output)

    def tell_who_watches(self, *, but: Connection | None = None) -> None:
        """Send the list of viewers to all except `but`."""
        frame = Viewers(viewers=self.people())
        for connection in list(self._connections):
            if connection is not but:
                connection.stream.tell(frame)

    def show(self, screen: Screen) -> None:
        """Switch all to another PTY."""
        for connection in self._connections:
            connection.stream.show(screen)

    def wake(self) -> None:
        """Send new output to all viewers."""
        for connection in self._connections:
            connection.stream.wake()

    def keep(self, allowed: Callable[[Principal], bool], code: int, reason: str) -> None:
        """Close the connections of everybody who is not `allowed`, without their remaining output."""
        for connection in list(self._connections):
            if not allowed(connection.principal):
                connection.close(code, reason)

    def dismiss(self, reason: str) -> None:
        """Send everybody the remaining output, then close. It does not wait."""
        for connection in list(self._connections):
            connection.stream.finish(reason)
