"""Run commands at the same time. The last one's output is shown at once, the others' after all have ended.

    side_by_side.py [--head-start=SECONDS] COMMAND :: COMMAND :: ...

With `--head-start`, the first two commands begin so much earlier than the others.

`make test` uses it because most machines have at least two cores, and many tests wait. Ends with the worst of the exit
codes. A shard of the tests in which the arguments chose no test counts as passed if another shard had one.

The last lines repeat what failed, because people look there first, and some services keep only the end of a log.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from typing import IO

BETWEEN = "::"
HEAD_START_OPTION = "--head-start="
WITH_HEAD_START = 2  # commands: as many as most machines have cores, at least
SHARD_OPTION = "--shard"
NO_TESTS_CHOSEN = 5  # pytest's exit code
INTERRUPTED = 130
SECONDS_TO_END = 30.0  # for the commands that an interrupt has reached, too
CHUNK = 65_536  # bytes
COLOUR = rb"(?:\x1b\[[\d;]*m)*"
# How pytest, jest and make begin a line about something that failed.
FAILURE = re.compile(COLOUR + rb"(?:FAILED |ERROR |FAIL |  \xe2\x97\x8f .*\xe2\x80\xba |make(?:\[\d+\])?: \*\*\* )")
MOST_FAILURES = 20  # lines


def main(arguments: list[str]) -> int:
    head_start = 0.0
    if arguments[0].startswith(HEAD_START_OPTION):
        head_start = float(arguments.pop(0).removeprefix(HEAD_START_OPTION))
    *others, shown = commands(arguments)
    failures: list[bytes] = []
    with ExitStack() as stack:
        kept = [stack.enter_context(tempfile.TemporaryFile()) for _ in others]
        beside: list[subprocess.Popen[bytes]] = []
        try:
            for position, (command, output) in enumerate(zip(others, kept, strict=True)):
                if position == WITH_HEAD_START:
                    time.sleep(head_start)
                beside.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT))
            codes = [run_and_show(shown, failures)]
            codes += [process.wait() for process in beside]
            return worst([shown, *others], codes)
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            end(beside)
            for output in kept:
                output.seek(0)
                show(output, failures)
            repeat(failures)


def run_and_show(command: list[str], failures: list[bytes]) -> int:
    colours = {"PY_COLORS": "1"} if sys.stdout.isatty() else {}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **colours}
    ) as process:
        assert process.stdout is not None
        try:
            show(process.stdout, failures)
        except KeyboardInterrupt:
            show(process.stdout, failures)  # The interrupt has reached the command too: this is its summary.
            raise
        return process.wait()


def worst(commands: list[list[str]], codes: list[int]) -> int:
    """The exit code of all of them. A command that a signal has ended has a negative one."""
    shards = [code for command, code in zip(commands, codes, strict=True) if is_shard(command)]
    if shards and set(shards) == {NO_TESTS_CHOSEN}:
        return NO_TESTS_CHOSEN
    return max(
        0 if code == NO_TESTS_CHOSEN and is_shard(command) else abs(code)
        for command, code in zip(commands, codes, strict=True)
    )


def is_shard(command: list[str]) -> bool:
    return any(argument.startswith(SHARD_OPTION) for argument in command)


def end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Wait for those that an interrupt at the keyboard lets end by themselves, and kill what is left."""
    for process in processes:
        try:
            process.wait(timeout=SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            process.kill()


def show(output: IO[bytes], failures: list[bytes]) -> None:
    """Print it as it comes, and add the lines about failures to `failures`."""
    read = getattr(output, "read1", output.read)  # a part of a line is shown at once, too
    rest = b""
    while chunk := read(CHUNK):
        sys.stdout.buffer.write(chunk)
        sys.stdout.buffer.flush()
        *lines, rest = (rest + chunk).split(b"\n")
        failures.extend(line for line in lines if FAILURE.match(line))


def repeat(failures: list[bytes]) -> None:
    if failures:
        sys.stdout.buffer.write(b"\nWhat failed:\n")
        sys.stdout.buffer.writelines(line + b"\n" for line in failures[-MOST_FAILURES:])
        sys.stdout.buffer.flush()


def commands(arguments: list[str]) -> list[list[str]]:
    found: list[list[str]] = [[]]
    for argument in arguments:
        if argument == BETWEEN:
            found.append([])
        else:
            found[-1].append(argument)
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
