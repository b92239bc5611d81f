"""How much later `jupyter lab` answers when the extension is enabled, and when our own rooms answer."""

from __future__ import annotations

from functools import partial

from .figures import Figure, interleave
from .servers import serving


def measure(rounds: int) -> list[Figure]:
    opened: list[float] = []
    found = interleave(rounds, {"ours": partial(_start, True, opened), "peer": partial(_start, False, [])})
    return [
        Figure(
            what="`jupyter lab` from its start to its first answer",
            unit="s",
            **found,
            peer_is="the extension disabled",
            measure="ratio",
            aim=1.05,
        ),
        Figure(
            what="… to the first answer of our rooms",
            unit="s",
            ours=tuple(opened),
            peer=found["peer"],
            peer_is="Jupyter's answer, the extension disabled",
            measure="difference",
            aim=1.0,
        ),
    ]


def _start(enabled: bool, opened: list[float]) -> float:
    with serving(enabled=enabled) as server:
        opened.append(server.open)
        return server.answered
