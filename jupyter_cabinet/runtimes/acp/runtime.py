"""Any agent that speaks the Agent Client Protocol, behind the port. It starts nothing itself.

The `acp.py` of a CLI has its published adapter; others come by `CabinetApp.acp_agents`. Without a terminal only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from ...core.errors import Invalid
from ...core.ids import is_foreign_id
from ..locate import locate
from ..model import Launch, PermissionMode, Request
from ..port import About, Capabilities, Conversation, Located, Missing
from .client import AcpClient
from .messages import is_installed

EXTRA = 'Install "jupyter-cabinet[acp]" to use agents by the Agent Client Protocol.'


DOCS = "https://agentclientprotocol.com"


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an agent beyond the protocol. The defaults are those of one that nobody has tried."""

    modes: tuple[PermissionMode, ...] = ("ask", "edit", "bypass")  # that it may be asked to keep
    kept: tuple[PermissionMode, ...] = ()  # that it keeps by the environment it is started with, whatever it offers
    environment: Callable[[Request], dict[str, str]] = lambda request: {}
    kept_environment: tuple[str, ...] = ()
    tool_servers: bool = True
    cost: bool = False


class AcpAgent:
    """One agent by its command. One that must keep a mode and offers none that does fails before its prompt."""

    def __init__(self, about: About, command: tuple[str, ...], traits: Traits | None = None) -> None:
        self.about = about
        self._command = command
        self._traits = traits or Traits()

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        found = locate(self._command[0], self.about.name, environment)
        if isinstance(found, Located) and not is_installed():
            return Missing(reason=EXTRA)
        return found

    def capabilities(self, located: Located) -> Capabilities:
        return Capabilities(
            headless=True,
            resume=True,
            mcp=self._traits.tool_servers,
            text_deltas=True,
            cost=self._traits.cost,
            questions="ask" in self._traits.modes,
            permission_modes=self._traits.modes,
        )

    def launch(self, located: Located, request: Request) -> Launch:
        self._check(request)
        argv = (located.path, *self._command[1:])
        return Launch(argv=argv, keep_stdin_open=True, environment=self._traits.environment(request))

    def conversation(self, request: Request) -> Conversation:
        return AcpClient(request, self.about.title, self._traits.kept)

    def kept_environment(self) -> tuple[str, ...]:
        return self._traits.kept_environment

    def transcripts(self, home: Path) -> Path | None:
        return None

    def _check(self, request: Request) -> None:
        """Raises `Invalid` for what the agent cannot be held to."""
        title = self.about.title
        if request.mode != "headless":
            raise Invalid(f"{title} runs without a terminal only.", field="mode")
        if request.resume is not None and not is_foreign_id(request.resume):
            raise Invalid("The id of the session to go on with is not usable.", field="resume")
        if request.permission_mode not in self._traits.modes:
            raise Invalid(f"{title} cannot be held to {request.permission_mode!r}.", field="permission_mode")
        if request.allowed_tools is not None:
            raise Invalid(f"{title} cannot be held to a list of tools.", field="allowed_tools")
        if request.mcp_servers and not self._traits.tool_servers:
            raise Invalid(f"{title} takes no tool servers.", field="mcp_servers")
        if not all(server.name and server.command for server in request.mcp_servers):
            raise Invalid("The name or the command of a tool server is not usable.", field="mcp_servers")


def configured(name: str, command: tuple[str, ...]) -> AcpAgent:
    """An agent from the server's configuration."""
    return AcpAgent(About(name=name, title=name, docs=DOCS), command)
