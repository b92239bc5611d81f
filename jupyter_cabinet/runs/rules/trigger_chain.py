"""The chain of a run: the agents and plays that led to it, used to prevent that one of them starts itself again. Pure.

An entry is the slug of an agent, or `PLAY_LINK` and the slug of a play.
"""

from __future__ import annotations

from ..model import Run

PLAYBOOKS = ".playbooks"  # folders below the root
PLAYS = f"{PLAYBOOKS}/plays"
PLAY_SUFFIX = ".md"
PLAY_LINK = "play/"  # the prefix of a play's entry


def play_of(path: str | None) -> str | None:
    """Return the slug of the play that this file defines; None for any other path.

    It is not checked, and may contain a `/`.
    """
    start = f"{PLAYS}/"
    if path is None or not path.startswith(start) or not path.endswith(PLAY_SUFFIX):
        return None
    return path[len(start) : -len(PLAY_SUFFIX)]


def link_of(run: Run) -> str:
    """Return the entry that a run adds to the chain of the runs that it causes: its play, else its agent, else ""."""
    slug = play_of(run.path) if run.kind == "play" else None
    return f"{PLAY_LINK}{slug}" if slug else run.agent or ""
