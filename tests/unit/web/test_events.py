"""Who is notified about which event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import jupyter_cabinet.backend  # noqa: F401, with all rooms
from jupyter_cabinet.core.events import Event
from jupyter_cabinet.web.event_types import EVENT_TYPES, RESOURCES, AnyEvent


def _most_special(kind: type[Event]) -> Iterator[type[Event]]:
    for each in kind.__subclasses__():
        if each.__module__.startswith("jupyter_cabinet."):
            yield from _most_special(each) if each.__subclasses__() else (each,)


def test_the_events_of_all_rooms_are_streamed() -> None:
    assert set(EVENT_TYPES) == set(_most_special(Event))


def test_every_event_takes_the_right_to_read_what_it_is_about() -> None:
    assert set(RESOURCES) == {kind.__struct_config__.tag for kind in get_args(AnyEvent)}
    assert {RESOURCES[name] for name in RESOURCES if name.startswith("approval")} == {"cabinet-approvals"}
    assert {RESOURCES[name] for name in RESOURCES if name.startswith("run_")} == {"cabinet-runs"}
