"""The hook program in the form that Claude Code and Codex expect: one command for each of their events. Pure."""

from __future__ import annotations

import shlex

TIMEOUT_SECONDS = 15  # a server that is gone must not block the person's CLI
QUESTION_SECONDS = 24 * 60 * 60  # its hook waits for a person; it ends at once when the server goes away
QUESTION_EVENT = "PermissionRequest"


def handler(event: str, command: tuple[str, ...]) -> dict[str, str | int]:
    """Return what the CLI calls for `event`, with its limit in seconds.

    `command` is an argv; the CLIs run a hook in a shell.
    """
    seconds = QUESTION_SECONDS if event == QUESTION_EVENT else TIMEOUT_SECONDS
    return {"type": "command", "command": shlex.join(command), "timeout": seconds}
