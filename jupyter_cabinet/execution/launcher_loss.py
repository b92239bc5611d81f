"""What is said of a run whose launcher somebody or something has killed."""

from __future__ import annotations

import msgspec

from ..runtimes.model import Outcome


def without_launcher(outcome: Outcome, title: str, *, left: bool) -> tuple[Outcome, str]:
    """The outcome of a run whose launcher was killed, with what is worth a warning where the outcome does not tell it.

    `left`: processes of it had to be found and ended.
    """
    told = f"{title} was ended: something has killed its launcher."
    if left:
        told += " What was left of it was found and ended."
    if outcome.failure is None or outcome.failure.kind != "crashed":
        return outcome, told
    failure = msgspec.structs.replace(outcome.failure, message=told)
    return msgspec.structs.replace(outcome, failure=failure), ""
