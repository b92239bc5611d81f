"""The hooks that Claude Code calls, for one process only. Pure.

The person's own settings still apply. Facts: 2.1.329.
"""

from __future__ import annotations

import json

from ..shared.hook_command import handler

EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "PermissionRequest",
    "PermissionDenied",
    "Stop",
    "StopFailure",
    "SessionEnd",
)


def hook_settings(command: tuple[str, ...]) -> str:
    """Return the value of `--settings`: every event calls `command`, an argv."""
    return json.dumps({"hooks": {event: [{"hooks": [handler(event, command)]}] for event in EVENTS}})
