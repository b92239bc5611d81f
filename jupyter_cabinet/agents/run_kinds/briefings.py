"""Remembers what the prompts of runs contained, until they end: which blocks, messages, checks and files count then.

Called by the kinds of runs. `run_completion.py` uses it.
"""

from __future__ import annotations

import secrets
from datetime import datetime

import msgspec

from ...runs.model import Run
from .guarded_files import Marks

MOST_KEPT = 500  # runs


class Briefed(msgspec.Struct, frozen=True, kw_only=True):
    """The parts of a run's prompt that matter when it ends.

    `nonce`: if the run saw text from outside, only a block with this nonce counts. `marks`: marks of the files that the
    run must not write. `post_to`: the name of the chats to which its answer goes; empty: none. `checks`: names of the
    checks in it. `at`: when it was built.
    """

    nonce: str | None = None
    post_to: str = ""
    checks: tuple[str, ...] = ()
    at: datetime | None = None
    message_ids: tuple[str, ...] = ()
    marks: Marks = {}


class Briefings:
    """The briefings of the newest runs on this server, by run."""

    def __init__(self) -> None:
        self._by_run: dict[str, Briefed] = {}

    def keep(self, run: Run, briefed: Briefed) -> None:
        """Store the briefing of a run. It replaces the one of an earlier attempt."""
        self._by_run.pop(run.id, None)
        self._by_run[run.id] = briefed
        while len(self._by_run) > MOST_KEPT:
            del self._by_run[next(iter(self._by_run))]

    def of(self, run: Run) -> Briefed:
        """Return the briefing of a run.

        If a server that died has briefed the run, the nonce is unknown; the result then has a random one, so that no
        block counts.
        """
        return self._by_run.get(run.id) or Briefed(nonce=secrets.token_hex(8))
