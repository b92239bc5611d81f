"""The arguments, settings and temporary files with which pi is started. Pure; called by `runtime.py`. Facts: 0.87.1.

pi has no permissions of its own. `extension.js` holds it to the run's mode: a tool call that it refuses is not done.
"""

from __future__ import annotations

import json
from pathlib import Path

from ...core.errors import Invalid
from ..model import Request, TemporaryFile
from ..shared.request_checks import check_ids, check_model, check_tool_names
from ..shared.session_ids import known_session
from ..shared.typed_instruction import plain_instruction

LONGEST_ARGUMENT_BYTES = 32 * 1024  # a longer prompt goes into a file; the system's limit is 128 KiB
EXTENSION = Path(__file__).with_name("extension.js")
SETTINGS = "JUPYTER_CABINET_PI"  # a variable, read by the extension and taken out of the environment
# Without a list of its own, a run that may edit files has no shell: what a command changes cannot be known.
EDIT_TOOLS = ("read", "grep", "find", "ls", "edit", "write")
_FILE_SIGN = "@"  # at the start of an argument it names a file


def check(request: Request) -> None:
    """Raises `Invalid` for what pi would refuse, or would do otherwise than asked."""
    check_ids(request)
    check_model(request)
    check_tool_names(request, "pi")
    if request.mcp_servers:
        raise Invalid("pi takes no tool servers. Leave them out, or choose another agent.", field="mcp_servers")


def headless(request: Request) -> list[str]:
    """Who may ask must be able to hear an answer: that is another protocol on the same lines."""
    mode = ["--mode", "rpc"] if asks(request) else ["--print", "--mode", "json"]
    return [*mode, *_common(request)]


def interactive(request: Request) -> list[str]:
    return [*_common(request), "--", _first_instruction(request)] if request.prompt else _common(request)


def asks(request: Request) -> bool:
    return request.permission_mode == "ask"


def stdin(request: Request) -> bytes:
    text = plain_instruction(request.prompt)
    if not asks(request):
        return text.encode(errors="replace")
    said = ({"type": "get_state", "id": "state"}, {"type": "prompt", "id": "prompt", "message": text})
    return b"".join(line(each) for each in said)


def line(value: dict[str, str]) -> bytes:
    """One message of the protocol in which pi can ask."""
    return json.dumps(value).encode() + b"\n"


def environment(request: Request) -> dict[str, str]:
    hook = request.hook_command if request.mode == "terminal" else ()
    settings = {"mode": request.permission_mode, "hook": hook}
    return {SETTINGS: json.dumps(settings), "PI_SKIP_VERSION_CHECK": "1"}


def files(request: Request) -> tuple[TemporaryFile, ...]:
    contents: dict[str, str] = {}
    if request.system:
        contents["system.md"] = request.system
    if _by_file(request):
        contents["prompt.md"] = request.prompt
    return tuple(
        TemporaryFile(path=_path(request, name), content=text.encode(errors="replace"))
        for name, text in contents.items()
    )


def _common(request: Request) -> list[str]:
    argv = ["--extension", str(EXTENSION)]
    # `--session` would also take the beginning of an id, or a path
    argv += ["--session", known_session(request.resume)] if request.resume else ["--session-id", request.session_id]
    tools = request.allowed_tools
    if tools is None and request.permission_mode == "edit":
        tools = EDIT_TOOLS
    if tools is not None:
        argv += ["--tools", ",".join(tools)] if tools else ["--no-tools"]
    if request.model:
        argv += ["--model", request.model]
    if request.system:
        argv += ["--append-system-prompt", _path(request, "system.md")]  # it takes a path; nothing of it is frozen
    return argv


def _first_instruction(request: Request) -> str:
    if _by_file(request):
        path = _path(request, "prompt.md")
        return f"Your instruction is in the file {path}. Read all of it and carry it out."
    text = plain_instruction(request.prompt).replace("\0", "")
    return f" {text}" if text.startswith(_FILE_SIGN) else text


def _by_file(request: Request) -> bool:
    return request.mode == "terminal" and len(request.prompt.encode(errors="replace")) > LONGEST_ARGUMENT_BYTES


def _path(request: Request, name: str) -> str:
    if not request.run_directory:
        raise Invalid("This run needs a directory for its files.", field="run_directory")
    return str(Path(request.run_directory) / name)
