"""Sessions that another installation left in the history file. Each line is one finished run, and read-only.

Lines that this package wrote are skipped, because their runs are stored with an owner and more details. This module
writes nothing, and no prompt uses it. Called by `sessions.py` and, for a single run, by `runs/`.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from ..core.errors import CabinetError
from ..core.ids import is_id
from ..core.paths import check, is_file_below, places_of_page
from ..runs.model import Run, RunResult, Trigger
from ..sessions.model import DocumentSubject, Session
from ..storage.filesystem import untrusted_files
from .history import LOOKED_THROUGH_BYTES, MAX_OUTPUT, PLACE
from .model import SessionDetail

PREFIX = "earlier-"
MAX_INSTRUCTION = 20_000
MAX_SECONDS = 366 * 24 * 60 * 60  # longest duration; a longer one is ignored
ONLY_SHOWN = (
    "From the history file of another installation. It is only shown: the next instruction begins a new session."
)


class _Line(msgspec.Struct, rename="camel"):
    """A line of an existing file; other fields are ignored. The first installations only had Claude Code."""

    id: str
    page_path: str
    instruction: str
    timestamp: datetime
    status: str = ""
    summary: str = ""
    output: str = ""
    duration: float | None = None
    runtime: str = "claude"


class EarlierSessions:
    """The sessions in the file, as it is now. All methods read the disk, so call them off the event loop.

    `titles`: the titles of runtimes, by name.
    """

    def __init__(self, root: Path, titles: dict[str, str]) -> None:
        self._root = root
        self._titles = titles
        self._seen: tuple[int, int] | None = None  # time and size of the file when it was read
        self._known: dict[str, SessionDetail] = {}

    def find(self, *, path: str | None, query: str | None, limit: int) -> list[SessionDetail]:
        """Return at most `limit` sessions of a document, or of all, newest first; empty if the file cannot be read.

        `query`: a text in instruction, answer or file name, in any case. Raises `Invalid` for a `path` that is none.
        """
        wanted, needle = None if path is None else "/".join(check(path)), (query or "").casefold()
        found = []
        for one in self._read().values():
            if wanted is not None and wanted not in places_of_page(one.session.path or ""):
                continue
            if any(needle in f"{run.instruction}\n{run.path}\n{_text(run)}".casefold() for run in one.runs):
                found.append(one)
        found.sort(key=lambda one: one.session.updated_at, reverse=True)
        return [self._placed(one) for one in found[:limit]]

    def get(self, id: str) -> SessionDetail | None:
        """Return a session; None if there is none, or if it cannot be read.

        `id`: that of the session, which is also the id of its run.
        """
        one = self._read().get(id) if is_earlier(id) else None
        return None if one is None else self._placed(one)

    def earlier_run(self, run_id: str) -> Run | None:
        """Return a run that another installation left, or None. `run_id`: its id here, not the one in the file.

        There is no check who may see it: the file belongs to the folder.
        """
        detail = self.get(run_id)
        return detail.runs[-1] if detail else None

    def _placed(self, one: SessionDetail) -> SessionDetail:
        """Return the session with the current path of its document. Pages were named without `.md` or `/index.md`."""
        page = one.session.path or ""
        path = next((place for place in places_of_page(page) if self._is_file(place)), page)
        return SessionDetail(
            session=msgspec.structs.replace(one.session, subject=DocumentSubject(path=path)),
            runs=tuple(msgspec.structs.replace(run, path=path) for run in one.runs),
        )

    def _is_file(self, path: str) -> bool:
        try:
            return is_file_below(self._root, path)
        except CabinetError:
            return False

    def _read(self) -> dict[str, SessionDetail]:
        path = self._root / PLACE
        try:
            state = path.stat()
            if self._seen != (state.st_mtime_ns, state.st_size):
                values = untrusted_files.last_values(path, limit=LOOKED_THROUGH_BYTES, beneath=self._root)
                sessions = (self._session(line) for value in values if (line := _line(value)) is not None)
                self._known = {one.session.id: one for one in sessions}
                self._seen = (state.st_mtime_ns, state.st_size)
        except OSError:
            self._seen, self._known = None, {}
        return self._known

    def _session(self, line: _Line) -> SessionDetail:
        id = PREFIX + hashlib.sha256(line.id.encode()).hexdigest()[:32]
        instruction = line.instruction[:MAX_INSTRUCTION]
        duration = line.duration if line.duration is not None and 0 <= line.duration < MAX_SECONDS else None
        begun = line.timestamp - timedelta(seconds=duration or 0)
        session = Session(
            id=id,
            subject=DocumentSubject(path=line.page_path),
            title=instruction.strip().splitlines()[0][:200],
            runtime="",  # it cannot be continued: the next instruction starts a new session
            owner="",
            visibility="server",  # the file belongs to the folder, not to one person
            created_at=begun,
            updated_at=line.timestamp,
        )
        run = Run(
            id=id,
            kind="editor",
            state="succeeded" if line.status == "completed" else "failed",
            instruction=instruction,
            path=line.page_path,
            runtime=line.runtime,
            runtime_title=self._titles.get(line.runtime, line.runtime),
            permission_mode="bypass",  # those installations had no other mode
            mode="headless",  # there is no terminal to show
            session_id=id,
            trigger=Trigger(kind="person", username="", display_name=""),
            owner="",
            visibility="server",
            result=RunResult(text=(line.output or line.summary)[:MAX_OUTPUT]),
            warnings=(ONLY_SHOWN,),
            queued_at=begun,
            started_at=begun,
            finished_at=line.timestamp,
            duration_seconds=duration,
        )
        return SessionDetail(session=session, runs=(run,))


def is_earlier(id: str | None) -> bool:
    """Return whether this is the id of a session or run that only exists in the history file."""
    return id is not None and id.startswith(PREFIX)


def _text(run: Run) -> str:
    return run.result.text if run.result else ""


def _line(value: object) -> _Line | None:
    """Decode a line. Return None if it is invalid, was written by this package, or cannot be shown."""
    try:
        line = msgspec.convert(value, _Line)
        check(line.page_path)
        line.id.encode(), line.instruction.encode(), line.output.encode(), line.summary.encode()
        if line.timestamp.tzinfo is None:
            line.timestamp = line.timestamp.replace(tzinfo=UTC)
        line.timestamp = line.timestamp.astimezone(UTC)  # raises `OverflowError` at the limits of the calendar
    except (msgspec.ValidationError, CabinetError, ValueError, OverflowError):
        return None
    return None if is_id(line.id) or not line.instruction.strip() else line
