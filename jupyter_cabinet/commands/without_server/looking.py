"""Examines all runtimes at the same time, each within a time limit, for `doctor.py`.

A CLI that does not answer must not delay the others, nor be asked again afterwards.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

import msgspec

from ...core.durations import spelled
from ...runtimes.port import Located, Missing
from ...runtimes.registry import RuntimeInfo, Runtimes

RUNTIME_SECONDS = 60.0  # for one runtime, with all calls of its CLI


class ExaminedRuntimes(Runtimes):
    """Runtimes that are examined once: `examine` does, and all other methods use its results."""

    _found: dict[str, RuntimeInfo] | None = None

    def examine(
        self, told: Callable[[RuntimeInfo], None] = lambda info: None, *, seconds: float = RUNTIME_SECONDS
    ) -> tuple[RuntimeInfo, ...]:
        """Return every runtime, in the order of `describe`.

        `told` is called for each when it is known, on this thread.
        """
        names, answers = self.names(), queue.SimpleQueue[RuntimeInfo]()
        for name in names:
            look = lambda name=name: answers.put(self.look(name))  # noqa: E731
            threading.Thread(target=look, name=f"look at {name}", daemon=True).start()
        found: dict[str, RuntimeInfo] = {}
        ends = time.monotonic() + seconds
        while len(found) < len(names):
            try:
                info = answers.get(timeout=max(0.0, ends - time.monotonic()))
            except queue.Empty:
                break
            found[info.name] = info
            told(info)
        for name in names:
            if name not in found:
                found[name] = self._late(name, seconds)
                told(found[name])
        self._found = found
        return (*(found[name] for name in names), *self.unusable())

    def locate(self, name: str) -> Located | Missing:
        if self._found is None or name not in self._found:
            return super().locate(name)
        info = self._found[name]
        return info.located or Missing(reason=info.problem)

    def _late(self, name: str, seconds: float) -> RuntimeInfo:
        problem = f"It did not answer within {spelled(seconds)}. It hangs, or this machine is very busy."
        return msgspec.structs.replace(self.described(name), problem=problem)
