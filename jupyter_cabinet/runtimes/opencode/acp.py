"""opencode over the Agent Client Protocol. It starts nothing."""

from __future__ import annotations

import json

import msgspec

from ..acp.runtime import AcpAgent, Traits
from ..model import Request
from ..port import About
from .arguments import PLUGIN
from .permissions import rules
from .runtime import Opencode


def agent() -> AcpAgent:
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
        cost=True,
    )
    return AcpAgent(about, ("opencode", "acp"), traits)


def _settings(request: Request) -> dict[str, str]:
    """opencode asks by the protocol where its rules say so, as it asks in a terminal."""
    held = rules(msgspec.structs.replace(request, mode="terminal"))
    settings = {"plugin": [[PLUGIN.as_uri(), {"rules": held}]], "share": "manual"}
    return {
        "OPENCODE_CONFIG_CONTENT": json.dumps(settings),
        "OPENCODE_DISABLE_AUTOUPDATE": "1",
        "OPENCODE_PURE": "false",  # else it would leave the plugin out, and with it the rules
    }
