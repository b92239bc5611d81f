"""The settings for terminals: named like those in `app.py` if they exist there, plus the rest.

This file is the only place of every default; `app.py` takes them from here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Literal

import msgspec


class TerminalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Plain values; the defaults are the product's."""

    ring_bytes: int = 1 << 20  # output kept per PTY for replay
    grace_seconds: float = 10.0  # control is kept for a controller who has disconnected
    control_idle_seconds: float | None = None  # None: control never expires by inactivity
    exited_kept_seconds: float = 1800.0  # the screen stays readable
    attach_seconds: float = 10.0  # from the connection to its first frame
    silence_seconds: float = 25.0  # without a frame from a client it counts as disconnected
    input_queue_bytes: int = 256 << 10
    frame_bytes: int = 128 << 10
    frame_interval_seconds: float = 0.004  # between two frames of one flood
    stall_seconds: float = 1.5  # a viewer that acknowledges nothing for so long counts as stalled, and paces no more
    pace_bytes: int = 256 << 10  # how far the primary may be behind before the program is slowed
    stopped_kept_seconds: float = 1800.0  # how long an agent that has ended is shown
    terminal_idle_seconds: float | None = None  # a terminal without viewers is closed; never with an agent in it
    terminal_shell: tuple[str, ...] = ("/bin/sh",)
    shell_environment: Mapping[str, str] = {}
    record_terminals: Literal["agents", "all", "none"] = "agents"  # which terminals are recorded, by default
    recording_part_bytes: int = 8 << 20
    recording_parts: int = 4
    recordings_megabytes: float = 1024.0  # of all together: the oldest are removed
    recordings_days: float = 30.0


def default_shell() -> tuple[str, ...]:
    """Return the command of a person's shell: `SHELL`, or `/bin/sh`, as a login shell unless the server has a terminal.

    Like Jupyter's own terminals: without its own terminal the server has not read the person's profile.
    """
    shell = os.environ.get("SHELL") or "/bin/sh"
    return (shell,) if sys.stdout is not None and sys.stdout.isatty() else (shell, "-l")
