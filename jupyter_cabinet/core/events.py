"""The base of all events, and the bus that distributes them inside the process.

Each room's `model.py` defines its own events, in the past tense; `web/event_types.py` collects them. The bus calls its
listeners at once and in order; a listener must not block.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import ClassVar

import msgspec

from .people import Visibility

log = logging.getLogger(__name__)


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="type"):
    """Something that has happened to an object. Subclasses set a `tag` and name the object's id.

    `resource`: whoever may read it receives the event, if the event's scope allows it.
    """

    resource: ClassVar[str]


class Scope(msgspec.Struct, frozen=True, kw_only=True):
    """Who may receive an event: those who may see its object."""

    owner: str
    visibility: Visibility


Listener = Callable[[Event, Scope], None]


class EventBus:
    """Passes each event to every listener at once, in the order of `tell` and `publish`.

    An exception of a listener is logged, and reaches neither the caller nor the other listeners. Nothing is stored.
    """

    def __init__(self) -> None:
        self._listeners: list[Listener] = []
        self._of_unrecorded: list[Listener] = []

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Add a listener to all events, also those of `publish`; the returned function removes it.

        Call that at most once.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def subscribe_unrecorded(self, listener: Listener) -> Callable[[], None]:
        """Add a listener only to events that are `publish`ed; the returned function removes it. Call that at most once.

        For each event, these listeners are called before those of `subscribe`.
        """
        self._of_unrecorded.append(listener)
        return lambda: self._of_unrecorded.remove(listener)

    def tell(self, event: Event, scope: Scope) -> None:
        """Announce an event that the caller has already recorded, together with its change. It is not stored here."""
        _call(self._listeners, event, scope)

    def publish(self, event: Event, scope: Scope) -> None:
        """Publish an event without a record, such as a turn in a terminal, to both kinds of listeners."""
        _call(self._of_unrecorded, event, scope)
        _call(self._listeners, event, scope)


def _call(listeners: list[Listener], event: Event, scope: Scope) -> None:
    for listener in list(listeners):
        try:
            listener(event, scope)
        except Exception:  # one listener's bug must not reach the publisher or the others
            log.exception("A listener failed on %s", type(event).__name__)
