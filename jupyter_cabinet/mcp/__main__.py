"""`python -m jupyter_cabinet.mcp <run directory> <groups>`: the tool server of one run, over stdin and stdout.

Started by the agent's CLI, which gets the command from `execution/tools/own_tools.py`. It only forwards: every call
goes to the server through the run directory, and works as long as the run does. `groups`: names, separated by commas.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from .server import serve
from .server_calls import ServerCalls


def main() -> None:
    """Serve until stdin ends. Exits with an error without exactly two arguments."""
    if len(sys.argv) != 3:
        sys.exit("usage: python -m jupyter_cabinet.mcp <run directory> <groups>")
    asyncio.run(serve(ServerCalls(Path(sys.argv[1])), groups=sys.argv[2].split(",")))


if __name__ == "__main__":
    main()
