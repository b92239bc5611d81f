"""Explains in one sentence how a CLI's process ended without its answer. Pure; shared by the runtimes."""

from __future__ import annotations

import re

from ..model import Failure
from ..port import Exit

INTERRUPTED = (2, 15)  # SIGINT, SIGTERM: somebody stopped it
TERMINATED = 128 + 15  # the code of a CLI that handled SIGTERM
LONGEST_WORDS = 300  # characters
LONGEST_WORD = 60
_ERROR = re.compile(r"[Ee]rror:|\bE[A-Z]{4,}:")
_VERSION = re.compile(r"(Node\.js|Bun) v\d")  # the last output of a program that dies
_ADDRESS = re.compile(r"at\s")  # a line of a traceback


def of_process(exit: Exit, stderr: str, title: str, known: Failure | None) -> Failure:
    """Return why a process ended without an answer.

    A process that was ended by SIGINT or SIGTERM is `cancelled`. Otherwise the result is `known`, the failure that the
    CLI's last output reports, or `crashed` if that is None.
    """
    if exit.signal in INTERRUPTED or exit.code == TERMINATED:
        return Failure(kind="cancelled", message=f"{title} was stopped.")
    if known is not None:
        return known
    return crashed(exit, stderr, title)


def crashed(exit: Exit, stderr: str, title: str) -> Failure:
    """Return the failure for an unknown end, with the CLI's own last message if there is one. Trying again may help."""
    last = last_words(stderr)
    message = f"{title} {_how(exit)} before it answered." + (f" It said: {last}" if last else "")
    return Failure(kind="crashed", message=message, retry_helps=True)


def after_answer(exit: Exit | None, title: str, *, seconds: float) -> str:
    """Return a warning about the end of a process that had answered; empty if it ended normally.

    `exit`: None: it was ended because it had not exited `seconds` after the answer.
    """
    if exit is None:
        kept = "Something it has started may have kept it running."
        return f"{title} answered, but did not exit within {seconds:g} s and was ended. {kept}"
    return f"{title} had answered, then {_how(exit)}." if exit.code or exit.signal else ""


def last_words(text: str) -> str:
    """Return the last line that names an error, else the last one. Empty for a screen, where words have no spaces.

    It is cut to `LONGEST_WORDS` characters.
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not _VERSION.match(line) and not _ADDRESS.match(line)]
    found = next((line for line in reversed(lines) if _ERROR.search(line)), lines[-1] if lines else "")
    return found[:LONGEST_WORDS] if " " in found or len(found) <= LONGEST_WORD else ""


def _how(exit: Exit) -> str:
    if exit.signal:
        return f"ended with signal {exit.signal}"
    return "was ended from outside" if exit.code is None else f"ended with exit code {exit.code}"
