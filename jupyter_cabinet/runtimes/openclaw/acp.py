"""OpenClaw over the Agent Client Protocol. It starts no process."""

from __future__ import annotations

from ..acp.runtime import AcpAgent, Traits
from ..port import About
from .runtime import Openclaw


def agent() -> AcpAgent:
    """Return the runtime `acp-openclaw`. The registry calls this."""
    about = About(
        name="acp-openclaw",
        title="OpenClaw (ACP)",
        docs=Openclaw.about.docs,
        install=Openclaw.about.install,
        login="It needs its own gateway: openclaw gateway.",
    )
    kept = Openclaw().kept_environment()
    return AcpAgent(about, ("openclaw", "acp"), Traits(modes=("bypass",), kept_environment=kept))
