"""Everything that may go wrong by somebody's doing, as one tree. A bug is not in it.

    CabinetError
    ├── NotFound
    ├── NotAllowed
    │   ├── NotTrusted
    │   └── NotYourTurn
    ├── Invalid
    │   ├── Malformed
    │   ├── OutsideRoot
    │   └── UnknownRuntime
    ├── Conflict
    │   ├── AlreadyFinal
    │   ├── AlreadyFired
    │   ├── Busy
    │   └── OutOfService
    ├── Refused
    │   ├── ShuttingDown
    │   ├── QueueFull
    │   ├── OverBudget
    │   └── NoRoom
    └── Unavailable
        └── LeaseLost

The docstring of a class is its default message to a person: what happened, then what to do.
`web/errors.py` maps each to a status. `kind` is the class name in snake case.
"""

from __future__ import annotations

import inspect
import re
from typing import Any


class CabinetError(Exception):
    """Something went wrong."""

    def __init__(self, message: str | None = None, **detail: Any) -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "")
        self.detail = detail
        super().__init__(self.message)

    @classmethod
    def kind(cls) -> str:
        """The stable name of this error on the wire: its class in snake case, such as `not_found`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class NotFound(CabinetError):
    """There is no such thing here, or it is not yours to see."""


class NotAllowed(CabinetError):
    """You have no right to do this. Ask the owner of this server."""


class NotTrusted(NotAllowed):
    """Nobody has confirmed this folder yet. Confirm it before agents run in it."""


class NotYourTurn(NotAllowed):
    """Somebody else controls this terminal. Ask for control first."""


class Invalid(CabinetError):
    """The request cannot be used as it is."""


class Malformed(Invalid):
    """A file cannot be read as what its name says. Mend it, then try again."""


class OutsideRoot(Invalid):
    """This path leads out of the server's folder. Use a path below it."""


class UnknownRuntime(Invalid):
    """There is no such runtime."""


class Conflict(CabinetError):
    """This does not fit what is there now."""


class AlreadyFinal(Conflict):
    """This run has ended already."""


class AlreadyFired(Conflict):
    """Another server has fired this schedule for that time."""


class Busy(Conflict):
    """Another run works in this session. Wait for its answer, or stop it."""


class OutOfService(Conflict):
    """This agent is out of service."""


class Refused(CabinetError):
    """This cannot be accepted now."""


class ShuttingDown(Refused):
    """The server is stopping. Nothing new is accepted."""


class QueueFull(Refused):
    """All places are taken. Try again when a run has ended."""


class OverBudget(Refused):
    """The budget is used up."""


class NoRoom(Refused):
    """Too little disk space or too few file descriptors are left. Free some, then try again."""


class Unavailable(CabinetError):
    """This part of Cabinet could not start. The server's log says why."""


class LeaseLost(Unavailable):
    """Another server has taken over the work of this one, which stood still for too long. Try again in a moment."""
