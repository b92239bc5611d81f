"""Which limits of a run the installed CLI enforces: its permission mode and its list of tools. Pure.

If the CLI cannot enforce one, the run is refused, unless its agent's configuration accepts that (`allow_unenforced`).
Then a warning says before the run starts what the CLI does instead.
"""

from __future__ import annotations

import msgspec

from ...runtimes.model import PermissionMode
from ...runtimes.port import Capabilities

MODES: dict[PermissionMode, str] = {
    "ask": "Ask first",
    "edit": "Edit files",
    "bypass": "No questions",
}  # labels, as in the interface
ORDER: tuple[PermissionMode, ...] = ("ask", "edit", "bypass")  # each grants more than the one before


class RequestedLimits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits of a run. `tools`: None for the tools that the permission mode allows."""

    tools: tuple[str, ...] | None
    permission_mode: PermissionMode


class Unkept(msgspec.Struct, frozen=True, kw_only=True):
    """A limit that the CLI does not enforce. `instead`: what the CLI does, as a sentence."""

    field: str
    message: str
    instead: str


def enforceable(wanted: RequestedLimits, can: Capabilities, title: str) -> tuple[RequestedLimits, tuple[Unkept, ...]]:
    """Return the limits to use, and those of the request that the CLI does not enforce; empty if it enforces all.

    A mode that the CLI lacks becomes the next one that grants more, else the one that grants most. A list of tools that
    it cannot enforce becomes None. `title`: the title of the runtime.
    """
    problems = []
    if can.permission_modes and wanted.permission_mode not in can.permission_modes:
        nearest = _nearest(wanted.permission_mode, can.permission_modes)
        offered = ", ".join(MODES[mode] for mode in can.permission_modes)
        message = f"{title} cannot keep the mode {MODES[wanted.permission_mode]}. It offers: {offered}."
        instead = f"It works in the mode {MODES[nearest]}."
        problems.append(Unkept(field="permission_mode", message=message, instead=instead))
        wanted = msgspec.structs.replace(wanted, permission_mode=nearest)
    if wanted.tools is not None and not can.allowed_tools:
        message = f"{title} cannot be limited to a list of tools."
        problems.append(Unkept(field="allowed_tools", message=message, instead="It may use all of its tools."))
        wanted = msgspec.structs.replace(wanted, tools=None)
    return wanted, tuple(problems)


def usable_model(model: str | None, can: Capabilities, title: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the model that an agent's run starts with, and a sentence if the CLI ignores the configured one, else ().

    The model is None if none is configured or the CLI has no choice; whether the CLI knows it is not checked. This
    never refuses a run: an agent that was given another runtime keeps working.
    """
    if model is None or can.model_choice:
        return model, ()
    ignored = f"{title} has no model to choose, so the model {model} is ignored."
    return None, (f"{ignored} Clear the agent's model, or choose another runtime.",)


def _nearest(wanted: PermissionMode, offered: tuple[PermissionMode, ...]) -> PermissionMode:
    """Return the next mode that grants more, else the one that grants most: a lower mode would block at a question."""
    more = [mode for mode in ORDER[ORDER.index(wanted) :] if mode in offered]
    return more[0] if more else max(offered, key=ORDER.index)
