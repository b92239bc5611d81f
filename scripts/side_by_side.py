"""Run commands at the same time. The last one's output is shown at once, the others' after all have ended.

`make test` uses it because most machines have at least two cores. Ends with the worst of the exit codes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from contextlib import ExitStack

BETWEEN = "::"
NOTHING_CHOSEN = 5  # pytest's code where an argument leaves no test: fine where another one had some


def main(arguments: list[str]) -> int:
    *others, shown = commands(arguments)
    with ExitStack() as stack:
        kept = [stack.enter_context(tempfile.TemporaryFile()) for _ in others]
        beside: list[subprocess.Popen[bytes]] = []
        try:
            for command, output in zip(others, kept, strict=True):
                beside.append(subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT))
            codes = {abs(subprocess.run(shown, check=False).returncode)}
            codes |= {abs(process.wait()) for process in beside}
        finally:
            for process in beside:
                process.kill()
        sys.stdout.flush()
        for output in kept:
            output.seek(0)
            sys.stdout.buffer.write(output.read())
    return max(codes - {NOTHING_CHOSEN} or codes)


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
