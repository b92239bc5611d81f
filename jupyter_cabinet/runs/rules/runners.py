"""Which runner starts a run. Pure."""

from __future__ import annotations

from ...core.errors import Invalid
from ...runners.port import NO_TERMINAL, NOT_ISOLATED, NOT_SET_UP, RunnerName
from ..model import NewRun, Run
from ..settings import RunSettings


def check_runner(new: NewRun, settings: RunSettings) -> None:
    """Raise `Invalid` if a request, whose open fields its agent has filled, chooses a runner that cannot do it."""
    if new.runner is None or new.runner == "local":
        return
    if new.runner not in settings.runners:
        raise Invalid(NOT_SET_UP[new.runner], field="runner")
    if new.mode == "terminal":
        raise Invalid(NO_TERMINAL[new.runner], field="runner")
    if new.isolate and new.runner == "dask":
        raise Invalid(NOT_ISOLATED, field="runner")


def runner_of(run: Run, settings: RunSettings) -> RunnerName:
    """Return where a run starts. The server's setting decides only about runs without a terminal."""
    if run.runner is not None:
        return run.runner
    return settings.runner if run.mode == "headless" else "local"
