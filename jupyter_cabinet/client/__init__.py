"""The typed client of the HTTP API, for scripts, magics and commands; sync and async. Start at `Cabinet`.

People use `cabinet.py`, which returns objects of `runs/live_run.py`, `agents.py`, `plays.py` and `terminals.py`.
`api.py` sends the requests, and `connection/` finds the server and carries them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cabinet import Cabinet
    from .connection.kernel_server import server_of_kernel
    from .errors import CabinetError, NoServer, RequestRefused, RunFailed, Unreachable
    from .model import CabinetStatus, RunList, RunResult, UnknownEvent
    from .runs.live_run import LiveRun

_MODULES = {
    "Cabinet": "cabinet",
    "CabinetError": "errors",
    "CabinetStatus": "model",
    "LiveRun": "runs.live_run",
    "NoServer": "errors",
    "RequestRefused": "errors",
    "RunFailed": "errors",
    "RunList": "model",
    "RunResult": "model",
    "Unreachable": "errors",
    "UnknownEvent": "model",
    "server_of_kernel": "connection.kernel_server",
}

__all__ = [
    "Cabinet",
    "CabinetError",
    "CabinetStatus",
    "LiveRun",
    "NoServer",
    "RequestRefused",
    "RunFailed",
    "RunList",
    "RunResult",
    "UnknownEvent",
    "Unreachable",
    "server_of_kernel",
]


def __getattr__(name: str) -> Any:
    # `jupyter cabinet --help` needs only the errors (PEP 562)
    if name in _MODULES:
        return getattr(import_module(f".{_MODULES[name]}", __name__), name)
    raise AttributeError(name)
