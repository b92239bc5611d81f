"""The PermissionRequest hook that Claude Code and Codex call: its simple answers and their printed form. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from ..model import AnswerOption

ALLOW, DENY, TERMINAL = "allow", "deny", "terminal"
ALLOW_ONCE = AnswerOption(id=ALLOW, label="Allow once", kind="allow_once")
REFUSE = AnswerOption(id=DENY, label="Deny", kind="deny", takes_note=True)
PLAIN = (ALLOW_ONCE, REFUSE)
NO_REASON = "The person said no."


def plain_decision(
    option: str, arguments: dict[str, Any], note: str, *, allowing: Collection[str] = (ALLOW,)
) -> dict[str, Any]:
    """Return the decision for one of the simple answers. `allowing`: the options that allow; every other one denies.

    The note is sent only with a denial.
    """
    if option not in allowing:
        return {"behavior": "deny", "message": note or NO_REASON}
    return {"behavior": "allow", "updatedInput": arguments}


def hook_reply(decided: dict[str, Any]) -> bytes:
    """Return what the hook prints."""
    reply = {"hookEventName": "PermissionRequest", "decision": decided}
    return json.dumps({"hookSpecificOutput": reply}).encode()
