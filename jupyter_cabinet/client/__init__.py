"""The typed client of the HTTP API, for scripts, magics and commands; sync and async. Start at `Cabinet`.

People use `cabinet.py`, which returns objects of `live_run.py`, `agents.py`, `plays.py` and `terminals.py`; `api.py`
sends requests over `http.py`, on the thread of `portal.py`. `server_address.py` and `kernel_server.py` find the server.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cabinet import Cabinet
    from .errors import CabinetError, NoServer, RequestRefused, RunFailed, Unreachable
    from .kernel_server import server_of_kernel
    from .live_run import LiveRun
    from .model import CabinetStatus, RunList, RunResult, UnknownEvent

_MODULES = {
    "Cabinet": "cabinet",
    "CabinetError": "errors",
    "CabinetStatus": "model",
    "LiveRun": "live_run",
    "NoServer": "errors",
    "RequestRefused": "errors",
    "RunFailed": "errors",
    "RunList": "model",
    "RunResult": "model",
    "Unreachable": "errors",
    "UnknownEvent": "model",
    "server_of_kernel": "kernel_server",
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
