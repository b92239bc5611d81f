"""pi over the Agent Client Protocol, through a separately published adapter. It starts no process."""

from __future__ import annotations

from ..acp.runtime import AcpAgent, Traits
from ..port import About
from .runtime import Pi


def agent() -> AcpAgent:
    """Return the runtime `acp-pi`. The registry calls this."""
    about = About(
        name="acp-pi",
        title="pi (ACP)",
        docs="https://github.com/svkozak/pi-acp",
        install="npm install -g pi-acp @earendil-works/pi-coding-agent",
        login=Pi.about.login,
        tested="0.0.34",
    )
    # the adapter cannot pass on what enforces a mode in pi
    kept = (*Pi().kept_environment(), "PI_ACP_PI_COMMAND")
    traits = Traits(modes=("bypass",), kept_environment=kept, tool_servers=False, sessions_of=Pi.about.name)
    return AcpAgent(about, ("pi-acp",), traits)
