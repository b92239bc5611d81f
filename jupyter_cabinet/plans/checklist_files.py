"""Reads and writes the checklists of plans, and the file of what was learnt beside each. Blocks.

Only marks change in a checklist: it is replaced as a whole, and only if nobody has written it since it was read.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path, PurePosixPath

from ..agents.files.safe_files import SafeFolder, disk_errors
from ..core.errors import Conflict, Invalid, Malformed, NotFound
from ..core.paths import check
from .model import Step
from .prompts import PROGRESS
from .rules.checklist import tasks_of, with_marks

MAX_BYTES = 1_000_000
MAX_LEARNT = 6_000  # characters of the newest entries that a task receives
NO_TASKS = "{path} has no task line. A task line is a list item with a box, such as “- [ ] Write the tests”."


class ChecklistFiles:
    """The checklists below a root directory. Links are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read(self, path: str) -> str:
        """Return the text of a checklist.

        Raises `Invalid` for a path that is not below the root and a file without a task, `Malformed` for a link, a
        folder, a file over 1 MB or one that is not UTF-8, and `NotFound`.
        """
        folder, name = self._place(path)
        content = folder.read(name, limit=MAX_BYTES)
        if content is None:
            raise NotFound(f"There is no file {path}.")
        try:
            text = content.decode()
        except UnicodeDecodeError:
            raise Malformed(f"{path} is not text in UTF-8.", file=path) from None
        if not tasks_of(text):
            raise Invalid(NO_TASKS.format(path=path), field="checklist")
        return text

    def is_missing(self, path: str) -> bool:
        """Return whether nothing has this path. False if that cannot be found out."""
        try:
            (self._root / path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError:
            return False
        return False

    def mark(self, path: str, text: str, marks: dict[str, str]) -> None:
        """Write marks into a checklist, and change nothing else in it. `text`: as it was read.

        Raises `Conflict` if it was written since or no longer exists, `Malformed` if it cannot be read, `OutsideRoot`
        for a link in the path, and `NoRoom` or `Unavailable` if it cannot be written.
        """
        after = with_marks(text, marks)
        folder, name = self._place(path)
        if folder.read(name, limit=MAX_BYTES) != text.encode():
            raise Conflict(f"{path} was changed in the meantime.")
        with disk_errors(path):
            mode = (folder.path / name).stat().st_mode & 0o777
            folder.write(name, after.encode(), mode=mode)

    def learnt(self, path: str) -> str:
        """Return the newest entries of the file of what was learnt, at most 6,000 characters.

        Empty if there is no such file, or if it cannot be read. Raises `Invalid` for a path that is not below the root.
        """
        folder, _ = self._place(path)
        try:
            content = folder.read(PROGRESS, limit=MAX_BYTES)
        except Malformed:
            return ""
        return (content or b"").decode(errors="replace")[-MAX_LEARNT:]

    def note(self, path: str, step: Step, text: str, *, now: datetime) -> None:
        """Add an entry about a task that has ended. A repeated call for the same run changes nothing.

        A file over half a megabyte loses its oldest entries. Raises `Malformed` if it cannot be read, `OutsideRoot` for
        a link in the path, and `NoRoom` or `Unavailable` if it cannot be written.
        """
        folder, _ = self._place(path)
        marker = f"<!-- {step.work_run_id} -->"
        before = (folder.read(PROGRESS, limit=MAX_BYTES) or b"").decode(errors="replace")
        if marker in before:
            return
        before = before[-(MAX_BYTES // 2) :] if len(before) > MAX_BYTES // 2 else before
        title = f"## {now:%Y-%m-%d %H:%M} {step.title}: {step.state} {marker}"
        gap = "" if not before or before.endswith("\n\n") else "\n" if before.endswith("\n") else "\n\n"
        with disk_errors(PROGRESS):
            folder.write(PROGRESS, f"{before}{gap}{title}\n\n{text.strip()}\n".encode())

    def _place(self, path: str) -> tuple[SafeFolder, str]:
        check(path, field="checklist")
        place = PurePosixPath(path)
        return SafeFolder(self._root, str(place.parent)), place.name
