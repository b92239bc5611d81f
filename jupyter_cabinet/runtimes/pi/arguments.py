"""The arguments, settings and temporary files for starting pi. Pure; called by `runtime.py`. Facts: 0.87.1.

pi has no permissions itself. `extension.js` enforces the run's mode: a refused tool call is not carried out.
"""

from __future__ import annotations

import json

from ...core.errors import Invalid
from ..model import Request
from ..shared.instruction_escaping import plain_instruction
from ..shared.request_checks import check_ids, check_model, check_tool_names
from ..shared.run_files import SYSTEM_TEXT, RunFiles
from ..shared.session_ids import known_session

SETTINGS = "JUPYTER_CABINET_PI"  # a variable, read by the extension and removed from the environment
# Without a tool list, a run that may edit files has no shell: what a command changes cannot be known.
EDIT_TOOLS = ("read", "grep", "find", "ls", "edit", "write")
_FILE_SIGN = "@"  # at the start of an argument it names a file


def check(request: Request) -> None:
    """Raise `Invalid` for requests that pi would refuse or not respect."""
    check_ids(request)
    check_model(request)
    check_tool_names(request, "pi")
    if request.mcp_servers:
        raise Invalid("pi does not support tool servers. Leave them out, or choose another agent.", field="mcp_servers")


def headless(request: Request, files: RunFiles, extension: str) -> list[str]:
    """Return the command line. A run that may ask has to receive answers, so it uses pi's other protocol.

    `extension` is the path of the file that pi loads.
    """
    mode = ["--mode", "rpc"] if asks(request) else ["--print", "--mode", "json"]
    return [*mode, *_common(request, files, extension)]


def interactive(request: Request, files: RunFiles, extension: str) -> list[str]:
    """Return the command line, with a first instruction behind all options. Without one the CLI opens and waits.

    May add files to `files`. `extension` is the path of the file that pi loads.
    """
    argv = _common(request, files, extension)
    first = files.add_instruction(request.prompt)
    if first is None:
        return argv
    return [*argv, "--", f" {first.text}" if first.text.startswith(_FILE_SIGN) else first.text]


def asks(request: Request) -> bool:
    """Return whether a run may ask for permissions. A headless one then receives the answers over stdin."""
    return request.permission_mode == "ask"


def stdin(request: Request) -> bytes:
    """Return the prompt, or the first messages of the protocol if the run may ask."""
    text = plain_instruction(request.prompt)
    if not asks(request):
        return text.encode(errors="replace")
    said = ({"type": "get_state", "id": "state"}, {"type": "prompt", "id": "prompt", "message": text})
    return b"".join(line(each) for each in said)


def line(value: dict[str, str]) -> bytes:
    """Return one message of the protocol in which pi can ask."""
    return json.dumps(value).encode() + b"\n"


def environment(request: Request) -> dict[str, str]:
    """Return variables: the run's rules for the extension, and a switch against pi's check for a new version."""
    hook = request.hook_command if request.mode == "terminal" else ()
    settings = {"mode": request.permission_mode, "hook": hook}
    return {SETTINGS: json.dumps(settings), "PI_SKIP_VERSION_CHECK": "1"}


def _common(request: Request, files: RunFiles, extension: str) -> list[str]:
    argv = ["--extension", extension]
    # `--session` would also accept the beginning of an id, or a path
    argv += ["--session", known_session(request.resume)] if request.resume else ["--session-id", request.session_id]
    tools = request.allowed_tools
    if tools is None and request.permission_mode == "edit":
        tools = EDIT_TOOLS
    if tools is not None:
        argv += ["--tools", ",".join(tools)] if tools else ["--no-tools"]
    if request.model:
        argv += ["--model", request.model]
    if request.system:  # it takes a path; nothing of it is cached
        argv += ["--append-system-prompt", files.add(SYSTEM_TEXT, request.system)]
    return argv
