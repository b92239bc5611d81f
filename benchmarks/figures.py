"""A figure: what was measured of the product and of its peer, round by round, and the aim. Values only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import median
from typing import Literal

import msgspec


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """`aim` bounds what `measure` names: ours over the peer, ours less the peer's, or ours alone.

    From above, or from below with `at_least`.
    """

    what: str
    unit: str
    ours: tuple[float, ...]
    peer: tuple[float, ...]
    peer_is: str
    measure: Literal["ratio", "difference", "ours"]
    aim: float
    at_least: bool = False

    @property
    def value(self) -> float:
        """Of the medians."""
        ours, peer = median(self.ours), median(self.peer)
        if self.measure == "ratio":
            return ours / peer
        return ours - peer if self.measure == "difference" else ours

    @property
    def met(self) -> bool:
        return self.value >= self.aim if self.at_least else self.value <= self.aim


def interleave(rounds: int, parts: Mapping[str, Callable[[], float]]) -> dict[str, tuple[float, ...]]:
    """Measure every part in each round, in turning order: what drifts on the machine hits all alike."""
    found: dict[str, list[float]] = {name: [] for name in parts}
    for number in range(rounds):
        names = list(parts) if number % 2 == 0 else list(reversed(parts))
        for name in names:
            found[name].append(parts[name]())
    return {name: tuple(values) for name, values in found.items()}
