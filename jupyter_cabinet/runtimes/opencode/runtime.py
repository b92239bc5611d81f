"""opencode behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 1.18.33.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..adapter import Adapter
from ..model import Launch, Request
from ..port import About, Capabilities, Located
from ..shared.run_files import RunFiles
from ..shared.tool_names import in_own_words
from . import arguments
from .login import PROVIDERS, data_folder, login_state, state_paths
from .own_tool_servers import tool_server_files
from .rules import check_writers
from .sandbox import sandbox_needs
from .stored_sessions import session_stores
from .stream import OpencodeStream
from .terminal import OpencodeTerminal

PLUGIN = Path(__file__).with_name("plugin.js")
# opencode's names for the common tools. One permission covers all tools that write.
_TOOLS = {
    "Read": ("read",),
    "Glob": ("glob",),
    "Grep": ("grep",),
    "Edit": ("edit",),
    "Write": ("edit",),
    "Bash": ("bash",),
    "WebFetch": ("webfetch",),
    "WebSearch": ("websearch",),
}


class Opencode(Adapter):
    """opencode, by Anomaly."""

    about = About(
        name="opencode",
        title="opencode",
        docs="https://opencode.ai/docs",
        install="npm install -g opencode-ai",
        tested="1.18.33",
        login="Run opencode auth login in a terminal, or set your provider's key for the server.",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        fork=True,
        system_prompt=True,
        allowed_tools=True,
        mcp=True,
        cost=True,
        blocking_hooks=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
    )
    environment = (
        "OPENCODE_CONFIG",
        "OPENCODE_CONFIG_DIR",
        "OPENCODE_TUI_CONFIG",
        "OPENCODE_MODELS_*",
        "OPENCODE_DISABLE_*",
        "OPENCODE_DB",
        *PROVIDERS,
        "ANTHROPIC_*",
        "OPENAI_*",
        "GOOGLE_*",
        "AZURE_*",
        "AWS_*",
    )
    headless, terminal = OpencodeStream, OpencodeTerminal
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    sandbox_needs = staticmethod(sandbox_needs)
    session_stores = staticmethod(session_stores)
    tool_server_files = staticmethod(tool_server_files)

    def launch(self, located: Located, request: Request) -> Launch:
        check_writers(request)
        request = in_own_words(request, _TOOLS)
        arguments.check(request)
        files = RunFiles(request)
        if request.mode == "terminal":
            argv, environment = arguments.interactive(request, files, PLUGIN.as_uri())
            return Launch(argv=(located.path, *argv), environment=environment, files=files.all())
        argv, environment = arguments.headless(request, files, PLUGIN.as_uri())
        stdin = arguments.stdin(request)
        return Launch(argv=(located.path, *argv), stdin=stdin, environment=environment, files=files.all())

    def transcripts(self, home: Path) -> Path | None:
        return data_folder({**os.environ, "HOME": str(home)})
