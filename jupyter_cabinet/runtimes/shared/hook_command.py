"""The hook program as Claude Code and Codex are told of it: one command for each of their events. Pure."""

from __future__ import annotations

import shlex

TIMEOUT_SECONDS = 15  # a server that has gone must not hold up the person's CLI
QUESTION_SECONDS = 24 * 60 * 60  # its hook waits for a person; when the server goes it ends at once
QUESTION_EVENT = "PermissionRequest"


def handler(event: str, command: tuple[str, ...]) -> dict[str, str | int]:
    """What the CLI calls for `event`, with its limit in seconds. `command` is an argv; they run a hook in a shell."""
    seconds = QUESTION_SECONDS if event == QUESTION_EVENT else TIMEOUT_SECONDS
    return {"type": "command", "command": shlex.join(command), "timeout": seconds}
