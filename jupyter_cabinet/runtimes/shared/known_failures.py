"""Determines a failure from a CLI's messages and statuses, by a table for each CLI. Pure."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

import msgspec

from ..model import Failure, FailureKind
from ..port import Exit
from .exit_failures import of_process
from .screens.screen_phrases import compact

SERVICE_DOWN = "The model's service reported an error. Nothing is wrong with the instruction; try again later."
SERVICE_CUT = "The connection to the model's service was cut."
TOO_LONG = "The conversation no longer fits into the model."
LONGEST_DETAIL = 300  # characters
_MESSAGE = re.compile(r'"message": ?"((?:[^"\\]|\\.)*)"')  # of a service's reply that is quoted in full
_AFTER_SECONDS = re.compile(r"try again in (\d+(?:\.\d+)?) ?s")


class KnownFailure(NamedTuple):
    """A kind of failure. `{title}` in `message` is replaced by the CLI's name."""

    kind: FailureKind
    message: str
    retry_helps: bool = False

    def named(self, title: str, *, after: float | None = None) -> Failure:
        """Return the failure. `title`: the CLI's name; `after`: seconds after which to try again."""
        message = self.message.format(title=title)
        return Failure(kind=self.kind, message=message, retry_helps=self.retry_helps, retry_after_seconds=after)


class KnownFailures(msgspec.Struct, frozen=True, kw_only=True):
    """The table of one CLI."""

    by_text: tuple[tuple[str, KnownFailure], ...]  # in lower case; the first match counts; spaces are ignored
    by_status: dict[int, KnownFailure] = {}
    service_down: str = SERVICE_DOWN  # for every status from 500 on
    status: str = ""  # pattern with one group; the last status that is found counts
    first: Literal["text", "status"] = "text"  # which of the two is more precise

    def of_text(self, text: str, title: str, *, beside: str = "") -> Failure:
        """Return the failure that a message reports, also one from a screen, where words have no spaces.

        It may be `unknown`. `beside`: text to search for a status that the message does not contain.
        """
        status = self._of_status(text) or self._of_status(beside)
        words = self._of_words(text)
        known = (status or words) if self.first == "status" else (words or status)
        return known.named(title, after=_after(text)) if known else unknown(text, title)

    def of_status(self, status: int) -> KnownFailure | None:
        """Return the failure for an HTTP status; None if it is not in the table and below 500."""
        known = self.by_status.get(status)
        return known or (KnownFailure("model_unavailable", self.service_down, True) if status >= 500 else None)

    def of_exit(self, exit: Exit, words: str, title: str, *, beside: str = "") -> Failure:
        """Return the failure of a process that ended without the answer it owed. `words`: its last output."""
        return ended_without_answer(exit, words, title, self.of_text(words, title, beside=beside))

    def _of_words(self, text: str) -> KnownFailure | None:
        said = compact(text.lower())
        return next((known for part, known in self.by_text if compact(part) in said), None)

    def _of_status(self, text: str) -> KnownFailure | None:
        found = re.findall(self.status, text, re.IGNORECASE) if self.status else ()
        meant = [known for each in found if (known := self.of_status(int(each)))]
        return meant[-1] if meant else None


def ended_without_answer(exit: Exit, words: str, title: str, told: Failure) -> Failure:
    """Return how a process ended that owed an answer. `told`: the failure in its last output, `words`."""
    return of_process(exit, words, title, told if told.kind != "unknown" else None)


def unknown(text: str, title: str) -> Failure:
    """Return a failure of the kind `unknown`, with the first line of the CLI's own message."""
    told = _MESSAGE.search(text)
    detail = (told[1] if told else text.strip().partition("\n")[0])[:LONGEST_DETAIL] or "it gave no reason"
    return Failure(kind="unknown", message=f"{title} failed: {detail}")


def _after(text: str) -> float | None:
    found = _AFTER_SECONDS.search(text.lower())
    return float(found[1]) if found else None
