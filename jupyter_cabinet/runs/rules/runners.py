"""Which runner starts a run. Pure."""

from __future__ import annotations

from ...core.errors import Invalid
from ...runners.port import NO_TERMINAL, NOT_ISOLATED, NOT_SET_UP, RunnerName
from ..model import NewRun, Run
from ..settings import RunSettings


def check_runner(new: NewRun, settings: RunSettings) -> None:
    """Raise `Invalid` if a request, whose open fields its agent has filled, chooses a runner that cannot do it.

    That is one that the server does not have, one without terminals for the mode `terminal`, or a cluster for an
    isolated run.
    """
    if new.runner is None or new.runner == "local":
        return
    if new.runner not in settings.runners:
        raise Invalid(NOT_SET_UP[new.runner], field="runner")
    if new.mode == "terminal" and new.runner in NO_TERMINAL:
        raise Invalid(NO_TERMINAL[new.runner], field="runner")
    if new.isolate and new.runner == "dask":
        raise Invalid(NOT_ISOLATED, field="runner")


def chosen_runner(run: Run, before: Run | None) -> RunnerName | None:
    """Return what a run chooses; if nothing, a container if the run before it in its session has chosen one.

    Otherwise a session would leave its container without anybody's wish. For an agent, only its own configuration
    decides. None: the server's setting decides. `before`: that earlier run, if there is one.
    """
    if run.runner is None and run.agent is None and before is not None and before.runner == "docker":
        return "docker"
    return run.runner


def runner_of(run: Run, settings: RunSettings, *, is_command: bool) -> RunnerName:
    """Return where a run starts: its own choice, else the server's setting, else `local` if the setting cannot do it.

    `is_command`: it is a program that a person named, of which nobody knows what it needs elsewhere.
    """
    if run.runner is not None:
        return run.runner
    cannot = is_command or (run.mode == "terminal" and settings.runner in NO_TERMINAL)
    return "local" if cannot else settings.runner
