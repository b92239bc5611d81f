"""opencode over the Agent Client Protocol. It starts no process."""

from __future__ import annotations

import msgspec

from ..acp.runtime import AcpAgent, Traits
from ..model import Request
from ..port import About
from .arguments import variables
from .rules import rules
from .runtime import PLUGIN, Opencode
from .sandbox import sandbox_needs


def agent() -> AcpAgent:
    """Return the runtime `acp-opencode`. The registry calls this."""
    about = About(
        name="acp-opencode",
        title="opencode (ACP)",
        docs=Opencode.about.docs,
        install=Opencode.about.install,
        login=Opencode.about.login,
        tested=Opencode.about.tested,
    )
    traits = Traits(
        kept=("ask", "edit"),
        environment=_settings,
        kept_environment=Opencode().kept_environment(),
        sandbox_needs=sandbox_needs,
        cost=True,
        sessions_of=Opencode.about.name,
    )
    return AcpAgent(about, ("opencode", "acp"), traits)


def _settings(request: Request) -> dict[str, str]:
    """opencode asks over the protocol if its rules say so, as it does in a terminal."""
    held = rules(msgspec.structs.replace(request, mode="terminal"))
    return variables({"plugin": [[PLUGIN.as_uri(), {"rules": held}]]})
