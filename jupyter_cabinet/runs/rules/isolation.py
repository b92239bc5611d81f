"""Which runs are started in a sandbox. Pure."""

from __future__ import annotations

from ...execution.model import IsolationWish
from ..model import UNATTENDED, Run
from ..settings import SandboxSetting


def isolation_wish(run: Run, setting: SandboxSetting) -> IsolationWish:
    """Return whether to isolate a run. A run that nobody has started by hand is isolated where that is possible."""
    if setting == "always":
        return "required"
    if setting == "never" or run.trigger.kind not in UNATTENDED:
        return "no"
    return "if_possible"
