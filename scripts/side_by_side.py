"""Runs two commands at once; shows the second one's output as it comes, the first one's when both have ended.

`make test` uses it for the two cores that most machines have at least. Ends with the worse of both exit codes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile

BETWEEN = "::"
NOTHING_CHOSEN = 5  # pytest's code where an argument leaves no test: fine where the other one had some


def main(arguments: list[str]) -> int:
    place = arguments.index(BETWEEN)
    with tempfile.TemporaryFile() as kept:
        beside = subprocess.Popen(arguments[:place], stdout=kept, stderr=subprocess.STDOUT)
        try:
            code = subprocess.run(arguments[place + 1 :], check=False).returncode
            other = beside.wait()
        finally:
            beside.kill()
        kept.seek(0)
        sys.stdout.flush()
        sys.stdout.buffer.write(kept.read())
    codes = {abs(code), abs(other)}
    return max(codes - {NOTHING_CHOSEN} or codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
