"""The handlers' shared state: what this server serves and, once it has started, its services."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..core.clock import Clock, SystemClock

if TYPE_CHECKING:  # Imported off the event loop, when Jupyter serves already.
    from ..backend import Backend
    from ..runners.port import RunnerName
    from ..runs.settings import SandboxSetting


@dataclass
class ServerStatus:
    """`trouble` is the reason why nothing is served: it is starting or stopping, or an error. Empty while it serves."""

    trouble: str = "Cabinet is starting. Try again in a moment."
    root_name: str = ""
    allow_bypass: bool = False
    sandbox: SandboxSetting = "unattended"
    runner: RunnerName = "local"
    idle_stop_seconds: int | None = None  # without activity, whatever is scheduled; None: it does not stop by itself
    clock: Clock = field(default_factory=SystemClock)
    _services: Backend | None = field(default=None, init=False)

    @property
    def services(self) -> Backend:
        """The services, only after `serve`. They stay for handlers that work while the server stops."""
        assert self._services is not None, "no handler works before the services are open"
        return self._services

    def serve(self, services: Backend) -> None:
        """Let requests be answered by these services from now on."""
        self._services = services
        self.trouble = ""
