"""A server with an agent at work, to be stopped with SIGSTOP and woken. A separate program.

`python -m harness.stopped_server FOLDER` prints `ready` when its agent works. Leases live for two seconds in it.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from jupyter_cabinet.runs.dispatch import upkeep
from jupyter_cabinet.schedules import leases

from .agents import make
from .backend import ADA, Place

LEASE_SECONDS = 2.0
RENEW_SECONDS = 0.4


def shorten_leases() -> None:
    """In this process."""
    leases.DEAD_AFTER_SECONDS = LEASE_SECONDS
    upkeep.RENEW_EVERY_SECONDS = RENEW_SECONDS


async def main(folder: Path) -> None:
    shorten_leases()
    backend = await Place(folder).open()
    await make(backend, "ada", "wait for the file go.txt\nanswer: DECISION: too late", retries=0)
    await backend.agent_work.send("ada", "are you there?", ADA)
    run = await backend.agents.run("ada", ADA)
    while backend.records.live[run.id].run.state != "running":
        await asyncio.sleep(0.01)
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
