"""Tab completion for our magics: options, agents, runtimes, plays, terminals. The server is asked rarely."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..client.errors import CabinetError
from ..core.clock import Clock, SystemClock
from .arguments import AGENT, MODES, PLAY, options
from .choosing import CHOICES
from .magics import CABINET_WORDS, CabinetMagics

KEPT_SECONDS = 10.0


class Completion:
    """Registered with IPython by `begin`."""

    def __init__(self, magics: CabinetMagics, clock: Clock | None = None) -> None:
        self._magics = magics
        self._clock = clock or SystemClock()
        self._known: dict[str, tuple[float, list[str]]] = {}

    def begin(self, shell: Any) -> None:
        """Register with IPython, for all magics."""
        for magic, complete in (
            ("%%agent", self.agent),
            ("%play", self.play),
            ("%%play", self.play),
            ("%cabinet", lambda line: list(CABINET_WORDS)),
            ("%terminal", lambda line: self._names("terminals")),
        ):
            shell.set_hook("complete_command", _hook(complete), str_key=magic)

    def agent(self, line: str) -> list[str]:
        """Return all candidates for the last word of `%%agent …`, which is being written. They are not filtered by it.

        What the server knows is kept for 10 seconds; it is left out if the server does not answer.
        """
        before = _word_before(line)
        if before in ("--runtime", "-r"):
            return self._names("runtimes")
        if before == "--mode":
            return list(MODES)
        if before in ("--context", "-c"):
            return list(CHOICES)
        if before == "--vars":
            return [name for name in self._magics.variables if not name.startswith("_")]
        return [*self._names("agents"), *options(AGENT)]

    def play(self, line: str) -> list[str]:
        """Return all candidates for the last word of `%play …` and `%%play …`, like `agent`."""
        if _word_before(line) == "--agent":
            return self._names("agents")
        words = line.split()
        if len(words) < 2 or (len(words) == 2 and not line.endswith(" ")):
            return self._names("plays")
        return [*(f"{name}=" for name in self._names(f"inputs of {words[1]}")), *options(PLAY)]

    def _names(self, what: str) -> list[str]:
        found = self._known.get(what)
        now = self._clock.monotonic()
        if found is None or now - found[0] > KEPT_SECONDS:
            found = self._known[what] = (now, self._asked(what))
        return found[1]

    def _asked(self, what: str) -> list[str]:
        """Return nothing if the server does not answer."""
        try:
            return sorted(self._from_server(what))
        except (CabinetError, KeyError, TimeoutError):
            return []

    def _from_server(self, what: str) -> Iterable[str]:
        cabinet = self._magics.cabinet
        if what == "agents":
            return [each.slug for each in cabinet.agents.list()]
        if what == "plays":
            return [each.slug for each in cabinet.plays.list()]
        if what == "terminals":
            return [each.name for each in cabinet.terminals.list() if not each.exited]
        if what == "runtimes":
            return [each.name for each in cabinet.status().runtimes]
        return cabinet.plays[what.removeprefix("inputs of ")].detail.inputs


def _hook(complete: Callable[[str], list[str]]) -> Callable[[Any, Any], list[str]]:
    def hook(shell: Any, event: Any) -> list[str]:
        return [each for each in complete(event.line) if each.startswith(event.symbol)]

    return hook


def _word_before(line: str) -> str:
    """Return the last word before the one that is being written."""
    words = line.split()
    return (words[-1] if line.endswith(" ") else words[-2] if len(words) > 1 else "") if words else ""
