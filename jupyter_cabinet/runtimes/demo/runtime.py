"""The demo agent behind the port: what serves where no agent CLI was found, and the double of the test suite.

It speaks Claude Code's formats, so it shares their parsers. The program itself is `agent.py`.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...core.errors import Invalid
from ...core.ids import is_foreign_id
from ..claude.arguments import MODES
from ..claude.screen import SCREEN
from ..claude.stream import ClaudeStream, asks
from ..claude.terminal import ClaudeTerminal
from ..model import Launch, Request
from ..port import About, Capabilities, Conversation, Located, Missing
from ..shared.run_files import RunFiles
from ..shared.screen_table import FramedBox
from ..shared.tool_names import CLAUDE_TOOLS, in_own_words
from .agent import VERSION
from .session import folder

# -P: a folder named jupyter_cabinet in the working directory must not be taken for the package
_MODULE = ("-P", "-m", "jupyter_cabinet.runtimes.demo.agent")


class Demo:
    """A demonstration without a model."""

    about = About(
        name="demo",
        title="Demo agent",
        docs="",
        install="It is part of Jupyter Cabinet.",
        login="It needs no login.",
    )

    def locate(self, environment: Mapping[str, str]) -> Located | Missing:
        return Located(path=sys.executable, version=VERSION, login="yes")

    def capabilities(self, located: Located) -> Capabilities:
        return Capabilities(
            interactive=True,
            headless=True,
            resume=True,
            chosen_session_id=True,
            allowed_tools=True,
            text_deltas=True,
            permission_requests=True,
            blocking_hooks=True,
            finish_signal=True,
            permission_modes=("ask", "edit", "bypass"),
        )

    def launch(self, located: Located, request: Request) -> Launch:
        request = in_own_words(request, CLAUDE_TOOLS)
        _check(request)
        session = ["--resume", request.resume] if request.resume else ["--session-id", request.session_id]
        argv = [located.path, *_MODULE, *session, "--permission-mode", MODES[request.permission_mode]]
        if request.allowed_tools is not None:
            argv.append(f"--tools={','.join(request.allowed_tools)}")
        if request.mode == "headless":
            if asks(request):
                return Launch(argv=(*argv, "--print", "--input-format=stream-json"), keep_stdin_open=True)
            return Launch(argv=(*argv, "--print"), stdin=request.prompt.encode(errors="replace"))
        argv.append(f"--hook={json.dumps(request.hook_command)}")
        files = RunFiles(request)
        first = files.add_instruction(request.prompt)
        if first is None:
            return Launch(argv=tuple(argv))
        told = (f"--prompt-file={first.path}",) if first.path else ("--", first.text)
        return Launch(argv=(*argv, *told), files=files.all())

    def conversation(self, request: Request) -> Conversation:
        return DemoStream(request) if request.mode == "headless" else DemoTerminal(request)

    def kept_environment(self) -> tuple[str, ...]:
        return ("XDG_STATE_HOME",)

    def transcripts(self, home: Path) -> Path | None:
        return folder(os.environ, home)


class DemoStream(ClaudeStream):
    """Its headless dialogue."""

    title = Demo.about.title


class DemoTerminal(ClaudeTerminal):
    """Its dialogue in a terminal. Its input box has the same form and is gone while it works."""

    title = Demo.about.title
    table = msgspec.structs.replace(SCREEN, box=FramedBox(sign=">"), dialogs=())


def _check(request: Request) -> None:
    for value in (request.resume, request.session_id):
        if value is not None and not is_foreign_id(value):
            raise Invalid("The session's id is not usable.", field="session_id")
    if request.model is not None:
        raise Invalid("The demo agent has no model, so none can be chosen.", field="model")
    if request.mcp_servers:
        raise Invalid("The demo agent cannot use tool servers.", field="mcp_servers")
