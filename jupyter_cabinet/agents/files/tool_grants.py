"""Which tools an agent may use: by default, by a preset, or as its persona lists them. Pure.

Called by `persona.py`.
"""

from __future__ import annotations

from typing import Literal

BrowserAction = Literal["notify", "open", "clipboard"]
ToolPreset = Literal["none", "coding", "messaging", "full", "custom"]

MEMORY, SESSIONS, MESSAGING = "cabinet:memory", "cabinet:sessions", "cabinet:messaging"
OWN_TOOLS = frozenset({MEMORY, SESSIONS, MESSAGING})
STARTING = "cabinet:agents"  # a separate field grants it, so that no preset does
PROPOSING = "cabinet:tools"  # likewise
BROWSER_ACTIONS: tuple[BrowserAction, ...] = ("notify", "open", "clipboard")  # a separate field grants each
# For a persona without any field about tools. A shell must always be an explicit choice.
DEFAULT_TOOLS = ("Read", "Write", "Edit", "Glob", "Grep", "WebSearch", "WebFetch")
# For each preset: the CLI's tools (None: all), and Cabinet's own tools.
PRESETS: dict[str, tuple[tuple[str, ...] | None, frozenset[str]]] = {
    "none": ((), frozenset()),
    "coding": (("Read", "Edit", "Write", "Bash", "Glob", "Grep"), frozenset({MEMORY, SESSIONS})),
    "messaging": ((), OWN_TOOLS),
    "full": (None, OWN_TOOLS),
}
PRESET_ALIASES = {"potato": "none"}


def cli_tools(preset: ToolPreset | None, allowed: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the CLI's tools that a persona grants, by Claude Code's names. None: all; empty: none.

    `allowed`: the list in the persona; None if it has none.
    """
    if preset in PRESETS:
        return PRESETS[preset][0]
    if allowed is None:
        return DEFAULT_TOOLS
    return tuple(tool for tool in allowed if tool not in OWN_TOOLS)


def own_tools(preset: ToolPreset | None, allowed: tuple[str, ...] | None) -> frozenset[str]:
    """Return which of `OWN_TOOLS` a persona grants by its preset or its list."""
    if preset in PRESETS:
        return PRESETS[preset][1]
    return OWN_TOOLS & frozenset(allowed or ())
