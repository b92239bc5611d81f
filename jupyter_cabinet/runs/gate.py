"""Whether anything may be started now."""

from __future__ import annotations

from collections.abc import Callable

from .switch import OffSwitch


class Gate:
    """Shut until the server has taken over what an earlier one left, and when it ends (`accepting`); in a folder that
    nobody has confirmed (`trusted`); while another server may hold this one's lease; while work is paused."""

    def __init__(self, *, may_act: Callable[[], bool], switch: OffSwitch) -> None:
        self.accepting = False
        self.trusted = False
        self.switch = switch
        self._may_act = may_act

    @property
    def open(self) -> bool:
        """Whether the queue may start what waits."""
        return self.accepting and self.trusted and self._may_act() and not self.switch.state.paused
