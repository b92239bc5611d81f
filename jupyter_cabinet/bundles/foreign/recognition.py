"""Recognizes which system has written a folder, and converts it. Pure."""

from __future__ import annotations

from ...core.errors import Invalid
from . import gateway, orchestrator
from .conversion import Converted
from .source import Source

UNKNOWN = (
    "This is neither an agent that Cabinet has exported, nor the configuration of a gateway (such as CLAUDE.md and "
    "memory.md), nor the folder of an orchestrator's agent (such as SOUL.md and soul-history)."
)


def converted(source: Source, field: str) -> Converted:
    """Return the agent of another system.

    `field`: of the request, for errors. Raises `Invalid` if the system is not recognized, if nothing can be used, or if
    the folder contains an agent of Cabinet.
    """
    names = _names(source, source.agent)
    inner = _names(source, gateway.FOLDER)
    if not source.agent and (gateway.is_gateway(names) or gateway.is_gateway(inner)):
        return gateway.converted(source)
    if orchestrator.is_orchestrator(source, names):
        return orchestrator.converted(source)
    raise Invalid(UNKNOWN, field=field)


def _names(source: Source, folder: str) -> frozenset[str]:
    """Return the names in a folder of the source, in lowercase."""
    paths = (path.removeprefix(folder) for path in (*source.files, *source.unread) if path.startswith(folder))
    return frozenset(path.partition("/")[0].lower() for path in paths)
