"""Which runs are started in a sandbox. Pure."""

from __future__ import annotations

from ...core.errors import Invalid
from ...execution.model import IsolationWish
from ..model import UNATTENDED, Run
from ..settings import SandboxSetting

OFF = "No run is isolated on this server. Its operator can change CabinetApp.sandbox."
ALWAYS = "Every run is isolated on this server. Its operator can change CabinetApp.sandbox."


def check_choice(isolate: bool | None, setting: SandboxSetting) -> None:
    """Raise `Invalid` if a request chooses what the server's setting excludes. None, no choice, is always accepted."""
    if isolate is not None and setting == ("never" if isolate else "always"):
        raise Invalid(OFF if isolate else ALWAYS, field="isolate")


def isolation_wish(run: Run, setting: SandboxSetting) -> IsolationWish:
    """Return whether to isolate a run.

    Without a choice, one that nobody has started by hand is isolated where that is possible. The setting may have
    changed since the choice: a run that has to be isolated is never started without a sandbox.
    """
    if setting == "always" or run.isolate:
        return "required"
    if setting == "never" or run.isolate is False or run.trigger.kind not in UNATTENDED:
        return "no"
    return "if_possible"
