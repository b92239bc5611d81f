"""What an operator may set for terminals. `app.py` makes it from traitlets."""

from __future__ import annotations

import msgspec


class TerminalSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Plain values; the defaults are the product's."""

    ring_bytes: int = 1 << 20  # output kept per PTY for replay
    grace_seconds: float = 10.0  # control is kept for a controller who dropped
    control_idle_seconds: float | None = None  # None: control never expires by silence
    exited_kept_seconds: float = 1800.0  # the screen stays readable
    attach_seconds: float = 10.0  # from the connection to its first frame
    silence_seconds: float = 25.0  # without a frame from a client it counts as dropped
    input_queue_bytes: int = 256 << 10
    frame_bytes: int = 128 << 10
    frame_interval_seconds: float = 0.004  # between two frames of one flood
