"""The soft lock: nobody types into a terminal while an agent works in it. Pure; called through `gate.py`."""

from __future__ import annotations

from typing import Literal

from ..model import AgentState, ScreenSource

Refusal = Literal["agent_running", "not_controller", "busy", "ending", "exited", "read_only"]

# Which PTY has the keyboard in which state of the agent; None: people's keys are refused.
KEYBOARD: dict[AgentState | None, ScreenSource | None] = {
    None: "shell",
    "running": None,
    "waiting": "agent",
    "paused": "shell",
    "ending": None,
    "stopped": "shell",
}


def shown(agent_state: AgentState | None) -> ScreenSource:
    """Return which PTY the viewers see: the one that has the keyboard, and the agent's while nobody has it."""
    return KEYBOARD[agent_state] or "agent"


def refusal(*, agent_state: AgentState | None, screen_open: bool, controls: bool, can_execute: bool) -> Refusal | None:
    """Return why a person's keys are refused now; None: they pass. It never returns `busy`.

    `screen_open`: the PTY that would get them by `KEYBOARD` is alive. `controls`: it is this person's turn. While an
    agent works, even the person who has control is refused.
    """
    if not can_execute:
        return "read_only"
    if agent_state == "running":
        return "agent_running"
    if agent_state == "ending":
        return "ending"
    if not screen_open:
        return "exited"
    return None if controls else "not_controller"
