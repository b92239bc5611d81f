"""Keeps account of the empty files and folders on which sandboxes mount something.

Bubblewrap creates what does not exist, such as `.mcp.json`, in the real folder. Programs that run at the same time
share these places: removing one would end the protection of those that still run.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from .launcher import NO_SETTINGS, is_unused, remove_empty
from .mounts import Kind, Plan, kind_on_disk, plan
from .view import SandboxView


class MountPlaces:
    """One per server. Its methods block on the file system, and may be called from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users: Counter[str] = Counter()  # programs for each place
        self._taken: set[int] = set()  # the ids of plans

    def take(self, view: SandboxView, environment: Mapping[str, str]) -> Plan:
        """Plan a sandbox, and keep its places until `release`. May create settings files as places.

        Raises `Unavailable` as `mounts.plan` does.
        """
        with self._lock:
            made = plan(view, environment, self._kind)
            for path in made.created:
                _create(path)
            self._users.update(made.created)
            self._taken.add(id(made))
        return made

    def release(self, made: Plan) -> None:
        """Remove the places that no other program uses, if they are still empty.

        A second call for a plan has no effect.
        """
        with self._lock:
            if id(made) not in self._taken:
                return
            self._taken.remove(id(made))
            self._users.subtract(made.created)
            unused = [path for path in made.created if self._users[path] <= 0]
            for path in unused:
                del self._users[path]
            remove_empty(unused)

    def _kind(self, path: str) -> Kind | None:
        return None if path in self._users and is_unused(path) else kind_on_disk(path)


def _create(path: str) -> None:
    """Create the place of a settings file as an empty object, because others would read an empty file as an error."""
    if path.endswith(".json"):
        with suppress(OSError), Path(path).open("xb") as file:
            file.write(NO_SETTINGS)
