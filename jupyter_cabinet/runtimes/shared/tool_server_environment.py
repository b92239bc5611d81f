"""Starts a tool server with an environment from a file: `python -I -S tool_server_environment.py <file>`.

A stand-alone program, for CLIs that expect the values in their arguments, where everybody on the machine can read them.
The file is JSON: `{"command": [...], "environment": {...}}`.
"""

import json
import os
import sys


def main(path: str) -> None:
    """Replace this process by the tool server. `path`: the file. Raises `OSError` if that is not possible."""
    with open(path, encoding="utf-8") as file:  # noqa: PTH123  # pathlib would double the start-up time
        said = json.load(file)
    os.execvpe(said["command"][0], said["command"], {**os.environ, **said["environment"]})  # noqa: S606 (no shell)


if __name__ == "__main__":
    main(sys.argv[1])
