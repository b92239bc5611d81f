"""How often each run may do something. Kept in memory: all attempts of a run on this server count together."""

from __future__ import annotations

from ..core.errors import Refused

MOST_REMEMBERED = 500  # runs


class RunQuota:
    """`most`: times for each run. `refusal`: the sentence for more."""

    def __init__(self, most: int, refusal: str) -> None:
        self._most = most
        self._refusal = refusal
        self._counts: dict[str, int] = {}  # by the run's id, the most recent last

    def take(self, run_id: str) -> None:
        """Count one more time. Raises `Refused` if that is more than `most`.

        Call it before the work: a run may call several tools at once.
        """
        number = self._counts.pop(run_id, 0)
        self._counts[run_id] = min(number + 1, self._most)
        while len(self._counts) > MOST_REMEMBERED:
            del self._counts[next(iter(self._counts))]
        if number >= self._most:
            raise Refused(self._refusal)

    def give_back(self, run_id: str) -> None:
        """Count one time less, because the work was refused."""
        if self._counts.get(run_id, 0) > 0:
            self._counts[run_id] -= 1
