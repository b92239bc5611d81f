"""The reports of working CLIs: which files they edit, and whether they may have changed any other.

Owned by `run_comparison.py`; `attribution.py` draws the conclusions. It reads folders to follow links, so call it off
the loop.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from .comparison.attribution import UNKNOWN, Reported
from .snapshots.partial_snapshot import is_below, may_be_named


class ReportedCall(NamedTuple):
    """A tool call of a run's CLI. `edits`: paths as the CLI names them; `anything`: it may change any file."""

    id: str
    edits: tuple[str, ...]
    anything: bool


_SILENT = ReportedCall("", (), anything=True)  # of a CLI that does not report its tool calls


class _OfRun(NamedTuple):
    folder: str  # the folder in which it works, relative to the root
    calls: list[ReportedCall]


class Reports:
    """Reports by run; also of ended runs, while a run that worked at the same time has not ended."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._runs: dict[str, _OfRun] = {}

    def begin(self, run_id: str, folder: str, *, silent: bool) -> None:
        """Start to collect the reports of a run. `silent`: its CLI does not report its tool calls."""
        self._runs[run_id] = _OfRun(folder, [_SILENT] if silent else [])

    def add(self, run_id: str, call: ReportedCall) -> None:
        """Add a reported call of a run, after `begin`. A call that can change no file is ignored."""
        if call.edits or call.anything:
            self._runs[run_id].calls.append(call)

    def refuse(self, run_id: str, call_id: str) -> None:
        """Record that the last call with this id was not carried out: some CLIs use an id twice.

        An unknown one is ignored.
        """
        calls = self._runs[run_id].calls if run_id in self._runs else []
        found = next((call for call in reversed(calls) if call.id == call_id), None)
        if found is not None:
            calls.remove(found)

    def keep(self, run_ids: Collection[str]) -> None:
        """Forget all runs but these."""
        self._runs = {run_id: found for run_id, found in self._runs.items() if run_id in run_ids}

    def of(self, run_id: str) -> Reported:
        """Return what a run has reported so far, with paths relative to the root; `UNKNOWN` for a run of another
        server.
        """
        found = self._runs.get(run_id)
        if found is None:
            return UNKNOWN
        edited = frozenset(path for each in self.edited(run_id) for path in self._names(found.folder, each))
        return Reported(edited=edited, anything=any(call.anything for call in found.calls))

    def edited(self, run_id: str) -> Iterable[str]:
        """Return the files that it edits, as its CLI names them, each once; empty for an unknown run."""
        found = self._runs.get(run_id)
        return dict.fromkeys(path for call in found.calls for path in call.edits) if found is not None else ()

    def _names(self, folder: str, path: str) -> Iterator[str]:
        """Return a file's own path, also if a link leads to it."""
        whole = self._root.resolve() / folder / path
        for each in (Path(path), Path(os.path.realpath(whole.parent)) / whole.name):
            if (own := self.own(folder, str(each))) is not None:
                yield own

    def own(self, folder: str, path: str) -> str | None:
        """Return a CLI's `path`, which works in `folder`, relative to the root; None if it is outside."""
        root = self._root.resolve()
        real = os.path.normpath(root / folder / path)
        for each in (root, self._root):
            own = os.path.relpath(real, each)
            if may_be_named(own) and is_below(own, folder):
                return own
        return None
