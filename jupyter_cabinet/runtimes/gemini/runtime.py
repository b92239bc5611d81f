"""Gemini CLI behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 0.61.0.
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
from .login import folder, login_state, state_paths
from .own_tool_servers import tool_server_files
from .sandbox import sandbox_needs
from .stored_sessions import session_stores
from .stream import GeminiStream
from .terminal import GeminiTerminal

# Gemini CLI's names for the common tools.
_TOOLS = {
    "Read": ("read_file", "list_directory"),
    "Glob": ("glob",),
    "Grep": ("grep_search",),
    "Edit": ("replace",),
    "Write": ("write_file",),
    "Bash": ("run_shell_command",),
    "WebFetch": ("web_fetch",),
    "WebSearch": ("google_web_search",),
}


class Gemini(Adapter):
    """Gemini CLI, by Google."""

    about = About(
        name="gemini",
        title="Gemini CLI",
        docs="https://geminicli.com/docs",
        install="npm install -g @google/gemini-cli",
        login="Run gemini in a terminal and log in, or set GEMINI_API_KEY for the server.",
        tested="0.61.0",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        chosen_session_id=True,
        allowed_tools=True,
        text_deltas=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
        models=("pro", "flash", "flash-lite"),
    )
    environment = (
        "GEMINI_API_KEY",
        "GEMINI_MODEL",
        "GEMINI_CLI_HOME",
        "GEMINI_CLI_CUSTOM_HEADERS",
        "GEMINI_CLI_SYSTEM_DEFAULTS_PATH",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH",
        "GEMINI_CLI_TRUSTED_FOLDERS_PATH",
        "GOOGLE_*",
        "CLOUD_SHELL",
    )
    headless, terminal = GeminiStream, GeminiTerminal
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    sandbox_needs = staticmethod(sandbox_needs)
    session_stores = staticmethod(session_stores)
    tool_server_files = staticmethod(tool_server_files)

    def launch(self, located: Located, request: Request) -> Launch:
        request = in_own_words(request, _TOOLS)
        arguments.check(request)
        files = RunFiles(request)
        if request.mode == "headless":
            argv = arguments.headless(request, files)
            # otherwise it starts itself a second time, with more memory, and the first process ignores SIGTERM
            environment = {"GEMINI_CLI_NO_RELAUNCH": "true"}
            stdin = arguments.stdin(request)
            return Launch(argv=(located.path, *argv), stdin=stdin, environment=environment, files=files.all())
        argv = arguments.interactive(request, files)
        return Launch(argv=(located.path, *argv), files=files.all(), transcript=arguments.transcript(request))

    def transcripts(self, home: Path) -> Path | None:
        return folder({**os.environ, "HOME": str(home)}) / "tmp"
