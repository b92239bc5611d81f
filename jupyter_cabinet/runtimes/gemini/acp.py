"""Gemini CLI over the Agent Client Protocol. It starts no process."""

from __future__ import annotations

from ..acp.runtime import AcpAgent, Traits
from ..port import About
from .runtime import Gemini
from .sandbox import sandbox_needs


def agent() -> AcpAgent:
    """Return the runtime `acp-gemini`. The registry calls this."""
    about = About(
        name="acp-gemini",
        title="Gemini CLI (ACP)",
        docs=Gemini.about.docs,
        install=Gemini.about.install,
        login=Gemini.about.login,
        tested=Gemini.about.tested,
    )
    traits = Traits(
        # otherwise it starts itself a second time, with more memory, and the first process ignores SIGTERM
        environment=lambda request: {"GEMINI_CLI_NO_RELAUNCH": "true"},
        stays_with_tool_servers=True,
        sessions_of=Gemini.about.name,
        kept_environment=Gemini().kept_environment(),
        sandbox_needs=sandbox_needs,
    )
    return AcpAgent(about, ("gemini", "--acp"), traits)
