"""Any agent that speaks the Agent Client Protocol, behind the port. It starts no process itself.

The `acp.py` of a CLI configures the adapter published for it; other agents come from `CabinetApp.acp_agents`. It works
only without a terminal.
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
from ..sandbox_needs import SandboxNeeds
from .client import AcpClient
from .messages import is_installed

EXTRA = 'Install "jupyter-cabinet[acp]" to use agents with the Agent Client Protocol.'


DOCS = "https://agentclientprotocol.com"


class Traits(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about an agent beyond the protocol. The defaults are those of an untested agent."""

    modes: tuple[PermissionMode, ...] = ("ask", "edit", "bypass")  # the modes that the agent can be asked to enforce
    # the modes that the agent enforces because of its environment, whatever it offers
    kept: tuple[PermissionMode, ...] = ()
    environment: Callable[[Request], dict[str, str]] = lambda request: {}
    kept_environment: tuple[str, ...] = ()
    tool_servers: bool = True
    stays_with_tool_servers: bool = False  # if it has started some, it does not exit when its stdin ends
    cost: bool = False
    sessions_of: str = ""  # the runtime whose CLI keeps its sessions; empty: it keeps none that can be read
    # the files and hosts that it needs in a sandbox; None: they are not known
    sandbox_needs: Callable[[Mapping[str, str]], SandboxNeeds] | None = None


class AcpAgent:
    """One agent, identified by its command.

    A run whose mode the agent cannot enforce fails before its prompt is sent. `launch` raises `Invalid` for a terminal,
    a list of tools, tool servers that it does not support, and a mode that it is known not to enforce.
    """

    def __init__(self, about: About, command: tuple[str, ...], traits: Traits | None = None) -> None:
        self.about = about
        self._command = command
        self._traits = traits or Traits()

    @property
    def program(self) -> str:
        """Return the name of its program."""
        return Path(self._command[0]).name

    @property
    def sessions_of(self) -> str:
        """Return the name of the runtime under which its sessions are listed; empty: they are its own."""
        return self._traits.sessions_of

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
        return Launch(
            argv=argv,
            keep_stdin_open=True,
            outlives_answer=self._traits.stays_with_tool_servers and bool(request.mcp_servers),
            environment=self._traits.environment(request),
        )

    def conversation(self, request: Request) -> Conversation:
        return AcpClient(request, self.about.title, self._traits.kept)

    def kept_environment(self) -> tuple[str, ...]:
        return self._traits.kept_environment

    def transcripts(self, home: Path) -> Path | None:
        return None

    def sandbox_needs(self, environment: Mapping[str, str]) -> SandboxNeeds | None:
        return None if self._traits.sandbox_needs is None else self._traits.sandbox_needs(environment)

    def _check(self, request: Request) -> None:
        """Raises `Invalid` for a request that the agent cannot be made to respect."""
        title = self.about.title
        if request.mode != "headless":
            raise Invalid(f"{title} only runs without a terminal. Choose a run without a terminal.", field="mode")
        if request.resume is not None and not is_foreign_id(request.resume):
            raise Invalid("The id of the session to continue is not valid.", field="resume")
        if request.permission_mode not in self._traits.modes:
            raise Invalid(
                f"{title} cannot enforce the permission mode {request.permission_mode!r}. Choose another mode or "
                "agent.",
                field="permission_mode",
            )
        if request.allowed_tools is not None:
            raise Invalid(
                f"{title} cannot be limited to a list of tools. Leave the list out, or choose another agent.",
                field="allowed_tools",
            )
        if request.mcp_servers and not self._traits.tool_servers:
            raise Invalid(
                f"{title} does not support tool servers. Remove them, or choose another agent.", field="mcp_servers"
            )
        if not all(server.name and server.command for server in request.mcp_servers):
            raise Invalid("The name or the command of a tool server is not valid.", field="mcp_servers")


def configured(name: str, command: tuple[str, ...], *, sessions_of: str = "") -> AcpAgent:
    """Build an agent from the server's configuration, with the `Traits` of an untested one. Does not check the command.

    `sessions_of`: see `Traits`.
    """
    return AcpAgent(About(name=name, title=name, docs=DOCS), command, Traits(sessions_of=sessions_of))
