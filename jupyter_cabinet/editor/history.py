"""The history file of the editor, beside the documents: `.agents/.history/editor-sessions.jsonl`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from ..core.errors import OutsideRoot, Unavailable
from ..core.paths import resolve_below
from ..runs.model import Run
from ..storage.filesystem import files, untrusted_files
from .model import HistoryLine

TOPIC = "editor.history"
PLACE = ".agents/.history/editor-sessions.jsonl"
MAX_SUMMARY = 500
MAX_OUTPUT = 20_000
# The part at the end of the file that is searched for a line written before a crash: far more than can follow it.
LOOKED_THROUGH_BYTES = 8 << 20


def line_of(run: Run) -> HistoryLine:
    """Return the history line of a run that has ended. Every state but `succeeded` counts as `failed`.

    The summary has at most 500 characters, the output 20,000.
    """
    text = run.result.text if run.result else run.reason
    return HistoryLine(
        id=run.id,
        page_path=run.path or "",
        instruction=run.instruction,
        timestamp=(run.finished_at or run.queued_at).isoformat().replace("+00:00", "Z"),
        duration=round(run.duration_seconds or 0, 3),
        status="completed" if run.state == "succeeded" else "failed",
        summary=text[:MAX_SUMMARY],
        output=text[:MAX_OUTPUT],
    )


def append(root: Path, line: HistoryLine) -> None:
    """Add the line once: a second call with the same id changes nothing.

    Raises `OutsideRoot` if a link leads out of the root or the file is a hard link, `Unavailable` if the file cannot be
    written.
    """
    path = root / PLACE
    try:
        resolve_below(root, PLACE)
    except OutsideRoot:
        raise OutsideRoot(f"{PLACE} leads out of the server's root folder, or into its records.") from None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not _has(path, line.id):
            files.append_line(path, msgspec.json.encode(line), mode=0o644)
    except OSError as error:
        raise Unavailable(f"{PLACE} cannot be written: {error.strerror}.") from error


def _has(path: Path, run_id: str) -> bool:
    try:
        values = untrusted_files.last_values(path, limit=LOOKED_THROUGH_BYTES)
        return any(isinstance(value, dict) and value.get("id") == run_id for value in values)
    except FileNotFoundError:
        return False
