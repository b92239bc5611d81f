"""Remembers which versions of agents or plays were announced by an event, so that each version is announced once.

A version is announced by the service that saved it, or as a change by hand. This module reads no files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Announced(Generic[T]):
    """Announced versions by slug. Use it only on the event loop."""

    def __init__(self) -> None:
        self._known: dict[str, T] = {}
        self._saving: Counter[str] = Counter()

    @contextmanager
    def saving(self, *slugs: str) -> Iterator[None]:
        """Leave these slugs out of `changed` while the caller saves their files and announces the change itself.

        Afterwards they are compared again, so the caller has to `put` what it has announced.
        """
        self._saving.update(slugs)
        try:
            yield
        finally:
            self._saving.subtract(slugs)

    def put(self, slug: str, version: T | None) -> None:
        """Mark a version as announced. None: the removal is announced."""
        if version is None:
            self._known.pop(slug, None)
        else:
            self._known[slug] = version

    def changed(self, now: Mapping[str, T]) -> dict[str, T | None]:
        """Return the versions that still have to be announced, by slug, and mark them as announced.

        None: the agent or play was removed. `now`: the current versions. Slugs that are being saved are left out.
        """
        slugs = [slug for slug in {**self._known, **now} if self._known.get(slug) != now.get(slug)]
        found = {slug: now.get(slug) for slug in slugs if not self._saving[slug]}
        for slug, version in found.items():
            self.put(slug, version)
        return found
