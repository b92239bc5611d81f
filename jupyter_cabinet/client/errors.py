"""The errors of the client. Each says what happened and what to do, as text for a terminal.

    CabinetError
    ├── NoServer
    ├── Unreachable
    ├── RequestRefused
    └── RunFailed

A wrong argument is a `ValueError` or a `TypeError`, an unknown name a `KeyError`, and an expired time limit a
`TimeoutError`, as everywhere in Python.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

from ..core.plain_text import plain

if TYPE_CHECKING:
    from .model import RunResult


class CabinetError(Exception):
    """Something went wrong."""

    kind = "failed"

    def __init__(self, message: str = "", hint: str = "", *, kind: str = "") -> None:
        """`message`: what happened; `hint`: what to do, or empty. `kind`: its stable name, such as `not_trusted`."""
        self.message = plain(message or inspect.cleandoc(type(self).__doc__ or ""))
        self.hint = plain(hint)
        self.kind = plain(kind) or self.kind
        super().__init__(" ".join(each for each in (self.message, self.hint) if each))

    def _render_traceback_(self) -> list[str]:
        """The traceback for IPython: nobody's code is wrong, so it contains no code."""
        return [f"{type(self).__name__}: {self}"]


class NoServer(CabinetError):
    """No server was found."""

    kind = "no_server"


class Unreachable(CabinetError):
    """The server does not answer, or its reply cannot be read."""

    kind = "unreachable"


class RequestRefused(CabinetError):
    """The server has refused the request.

    `message` is the server's; `kind` is its name for the error, such as `not_found` or `out_of_service`.
    """

    kind = "refused"


class RunFailed(CabinetError):
    """A run has ended without success.

    `result` has all of it. `kind`: of the failure, such as `rate_limited`, or else the state in which it ended:
    `cancelled`, `timed_out`, `interrupted`, `skipped`.
    """

    kind = "failed"

    def __init__(self, result: RunResult) -> None:
        self.result = result
        said = result.failure.message if result.failure else ""
        kind = result.failure.kind if result.failure else result.state
        super().__init__(result.reason or said or f"The run ended: {result.state}.", kind=kind)

    def __reduce__(self) -> tuple[type[RunFailed], tuple[RunResult]]:
        return type(self), (self.result,)  # it may come from another process
