"""The chain of a run: the agents and plays that have led to it, so that none of them starts itself again. Pure.

An entry is the slug of an agent, or that of a play behind `PLAY_LINK`.
"""

from __future__ import annotations

from ..model import Run

PLAYBOOKS = ".playbooks"  # folders below the root
PLAYS = f"{PLAYBOOKS}/plays"
PLAY_SUFFIX = ".md"
PLAY_LINK = "play/"  # how the entry of a play begins


def play_of(path: str | None) -> str | None:
    """The slug of the play whose file this is; None for any other path."""
    start = f"{PLAYS}/"
    if path is None or not path.startswith(start) or not path.endswith(PLAY_SUFFIX):
        return None
    return path[len(start) : -len(PLAY_SUFFIX)]


def link_of(run: Run) -> str:
    """What a run adds to the chain of what it leads to: its play, else its agent."""
    slug = play_of(run.path) if run.kind == "play" else None
    return f"{PLAY_LINK}{slug}" if slug else run.agent or ""
