"""Codex over the Agent Client Protocol, through a separately published adapter. It starts no process."""

from __future__ import annotations

from ..acp.runtime import AcpAgent, Traits
from ..port import About
from .runtime import Codex


def agent() -> AcpAgent:
    """Return the runtime `acp-codex`. The registry calls this."""
    about = About(
        name="acp-codex",
        title="Codex (ACP)",
        docs="https://github.com/agentclientprotocol/codex-acp",
        install="npm install -g @agentclientprotocol/codex-acp",
        login=Codex.about.login,
        tested="2.6.0",
    )
    # not isolated: it would start Codex with its own sandbox, which cannot be nested
    kept = (*Codex().kept_environment(), "CODEX_PATH")
    return AcpAgent(about, ("codex-acp",), Traits(kept_environment=kept, sessions_of=Codex.about.name))
