"""The tree of all errors that callers, people or the environment can cause. Bugs are not part of it.

    CabinetError
    ├── NotFound
    ├── NotAllowed
    │   ├── NotTrusted
    │   └── NotYourTurn
    ├── Invalid
    │   ├── Malformed
    │   ├── OutsideRoot
    │   ├── TooLarge
    │   └── UnknownRuntime
    ├── Conflict
    │   ├── AlreadyFinal
    │   ├── AlreadyFired
    │   ├── Busy
    │   ├── OnAnotherServer
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
        """Return the stable name of this error on the wire: its class in snake case, such as `not_found`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class NotFound(CabinetError):
    """This does not exist here, or you may not see it."""


class NotAllowed(CabinetError):
    """You are not allowed to do this. Ask the owner of this server."""


class NotTrusted(NotAllowed):
    """No one has confirmed this folder yet. Confirm it before agents run in it."""


class NotYourTurn(NotAllowed):
    """Another person controls this terminal. Ask for control first."""


class Invalid(CabinetError):
    """The request is not valid."""


class Malformed(Invalid):
    """A file is not in the expected format. Fix it, then try again."""


class OutsideRoot(Invalid):
    """This path leads out of the server's root folder. Use a path below it."""


class TooLarge(Invalid):
    """The request is too large. Send less."""


class UnknownRuntime(Invalid):
    """There is no such runtime. Choose another one."""


class Conflict(CabinetError):
    """This does not fit the current state. Reload, then try again."""


class AlreadyFinal(Conflict):
    """This run has already ended."""


class AlreadyFired(Conflict):
    """Another server has already started this schedule's run for that time."""


class Busy(Conflict):
    """Another run works in this session. Wait for its answer, or stop it."""


class OnAnotherServer(Conflict):
    """This belongs to another server on this folder. Do this there."""


class OutOfService(Conflict):
    """This agent or play cannot run now. Its page shows the reason."""


class Refused(CabinetError):
    """This cannot be accepted now. Try again later."""


class ShuttingDown(Refused):
    """The server is stopping. Nothing new is accepted."""


class QueueFull(Refused):
    """The queue is full. Try again when a run has ended."""


class OverBudget(Refused):
    """The budget is used up. Raise it, or wait until it is renewed."""


class NoRoom(Refused):
    """Too little disk space or too few file descriptors are left. Free some, then try again."""


class Unavailable(CabinetError):
    """This part of Cabinet could not start. The reason is in the server's log."""


class LeaseLost(Unavailable):
    """Another server has taken over from this one, which was unresponsive for too long. Try again in a moment."""
