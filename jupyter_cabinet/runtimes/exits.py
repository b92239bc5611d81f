"""Says in one sentence how a process of a CLI ended that owed an answer. Pure; shared by the runtimes."""

from __future__ import annotations

from .model import Failure
from .port import Exit

INTERRUPTED = (2, 15)  # SIGINT, SIGTERM: somebody stopped it
TERMINATED = 128 + 15  # the code of a CLI that handled SIGTERM


def of_process(exit: Exit, stderr: str, title: str, known: Failure | None) -> Failure:
    """`known`: what the CLI's last words tell, where they are understood."""
    if exit.signal in INTERRUPTED or exit.code == TERMINATED:
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    if known is not None:
        return known
    last = stderr.strip().splitlines()[-1][:300] if stderr.strip() else ""
    message = f"{title} {_how(exit)} before it answered." + (f" It said: {last}" if last else "")
    return Failure(kind="crashed", message=message, retry_helps=True)


def _how(exit: Exit) -> str:
    if exit.signal:
        return f"ended with signal {exit.signal}"
    return "was ended from outside" if exit.code is None else f"ended with exit code {exit.code}"
