"""Run commands at the same time. The last one's output is shown at once, the others' after all have ended.

`make test` uses it because most machines have at least two cores, and many tests wait. Ends with the worst of the exit
codes. A shard of the tests in which the arguments chose no test counts as passed if another shard had one.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack
from typing import IO

BETWEEN = "::"
SHARD_OPTION = "--shard"
NO_TESTS_CHOSEN = 5  # pytest's exit code
INTERRUPTED = 130
SECONDS_TO_END = 30.0  # for the commands that an interrupt has reached, too


def main(arguments: list[str]) -> int:
    *others, shown = commands(arguments)
    with ExitStack() as stack:
        kept = [stack.enter_context(tempfile.TemporaryFile()) for _ in others]
        beside: list[subprocess.Popen[bytes]] = []
        try:
            for command, output in zip(others, kept, strict=True):
                beside.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT))
            codes = [subprocess.run(shown, check=False).returncode]
            codes += [process.wait() for process in beside]
            return worst([shown, *others], codes)
        except KeyboardInterrupt:
            return INTERRUPTED
        finally:
            end(beside)
            for output in kept:
                show(output)


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


def show(output: IO[bytes]) -> None:
    sys.stdout.flush()
    output.seek(0)
    sys.stdout.buffer.write(output.read())
    sys.stdout.flush()


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
