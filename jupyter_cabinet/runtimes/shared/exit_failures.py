"""Says in one sentence how a process of a CLI ended that owed an answer. Pure; shared by the runtimes."""

from __future__ import annotations

import re

from ..model import Failure
from ..port import Exit

INTERRUPTED = (2, 15)  # SIGINT, SIGTERM: somebody stopped it
TERMINATED = 128 + 15  # the code of a CLI that handled SIGTERM
LONGEST_WORDS = 300  # characters
LONGEST_WORD = 60
_ERROR = re.compile(r"[Ee]rror:|\bE[A-Z]{4,}:")
_VERSION = re.compile(r"(Node\.js|Bun) v\d")  # what they say last when a program dies
_ADDRESS = re.compile(r"at\s")  # a line of a traceback


def of_process(exit: Exit, stderr: str, title: str, known: Failure | None) -> Failure:
    """`known`: what the CLI's last words tell, where they are understood."""
    if exit.signal in INTERRUPTED or exit.code == TERMINATED:
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    if known is not None:
        return known
    return crashed(exit, stderr, title)


def crashed(exit: Exit, stderr: str, title: str) -> Failure:
    """Nothing known: how it ended, in its own words where it has some."""
    last = last_words(stderr)
    message = f"{title} {_how(exit)} before it answered." + (f" It said: {last}" if last else "")
    return Failure(kind="crashed", message=message, retry_helps=True)


def after_answer(exit: Exit | None, title: str, *, seconds: float) -> str:
    """What is worth a warning in the end of a process that had answered. None: it was ended, so long after that."""
    if exit is None:
        kept = "Something it has started may have kept it."
        return f"{title} had answered, but did not leave within {seconds:g} s and was ended. {kept}"
    return f"{title} had answered, then {_how(exit)}." if exit.code or exit.signal else ""


def last_words(text: str) -> str:
    """The last line that names an error, else the last one. None of a screen, whose words have no spaces."""
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not _VERSION.match(line) and not _ADDRESS.match(line)]
    found = next((line for line in reversed(lines) if _ERROR.search(line)), lines[-1] if lines else "")
    return found[:LONGEST_WORDS] if " " in found or len(found) <= LONGEST_WORD else ""


def _how(exit: Exit) -> str:
    if exit.signal:
        return f"ended with signal {exit.signal}"
    return "was ended from outside" if exit.code is None else f"ended with exit code {exit.code}"
