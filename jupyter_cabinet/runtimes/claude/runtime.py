"""Claude Code behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 2.1.329.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..adapter import Adapter
from ..model import Launch, Request
from ..port import About, Capabilities, Located
from ..shared.instruction_escaping import plain_instruction
from ..shared.run_files import RunFiles
from ..shared.tool_names import CLAUDE_TOOLS, in_own_words
from . import arguments
from .login import login_state, state_paths
from .own_tool_servers import tool_server_files
from .sandbox import sandbox_needs
from .stored_sessions import session_stores
from .stream import ClaudeStream, asks
from .terminal import ClaudeTerminal


class Claude(Adapter):
    """Claude Code, by Anthropic."""

    about = About(
        name="claude",
        title="Claude Code",
        docs="https://code.claude.com/docs",
        install="npm install -g @anthropic-ai/claude-code",
        login="Run claude in a terminal and log in, or set ANTHROPIC_API_KEY for the server.",
        tested="2.1.329",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        fork=True,
        chosen_session_id=True,
        system_prompt=True,
        allowed_tools=True,
        mcp=True,
        max_turns=True,
        text_deltas=True,
        cost=True,
        questions=True,
        blocking_hooks=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
        models=("opus", "sonnet", "haiku"),
    )
    environment = (
        "ANTHROPIC_*",
        "CLAUDE_CONFIG_DIR",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "CLAUDE_CODE_USE_*",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
        "AWS_*",
        "CLOUD_ML_REGION",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "IS_SANDBOX",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "NODE_EXTRA_CA_CERTS",
    )
    headless, terminal = ClaudeStream, ClaudeTerminal
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    sandbox_needs = staticmethod(sandbox_needs)
    session_stores = staticmethod(session_stores)
    tool_server_files = staticmethod(tool_server_files)

    def launch(self, located: Located, request: Request) -> Launch:
        request = in_own_words(request, CLAUDE_TOOLS)
        # "yes" does not count
        arguments.check(request, as_root=os.geteuid() == 0 and os.environ.get("IS_SANDBOX") != "1")
        files, asked = RunFiles(request), asks(request)
        if request.mode == "headless":
            argv = arguments.headless(request, files, asks=asked)
        else:
            argv = arguments.interactive(request, files)
        over_stdin = request.mode == "headless" and not asked
        environment = {
            "DISABLE_AUTOUPDATER": "1",  # a run must not update the program that other runs are using
            "CLAUDE_CODE_MAX_RETRIES": "2",  # the default of 10 means minutes without output
        }
        return Launch(
            argv=(located.path, *argv),
            stdin=plain_instruction(request.prompt).encode(errors="replace") if over_stdin else b"",
            keep_stdin_open=asked,
            environment=environment,
            files=files.all(),
        )

    def transcripts(self, home: Path) -> Path | None:
        configured = os.environ.get("CLAUDE_CONFIG_DIR")
        return (Path(configured) if configured else home / ".claude") / "projects"
