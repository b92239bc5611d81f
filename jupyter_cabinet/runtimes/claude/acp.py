"""Claude Code over the Agent Client Protocol, through a separately published adapter. It starts no process."""

from __future__ import annotations

from ..acp.runtime import AcpAgent, Traits
from ..port import About
from .runtime import Claude
from .sandbox import sandbox_needs


def agent() -> AcpAgent:
    """Return the runtime `acp-claude`. The registry calls this."""
    about = About(
        name="acp-claude",
        title="Claude Code (ACP)",
        docs="https://github.com/agentclientprotocol/claude-agent-acp",
        install="npm install -g @agentclientprotocol/claude-agent-acp",
        login=Claude.about.login,
        tested="0.100.0",
    )
    return AcpAgent(
        about,
        ("claude-agent-acp",),
        Traits(
            kept_environment=Claude().kept_environment(),
            cost=True,
            sessions_of=Claude.about.name,
            sandbox_needs=sandbox_needs,
        ),
    )
