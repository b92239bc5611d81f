"""OpenClaw behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 2026.9.6. Its terminal needs a Gateway, and a
continued session works in its own folder: neither is offered.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..adapter import Adapter
from ..model import Launch, Request
from ..port import About, Capabilities, Located
from ..shared.run_files import RunFiles
from . import arguments
from .login import PROVIDERS, login_state, settings_file, state_paths
from .stored_sessions import session_stores
from .stream import OpenclawStream


class Openclaw(Adapter):
    """OpenClaw, without its Gateway."""

    about = About(
        name="openclaw",
        title="OpenClaw",
        docs="https://docs.openclaw.ai",
        install="npm install -g openclaw",
        tested="2026.9.6",
        login="Run openclaw configure in a terminal, or set your provider's key for the server.",
    )
    can = Capabilities(headless=True, mcp=True, cost=True, permission_modes=("ask", "edit", "bypass"))
    environment = (
        "OPENCLAW_HOME",
        "OPENCLAW_STATE_DIR",
        "OPENCLAW_CONFIG_PATH",
        "OPENCLAW_INCLUDE_ROOTS",
        *PROVIDERS,
        "ANTHROPIC_*",
        "OPENAI_*",
        "GOOGLE_*",
        "AWS_*",
    )
    headless = OpenclawStream
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    session_stores = staticmethod(session_stores)

    def launch(self, located: Located, request: Request) -> Launch:
        arguments.check(request)
        files, settings = RunFiles(request), settings_file(os.environ)
        argv = arguments.headless(request, files, str(settings or ""))
        environment = {}
        if settings and arguments.has_rules(request):  # otherwise the run's settings could not include theirs
            roots = (str(settings.parent), os.environ.get("OPENCLAW_INCLUDE_ROOTS", ""))
            environment = {"OPENCLAW_INCLUDE_ROOTS": os.pathsep.join(filter(None, roots))}
        return Launch(
            argv=(located.path, *argv),
            stdin=arguments.stdin(request),
            environment=environment,
            files=files.all(),
        )

    def transcripts(self, home: Path) -> Path | None:
        return None  # the state of a run is in a temporary folder, which the CLI removes
