"""Hooks for one Codex process alone, as an override of its settings. Pure; called by `arguments.py`.

Codex runs a hook only when its content is trusted by hash; a layer of arguments may name the hash itself, so that
ours run and no other hook is trusted with them. Nothing is written. Facts: 0.169.0, and its source
(`codex-rs/hooks/src/engine/discovery.rs`): SHA-256 over the hook's identity as JSON with sorted keys.
"""

from __future__ import annotations

import hashlib
import json

from ..shared.hook_command import handler
from ..shared.toml_text import TomlValue, toml

EVENTS = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PermissionRequest": "permission_request",
    "PostToolUse": "post_tool_use",
    "Stop": "stop",
}
_LAYER = "/<session-flags>/config.toml"  # how Codex names what came by `-c`


def hook_override(command: tuple[str, ...]) -> str:
    """The value of one `-c`: every event calls `command`, an argv."""
    handlers = {event: handler(event, command) for event in EVENTS}
    groups: dict[str, TomlValue] = {event: [{"hooks": [told]}] for event, told in handlers.items()}
    state: dict[str, TomlValue] = {
        f"{_LAYER}:{label}:0:0": {"trusted_hash": _trust(label, handlers[event])} for event, label in EVENTS.items()
    }
    return f"hooks={toml({**groups, 'state': state})}"


def _trust(label: str, told: dict[str, str | int]) -> str:
    identity = {"event_name": label, "hooks": [{**told, "async": False}]}
    canonical = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return f"sha256:{hashlib.sha256(canonical.encode(errors='replace')).hexdigest()}"
