"""Which versions of agents or plays were announced by an event, so that each version is announced once: by the service
that saved it, or as a change by hand. It touches no file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Announced(Generic[T]):
    """Versions by slug. Call it on the loop."""

    def __init__(self) -> None:
        self._known: dict[str, T] = {}
        self._saving: Counter[str] = Counter()

    @contextmanager
    def saving(self, *slugs: str) -> Iterator[None]:
        """Meanwhile the caller changes these files, and announces it by itself."""
        self._saving.update(slugs)
        try:
            yield
        finally:
            self._saving.subtract(slugs)

    def put(self, slug: str, version: T | None) -> None:
        """This version is announced now. None: that it is gone."""
        if version is None:
            self._known.pop(slug, None)
        else:
            self._known[slug] = version

    def changed(self, now: Mapping[str, T]) -> dict[str, T | None]:
        """What has to be announced: the versions that nobody has announced, and None for those that are gone, each with
        its slug. It counts as announced from now on."""
        slugs = [slug for slug in {**self._known, **now} if self._known.get(slug) != now.get(slug)]
        found = {slug: now.get(slug) for slug in slugs if not self._saving[slug]}
        for slug, version in found.items():
            self.put(slug, version)
        return found
