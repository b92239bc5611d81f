"""The arguments and temporary files for starting the demo agent. Pure; called by `runtime.py`."""

from __future__ import annotations

import json

from ...core.errors import Invalid
from ..claude.arguments import MODES
from ..model import Request
from ..shared.request_checks import check_ids
from ..shared.run_files import RunFiles


def check(request: Request) -> None:
    """Raise `Invalid` for what the demo agent does not have."""
    check_ids(request)
    if request.model is not None:
        raise Invalid("The demo agent has no model, so you cannot choose one.", field="model")
    if request.mcp_servers:
        raise Invalid("The demo agent cannot use tool servers.", field="mcp_servers")


def headless(request: Request, *, asks: bool) -> list[str]:
    """Return the arguments; the prompt comes over stdin. `asks`: it continues over stdin, by the control protocol."""
    return [*_common(request), "--print", *(["--input-format=stream-json"] if asks else [])]


def interactive(request: Request, files: RunFiles) -> list[str]:
    """Return the arguments, with a first instruction behind all options. Without one the agent opens and waits."""
    argv = [*_common(request), f"--hook={json.dumps(request.hook_command)}"]
    first = files.add_instruction(request.prompt)
    if first is None:
        return argv
    return [*argv, f"--prompt-file={first.path}"] if first.path else [*argv, "--", first.text]


def _common(request: Request) -> list[str]:
    session = ["--resume", request.resume] if request.resume else ["--session-id", request.session_id]
    argv = [*session, "--permission-mode", MODES[request.permission_mode]]
    if request.allowed_tools is not None:
        argv.append(f"--tools={','.join(request.allowed_tools)}")
    return argv
