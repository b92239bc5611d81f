"""pi behind the port: how to find it, what it can do, how to start it. It starts no process itself.

Facts about the CLI in this file and its neighbours were observed on 0.87.1.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..adapter import Adapter
from ..model import Launch, Request
from ..port import About, Capabilities, Conversation, Located
from ..shared.run_files import RunFiles
from ..shared.tool_names import in_own_words
from . import arguments
from .login import VARIABLES, folder, login_state, state_paths
from .rpc_stream import PiDialogue
from .sandbox import sandbox_needs
from .stored_sessions import session_stores
from .stream import PiStream
from .terminal import PiTerminal

EXTENSION = Path(__file__).with_name("extension.js")
# pi's names for the common tools. It has no tools for the web.
_TOOLS = {
    "Read": ("read", "ls"),
    "Glob": ("find",),
    "Grep": ("grep",),
    "Edit": ("edit",),
    "Write": ("write",),
    "Bash": ("bash",),
}


class Pi(Adapter):
    """pi, a coding agent with few tools and many providers."""

    about = About(
        name="pi",
        title="pi",
        docs="https://pi.dev/docs",
        install="npm install -g @earendil-works/pi-coding-agent",
        login="Run pi in a terminal and use /login, or set your provider's key for the server.",
        tested="0.87.1",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        fork=True,
        chosen_session_id=True,
        system_prompt=True,
        allowed_tools=True,
        text_deltas=True,
        cost=True,
        questions=True,
        blocking_hooks=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
    )
    environment = ("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_PACKAGE_DIR", "PI_OFFLINE", *VARIABLES)
    login_state = staticmethod(login_state)
    state_paths = staticmethod(state_paths)
    sandbox_needs = staticmethod(sandbox_needs)
    session_stores = staticmethod(session_stores)

    def launch(self, located: Located, request: Request) -> Launch:
        request = in_own_words(request, _TOOLS)
        arguments.check(request)
        files, environment = RunFiles(request), arguments.environment(request)
        if request.mode == "terminal":
            argv = arguments.interactive(request, files, str(EXTENSION))
            return Launch(argv=(located.path, *argv), environment=environment, files=files.all())
        argv = arguments.headless(request, files, str(EXTENSION))
        return Launch(
            argv=(located.path, *argv),
            stdin=arguments.stdin(request),
            keep_stdin_open=arguments.asks(request),
            environment=environment,
            files=files.all(),
        )

    def conversation(self, request: Request) -> Conversation:
        if request.mode == "terminal":
            return PiTerminal(request)
        return PiDialogue(request) if arguments.asks(request) else PiStream(request)

    def transcripts(self, home: Path) -> Path | None:
        chosen = os.environ.get("PI_CODING_AGENT_SESSION_DIR")
        return Path(chosen) if chosen else folder({**os.environ, "HOME": str(home)}) / "sessions"
