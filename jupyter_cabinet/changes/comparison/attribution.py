"""Attributes a changed file to one of several runs that worked in the folder at the same time. Pure.

Called by `run_comparison.py`.

The files are compared for all of the runs together, so the CLIs' reports decide. A file that any of several runs may
have changed is marked: undoing one of these runs leaves it unchanged unless a person names it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from ..model import ChangedFile


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """The reports of a run's CLI.

    `edited`: paths relative to the server's root; `anything`: it has run a command or another tool that may have
    changed any file.
    """

    edited: frozenset[str] = frozenset()
    anything: bool = False


UNKNOWN = Reported(anything=True)  # a run of which only the record is left


def attributed(files: Iterable[ChangedFile], own: Reported, others: Collection[Reported]) -> tuple[ChangedFile, ...]:
    """Return the files that the run has changed or may have changed, `uncertain` if it may have been another run.

    A run that has reported no tool that changes files lists none that another may have changed. A change that no run
    has reported is listed by all of them, and is uncertain.
    """
    claimed = frozenset[str]().union(*(other.edited for other in others))
    others_may = any(other.anything for other in others)
    found = []
    for file in files:
        paths = {file.path, file.old_path or file.path}
        own_may = own.anything or not own.edited.isdisjoint(paths)
        others_may_it = others_may or not claimed.isdisjoint(paths)
        if own_may or not others_may_it:
            found.append(msgspec.structs.replace(file, uncertain=others_may_it or not own_may))
    return tuple(found)
