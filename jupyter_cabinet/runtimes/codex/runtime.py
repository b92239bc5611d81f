"""Codex behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 0.169.0.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..adapter import Adapter
from ..model import Launch, Request
from ..port import About, Capabilities, Located
from ..shared.run_files import RunFiles
from . import arguments
from .login import folder, login_state, state_paths
from .own_tool_servers import tool_server_files
from .sandbox import sandbox_needs
from .stored_sessions import session_stores
from .stream import CodexStream
from .terminal import CodexTerminal


class Codex(Adapter):
    """Codex CLI, by OpenAI."""

    about = About(
        name="codex",
        title="Codex",
        docs="https://developers.openai.com/codex/cli",
        install="npm install -g @openai/codex",
        login="Run codex login in a terminal, or set CODEX_API_KEY or your provider's key for the server.",
        tested="0.169.0",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        fork=True,
        mcp=True,
        blocking_hooks=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
    )
    environment = (
        "CODEX_HOME",
        "CODEX_SQLITE_HOME",
        "CODEX_API_KEY",
        "CODEX_ACCESS_TOKEN",
        "CODEX_CA_CERTIFICATE",
        "OPENAI_*",
        "AZURE_OPENAI_*",
        "AWS_*",
    )
    headless, terminal = CodexStream, CodexTerminal
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    sandbox_needs = staticmethod(sandbox_needs)
    session_stores = staticmethod(session_stores)
    tool_server_files = staticmethod(tool_server_files)

    def launch(self, located: Located, request: Request) -> Launch:
        arguments.check(request)
        files = RunFiles(request)
        if request.mode == "terminal":
            argv = arguments.interactive(request, files)
            return Launch(argv=(located.path, *argv), files=files.all())
        argv = arguments.headless(request, files)
        # "warn": otherwise nothing reports a tool server that did not start
        environment = {"RUST_LOG": "error,codex_mcp=warn"} if request.mcp_servers else {}
        return Launch(
            argv=(located.path, *argv),
            stdin=arguments.stdin(request),
            environment=environment,
            files=files.all(),
        )

    def transcripts(self, home: Path) -> Path | None:
        return folder({**os.environ, "HOME": str(home)}) / "sessions"
