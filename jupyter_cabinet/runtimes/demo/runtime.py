"""The demo agent behind the port: for servers without an agent CLI, and as the double of the test suite.

It uses Claude Code's formats, so it shares their parsers. The program itself is in `program/`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from ..adapter import Adapter
from ..claude.stream import asks
from ..model import Launch, Request
from ..port import About, Capabilities, Located, Missing
from ..sandbox_needs import SandboxNeeds, as_folder
from ..session_entries import SessionStore
from ..shared.run_files import RunFiles
from ..shared.tool_names import CLAUDE_TOOLS, in_own_words
from . import arguments
from .program.agent import VERSION
from .program.session import folder
from .stored_sessions import session_stores
from .stream import DemoStream
from .terminal import DemoTerminal

# -P: a folder named jupyter_cabinet in the working directory must not be imported instead of the package
_MODULE = ("-P", "-m", "jupyter_cabinet.runtimes.demo.program.agent")


class Demo(Adapter):
    """A demonstration without a model."""

    about = About(
        name="demo",
        title="Demo agent",
        docs="",
        install="It is part of Jupyter Cabinet.",
        login="It needs no login.",
    )
    can = Capabilities(
        interactive=True,
        headless=True,
        resume=True,
        chosen_session_id=True,
        allowed_tools=True,
        text_deltas=True,
        questions=True,
        blocking_hooks=True,
        finish_signal=True,
        interrupts=True,
        permission_modes=("ask", "edit", "bypass"),
        model_choice=False,
    )
    environment = ("XDG_STATE_HOME",)
    headless, terminal = DemoStream, DemoTerminal

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        return Located(path=sys.executable, version=VERSION, login="yes")

    def launch(self, located: Located, request: Request) -> Launch:
        request = in_own_words(request, CLAUDE_TOOLS)
        arguments.check(request)
        program = (located.path, *_MODULE)
        if request.mode == "headless":
            asked = asks(request)
            stdin = b"" if asked else request.prompt.encode(errors="replace")
            argv = (*program, *arguments.headless(request, asks=asked))
            return Launch(argv=argv, stdin=stdin, keep_stdin_open=asked)
        files = RunFiles(request)
        return Launch(argv=(*program, *arguments.interactive(request, files)), files=files.all())

    def transcripts(self, home: Path) -> Path | None:
        return folder(os.environ, home)

    def session_stores(self, environment: Mapping[str, str]) -> tuple[SessionStore, ...]:
        return session_stores(environment)

    def sandbox_needs(self, environment: Mapping[str, str]) -> SandboxNeeds:
        return SandboxNeeds(state=tuple(map(as_folder, self.state_paths(environment))))

    def state_paths(self, environment: Mapping[str, str]) -> tuple[Path, ...]:
        return (folder(environment, Path(environment.get("HOME") or "/nonexistent")),)
