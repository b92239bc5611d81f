"""Derives from an agent's files alone what a person confirms, when its heartbeats start, and what is wrong.

The result is kept until the files change. Called by `roster.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from ...runtimes.registry import Runtimes
from ..files import powers
from ..files.agent_reader import AgentFiles
from ..files.persona_fields import FieldError, located
from .timing import Timing, read_timing, runtime_errors


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """The assessment of one version of an agent's files. `hash`: of the powers; empty if the files cannot be read."""

    powers: Mapping[str, Any] = {}
    hash: str = ""
    timing: Timing = Timing()
    errors: tuple[FieldError, ...] = ()  # errors of its files, its runtime and its schedule


class Assessments:
    """The newest assessment of each agent."""

    def __init__(self, runtimes: Runtimes, *, default_zone: str) -> None:
        self._runtimes = runtimes
        self._default_zone = default_zone
        self._newest: dict[str, tuple[AgentFiles, Assessment]] = {}

    def of(self, files: AgentFiles) -> Assessment:
        """Return the assessment of these files. It is computed only if the files have changed."""
        known = self._newest.get(files.slug)
        if known is None or known[0] is not files:
            known = self._newest[files.slug] = (files, self._assess(files))
        return known[1]

    def keep_only(self, slugs: Collection[str]) -> None:
        """Drop the assessments of all other agents."""
        for slug in self._newest.keys() - slugs:
            del self._newest[slug]

    def _assess(self, files: AgentFiles) -> Assessment:
        persona = files.persona
        if persona is None:
            return Assessment(errors=files.errors)
        canonical = powers.powers(persona, files.texts)
        timing = read_timing(persona, default_zone=self._default_zone)
        found = (*timing.errors, *runtime_errors(persona, self._runtimes))
        return Assessment(
            powers=canonical,
            hash=powers.hash_of(canonical),
            timing=timing,
            errors=(*files.errors, *located(found, files.lines)),
        )
