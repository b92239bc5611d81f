"""Where a run starts: as it chooses, where the CLI of its session is open, or as the server's setting says."""

from __future__ import annotations

import pytest
from harness.values import example_run

from jupyter_cabinet.runners.port import RunnerName
from jupyter_cabinet.runs.rules.runners import place_of
from jupyter_cabinet.runs.settings import RunSettings

INSIDE: tuple[RunnerName, str | None] = ("docker", "agents:2")


@pytest.mark.parametrize(
    ("chosen", "mode", "open_in", "usual", "expected"),
    [
        (None, "headless", None, "docker", ("docker", None)),
        (None, "terminal", None, "docker", ("docker", None)),
        (None, "terminal", None, "dask", ("local", None)),  # a cluster has no terminals
        (None, "headless", None, "dask", ("dask", None)),
        (None, "terminal", INSIDE, "local", INSIDE),
        (None, "terminal", ("local", None), "docker", ("local", None)),
        (None, "headless", INSIDE, "local", ("local", None)),  # it needs another process
        ("local", "terminal", INSIDE, "docker", ("local", None)),
        ("docker", "terminal", INSIDE, "local", ("docker", None)),
    ],
)
def test_where_a_run_starts(
    chosen: RunnerName | None,
    mode: str,
    open_in: tuple[RunnerName, str | None] | None,
    usual: RunnerName,
    expected: tuple[RunnerName, str | None],
) -> None:
    run, settings = example_run(runner=chosen, mode=mode), RunSettings(runner=usual)
    assert place_of(run, settings, is_command=False, open_in=open_in) == expected


def test_a_program_that_a_person_names_starts_on_this_machine_unless_they_choose_otherwise() -> None:
    settings = RunSettings(runner="docker")
    assert place_of(example_run(mode="terminal"), settings, is_command=True, open_in=None) == ("local", None)
    chosen = example_run(mode="terminal", runner="docker")
    assert place_of(chosen, settings, is_command=True, open_in=None) == ("docker", None)
