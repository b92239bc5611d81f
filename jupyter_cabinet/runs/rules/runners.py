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
    if new.mode == "terminal" and new.runner in NO_TERMINAL:
        raise Invalid(NO_TERMINAL[new.runner], field="runner")
    if new.isolate and new.runner == "dask":
        raise Invalid(NOT_ISOLATED, field="runner")


def place_of(
    run: Run, settings: RunSettings, *, is_command: bool, open_in: tuple[RunnerName, str | None] | None
) -> tuple[RunnerName, str | None]:
    """Return the runner that starts a run, and the image of its container if that is not the server's.

    `is_command`: it is a program that a person named, of which nobody knows what it needs elsewhere. `open_in`: where
    the CLI of its session is open. A further instruction stays there, unless it chooses something else.
    """
    if run.runner is not None:
        return run.runner, run.image
    if run.mode == "terminal" and open_in is not None:
        return open_in
    cannot = is_command or (run.mode == "terminal" and settings.runner in NO_TERMINAL)
    return "local" if cannot else settings.runner, run.image
