"""All types of events, from the rooms that define them. `handlers/server/events.py` streams them."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias, Union

from ..agents import model as agents
from ..approvals import model as approvals
from ..changes import model as changes
from ..channels import model as channels
from ..core.events import Event
from ..plans import model as plans
from ..plays import model as plays
from ..runs import model as runs
from ..runs import switch_model as switch
from ..schedules import model as schedules
from ..sessions import model as sessions
from ..skills import model as skills
from ..terminals import model as terminals
from ..tool_servers import model as tool_servers
from ..transcripts import model as transcripts
from ..trust import model as trust

# The order of the types in the API description. In each module it is that of the definitions.
_MODULES = (
    runs,
    changes,
    sessions,
    approvals,
    terminals,
    trust,
    schedules,
    switch,
    agents,
    plans,
    skills,
    tool_servers,
    plays,
    transcripts,
    channels,
)


def _events_of(module: ModuleType) -> Iterator[type[Event]]:
    """Yield the events that a module defines. Their base classes are not events themselves."""
    own = [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
    for each in own:
        if isinstance(each, type) and issubclass(each, Event) and not each.__subclasses__():
            yield each


EVENT_TYPES: tuple[type[Event], ...] = tuple(kind for module in _MODULES for kind in _events_of(module))
# The right to read that a reader needs, by the type of the event.
RESOURCES = {str(kind.__struct_config__.tag): kind.resource for kind in EVENT_TYPES}

if TYPE_CHECKING:
    AnyEvent: TypeAlias = Event
else:
    AnyEvent = Union[EVENT_TYPES]  # noqa: UP007
