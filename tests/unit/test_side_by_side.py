"""Commands that run at the same time: what is shown of them, and with what all of them end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "side_by_side.py"


def command(*parts: str) -> list[str]:
    return [sys.executable, "-c", *parts]


def started(*commands: list[str], options: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    between = [argument for each in commands for argument in ("::", *each)][1:]
    return subprocess.Popen(
        [sys.executable, str(SCRIPT), *options, *between], stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_for_files(folder: Path, number: int) -> None:
    end = time.monotonic() + 60
    while len(list(folder.iterdir())) < number and time.monotonic() < end:
        time.sleep(0.02)


def ends_with(code: int, *options: str) -> list[str]:
    return command(f"import sys; print('code {code}'); sys.exit({code})", *options)


@pytest.mark.parametrize(
    ("commands", "code"),
    [
        ([ends_with(0), ends_with(0)], 0),
        ([ends_with(1), ends_with(0)], 1),
        ([ends_with(0), ends_with(3), ends_with(1)], 3),
        ([ends_with(5, "--shard=1/2"), ends_with(0, "--shard=2/2"), ends_with(0)], 0),
        ([ends_with(5, "--shard=1/2"), ends_with(5, "--shard=2/2"), ends_with(0)], 5),
        ([ends_with(5), ends_with(0)], 5),
    ],
)
def test_the_worst_exit_code_counts_and_a_shard_without_a_chosen_test_is_none(
    commands: list[list[str]], code: int
) -> None:
    running = started(*commands)
    shown, _ = running.communicate(timeout=60)
    assert running.returncode == code
    assert sorted(shown.split("\n"))[1:] == sorted(each[2].split("'")[1] for each in commands)


@pytest.mark.parametrize(("seconds", "begin"), [("0", 4), ("600", 2)])
def test_the_first_two_may_get_a_head_start(tmp_path: Path, seconds: str, begin: int) -> None:
    names = ["first", "second", "third", "last"]
    begins = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    commands = [command(begins, str(tmp_path / name)) for name in names]
    running = started(*commands, options=(f"--head-start={seconds}",))
    try:
        wait_for_files(tmp_path, begin)
        assert {path.name for path in tmp_path.iterdir()} == set(names[:begin])
    finally:
        os.killpg(running.pid, signal.SIGINT)
        running.communicate(timeout=60)


def test_what_failed_is_said_again_at_the_end() -> None:
    first = command("print('FAILED tests/a.py::one - it broke'); print('much more', end='')")
    shown_command = command("print('\\x1b[31mFAILED tests/b.py::two'); print('FAILED_NOT a line about a test')")
    shown, _ = started(first, shown_command).communicate(timeout=60)
    *_, last = shown.partition("What failed:\n")
    assert last == "\x1b[31mFAILED tests/b.py::two\nFAILED tests/a.py::one - it broke\n"


def test_an_interrupt_shows_what_all_of_them_had_to_say(tmp_path: Path) -> None:
    waits = "import pathlib, time; print('{0} begun', flush=True); pathlib.Path('{1}/{0}').touch(); time.sleep(60)"
    running = started(*(command(waits.format(name, tmp_path)) for name in ("one", "two")))
    wait_for_files(tmp_path, 2)
    os.killpg(running.pid, signal.SIGINT)
    shown, _ = running.communicate(timeout=60)
    assert running.returncode == 130 and "one begun" in shown and "two begun" in shown
