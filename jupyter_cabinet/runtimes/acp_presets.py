"""The agents for the Agent Client Protocol that are published: one function per entry point. They start nothing.

Each needs its adapter beside the CLI it drives, but for those that speak the protocol themselves.
"""

from __future__ import annotations

import json

import msgspec

from .acp import AcpAgent, Traits
from .claude import Claude
from .codex import Codex
from .gemini import Gemini
from .model import Request
from .openclaw import Openclaw
from .opencode import Opencode
from .opencode_arguments import PLUGIN
from .opencode_permissions import rules
from .pi import Pi
from .port import About

DOCS = "https://agentclientprotocol.com"


def claude() -> AcpAgent:
    about = About(
        name="acp-claude",
        title="Claude Code (ACP)",
        docs="https://github.com/agentclientprotocol/claude-agent-acp",
        install="npm install -g @agentclientprotocol/claude-agent-acp",
        login=Claude.about.login,
        tested="0.100.0",
    )
    return AcpAgent(about, ("claude-agent-acp",), Traits(kept_environment=Claude().kept_environment(), cost=True))


def codex() -> AcpAgent:
    about = About(
        name="acp-codex",
        title="Codex (ACP)",
        docs="https://github.com/agentclientprotocol/codex-acp",
        install="npm install -g @agentclientprotocol/codex-acp",
        login=Codex.about.login,
        tested="2.6.0",
    )
    kept = (*Codex().kept_environment(), "CODEX_PATH")
    return AcpAgent(about, ("codex-acp",), Traits(kept_environment=kept))


def gemini() -> AcpAgent:
    about = About(
        name="acp-gemini",
        title="Gemini CLI (ACP)",
        docs=Gemini.about.docs,
        install=Gemini.about.install,
        login=Gemini.about.login,
        tested=Gemini.about.tested,
    )
    traits = Traits(
        # else it starts itself a second time, with more memory, and the first ignores SIGTERM
        environment=lambda request: {"GEMINI_CLI_NO_RELAUNCH": "true"},
        kept_environment=Gemini().kept_environment(),
    )
    return AcpAgent(about, ("gemini", "--acp"), traits)


def opencode() -> AcpAgent:
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
        environment=_opencode_settings,
        kept_environment=Opencode().kept_environment(),
        cost=True,
    )
    return AcpAgent(about, ("opencode", "acp"), traits)


def pi() -> AcpAgent:
    about = About(
        name="acp-pi",
        title="pi (ACP)",
        docs="https://github.com/svkozak/pi-acp",
        install="npm install -g pi-acp @earendil-works/pi-coding-agent",
        login=Pi.about.login,
        tested="0.0.34",
    )
    # what holds pi itself to a mode cannot be handed through
    kept = (*Pi().kept_environment(), "PI_ACP_PI_COMMAND")
    return AcpAgent(about, ("pi-acp",), Traits(modes=("bypass",), kept_environment=kept, tool_servers=False))


def openclaw() -> AcpAgent:
    about = About(
        name="acp-openclaw",
        title="OpenClaw (ACP)",
        docs=Openclaw.about.docs,
        install=Openclaw.about.install,
        login="It needs its own gateway: openclaw gateway.",
    )
    kept = Openclaw().kept_environment()
    return AcpAgent(about, ("openclaw", "acp"), Traits(modes=("bypass",), kept_environment=kept))


def other(name: str, command: tuple[str, ...]) -> AcpAgent:
    """An agent from the configuration."""
    about = About(name=name, title=name, docs=DOCS)
    return AcpAgent(about, command)


def _opencode_settings(request: Request) -> dict[str, str]:
    """opencode asks by the protocol where its rules say so, as it asks in a terminal."""
    held = rules(msgspec.structs.replace(request, mode="terminal"))
    settings = {"plugin": [[PLUGIN.as_uri(), {"rules": held}]], "share": "manual"}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_PURE": "false",  # else it would leave the plugin out, and with it the rules
    }
