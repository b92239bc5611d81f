"""Where a run starts: as it or its session has chosen, else as the server's setting says."""

from __future__ import annotations

import pytest
from harness.values import example_run

from jupyter_cabinet.runners.port import RunnerName
from jupyter_cabinet.runs.rules.runners import chosen_runner, runner_of
from jupyter_cabinet.runs.settings import RunSettings


@pytest.mark.parametrize(
    ("chosen", "mode", "usual", "expected"),
    [
        (None, "headless", "docker", "docker"),
        (None, "terminal", "docker", "docker"),
        (None, "headless", "dask", "dask"),
        (None, "terminal", "dask", "local"),  # a cluster has no terminals
        ("local", "terminal", "docker", "local"),
        ("docker", "terminal", "local", "docker"),
    ],
)
def test_where_a_run_starts(chosen: RunnerName | None, mode: str, usual: RunnerName, expected: RunnerName) -> None:
    run = example_run(runner=chosen, mode=mode)
    assert runner_of(run, RunSettings(runner=usual), is_command=False) == expected


def test_a_program_that_a_person_names_starts_on_this_machine_unless_they_choose_otherwise() -> None:
    settings = RunSettings(runner="docker")
    assert runner_of(example_run(mode="terminal"), settings, is_command=True) == "local"
    assert runner_of(example_run(mode="terminal", runner="docker"), settings, is_command=True) == "docker"


@pytest.mark.parametrize(
    ("before", "chosen", "mode", "expected"),
    [
        ("docker", None, "terminal", "docker"),
        ("docker", None, "headless", "docker"),
        ("docker", "local", "headless", "local"),
        ("local", None, "headless", None),
        (None, None, "headless", None),
        (None, "docker", "terminal", "docker"),
        ("dask", None, "headless", None),
    ],
)
def test_a_further_instruction_stays_in_a_container_that_the_last_one_has_chosen(
    before: RunnerName | None, chosen: RunnerName | None, mode: str, expected: RunnerName | None
) -> None:
    assert chosen_runner(example_run(runner=chosen, mode=mode), example_run(runner=before)) == expected


def test_the_first_instruction_of_a_session_and_an_agent_choose_by_themselves() -> None:
    assert chosen_runner(example_run(), None) is None
    assert chosen_runner(example_run(agent="sage"), example_run(agent="sage", runner="docker")) is None
