"""Hooks for one Codex process only, as an override of its settings. Pure; called by `arguments.py`.

Codex runs a hook only if its content is trusted by hash. A settings layer from arguments may name the hash itself, so
ours run and no other hook is trusted along with them. Nothing is written. Facts: 0.169.0, and its source
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
_LAYER = "/<session-flags>/config.toml"  # Codex's name for settings from `-c`


def hook_override(command: tuple[str, ...]) -> str:
    """Return the value of one `-c` option: every event calls `command`, an argv."""
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
