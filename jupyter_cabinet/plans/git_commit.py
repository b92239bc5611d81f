"""The program of a run of the kind `commit`: commits these files of a git repository, whatever else is staged there.

    python -I -S git_commit.py MARK MESSAGE PATH...

The last line of its output says what was committed, or why nothing was. Exit status: 0 if there is a commit, 2 if none
was possible, 1 if git has refused it, for example because of a hook, whose output comes before. Hooks are not switched
off. Uses only the standard library, and starts only git, without a shell.

MARK names the work whose files these are. Git writes it into the reflog together with the commit. If this program is
killed at any moment and started again with the same mark, it finds the commit there, and makes no second one. While it
works, it keeps a record in git's folder. Locks that a killed git process has left are removed only if the record proves
that this program had started that process.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

DONE, REFUSED, IMPOSSIBLE = 0, 1, 2
LOCKED_SECONDS = 60.0  # until another git process counts as one that has died
LOOK_AGAIN_SECONDS = 0.25
MAX_REFLOG = 1_000  # newest entries in which a commit is searched
RECORD = "jupyter-cabinet-commit-"  # start of the name of a record
BUSY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
LOCKED = "If no git process is at work in this repository, one has left it behind when it was killed: delete that file."
NO_NAME = 'git does not know your name. Set it with `git config --global user.name "…"` and the same for user.email.'


class NotCommitted(Exception):
    """Nothing was committed, and more work of an agent would not help. The text says why."""


def main(mark: str, message: str, paths: Sequence[str]) -> int:
    """Commit these files, print what happened, and return the exit status: 0, 1 or 2, as the module describes.

    The repository is that of the current folder. Waits at most 60 seconds for another git process to end. Files outside
    the repository, unchanged files and ignored ones are left out.
    """
    os.environ.update(GIT_TERMINAL_PROMPT="0", GIT_EDITOR="true")
    signal.signal(signal.SIGINT, _interrupted)
    try:
        said, status = _committed(mark, message, paths)
    except NotCommitted as problem:
        said, status = f"Not committed: {problem}", IMPOSSIBLE
    except KeyboardInterrupt:
        made = _made(Path.cwd(), mark)
        said, status = (made, DONE) if made else ("Stopped. Look in git whether the commit was made.", REFUSED)
    sys.stdout.write(f"{said}\n")
    return status


def _interrupted(*_: object) -> None:
    """Handle the first SIGINT. More of them may follow, which must not interrupt what is cleared up."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _committed(mark: str, message: str, paths: Sequence[str]) -> tuple[str, int]:
    top, folder = _repository()
    _clear_up(top, folder)
    if made := _made(top, mark):
        return made, DONE
    real = (Path(path).parent.resolve() / Path(path).name for path in paths)
    wanted = sorted({path.relative_to(top).as_posix() for path in real if path.is_relative_to(top)})
    changed, new = _changed(top, wanted)
    if not (changed or new):
        raise NotCommitted("git sees no change in the files of this step. They may be committed already, or ignored.")
    if _git(top, "ls-files", "--unmerged", "-z", "--", *_literal(changed)):
        raise NotCommitted("some of its files have conflicts of a merge.")
    if replaced := [path for path in changed if any(each.startswith(f"{path}/") for each in new)]:
        raise NotCommitted(f"{replaced[0]} is a folder now, and was a file. Commit it by hand.")
    _wait_for_lock(folder)
    status: int | None = None
    with _record(folder, {"mark": mark, "changed": changed, "new": new}) as record:
        try:
            if new:
                _git(top, "add", "--intent-to-add", "--", *_literal(new))
            status = _commit(top, folder, message, record)
        finally:
            if status != 0:
                _repair_index(top, folder, record.content)
    made = _made(top, mark)
    if status < 0 and not made:
        raise NotCommitted(f"git was ended by signal {-status}.")
    if status != 0 and not made:
        return "git refused the commit.", REFUSED
    return made or _said(top, "HEAD", len(changed) + len(new)), DONE


def _commit(top: Path, folder: Path, message: str, record: Record) -> int:
    """Return git's exit status; below 0: a signal has ended it. What hooks print goes to the output as it comes."""
    mark, files = record.content["mark"], [*record.content["changed"], *record.content["new"]]
    options = ("--only", "--quiet", "--cleanup=whitespace", "-m", message)
    command = ("git", "-C", str(top), "commit", *options, "--", *_literal(files))
    while True:
        # Git and its hooks inherit the record, so it stays locked as long as one of them is at work.
        environment = os.environ | {"GIT_REFLOG_ACTION": _action(mark)}
        git = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, pass_fds=(record.file.fileno(),))
        try:
            record.write(git=git.pid)
            status = git.wait()
        except KeyboardInterrupt:
            git.wait()  # it was interrupted too
            raise
        if status <= 0 or _made(top, mark) or not (folder / "index.lock").exists():
            return status
        _wait_for_lock(folder)  # another git process was faster


# --- after an interruption -------------------------------------------------------------------


def _action(mark: str) -> str:
    """Return what the reflog says of the commit. Git adds the subject."""
    return f"commit (step of a plan, {mark})"


def _made(top: Path, mark: str) -> str:
    """Return what was committed for this mark, as a sentence; empty if there is no such commit in HEAD's history."""
    options = (f"--max-count={MAX_REFLOG}", "--format=%H %gs", "--no-show-signature")
    try:
        entries = _git(top, "reflog", "show", *options, "HEAD", "--").splitlines()
    except NotCommitted:
        return ""  # there is no commit yet
    for entry in reversed(entries):
        commit, _, action = entry.partition(" ")
        if action.startswith(f"{_action(mark)}: ") and _is_in_head(top, commit):
            listed = _git(
                top, "diff-tree", "--root", "--no-commit-id", "--name-only", "--no-renames", "-r", "-z", commit
            )
            return _said(top, commit, listed.count("\0"))
    return ""


def _is_in_head(top: Path, commit: str) -> bool:
    """Return whether a commit is HEAD or one of its ancestors: git writes the reflog before it moves the branch."""
    try:
        _git(top, "merge-base", "--is-ancestor", commit, "HEAD")
    except NotCommitted:
        return False
    return True


def _said(top: Path, commit: str, count: int) -> str:
    name = _git(top, "rev-parse", "--short", commit).strip()
    return f"Committed {name}: {count} {'file' if count == 1 else 'files'}."


class Record:
    """What this program is doing, in a file of git's folder."""

    def __init__(self, file: TextIO, content: dict[str, Any]) -> None:
        self.file = file
        self.content = content

    def write(self, **more: Any) -> None:
        """Write the content, with additional values."""
        self.content |= more
        with suppress(OSError):  # a commit is possible without it
            self.file.seek(0)
            json.dump(self.content, self.file)
            self.file.truncate()
            self.file.flush()


@contextmanager
def _record(folder: Path, content: dict[str, Any]) -> Iterator[Record]:
    """Keep a record, locked. It is removed at the end, and stays if this program is killed. Raises `NotCommitted`."""
    path = folder / f"{RECORD}{time.time_ns()}"
    try:
        file = path.open("x", encoding="ascii")
    except OSError as problem:
        raise NotCommitted(f"git's folder cannot be written: {problem.strerror}.") from None
    with file:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(file, fcntl.LOCK_EX)
        try:
            record = Record(file, content)
            record.write()
            yield record
        finally:
            path.unlink(missing_ok=True)


def _clear_up(top: Path, folder: Path) -> None:
    """Remove what earlier processes of this program have left in git's folder when they were killed.

    A lock is only removed if it certainly belonged to a git process of theirs that is gone.
    """
    for path in sorted(folder.glob(f"{RECORD}*")):
        with path.open(encoding="ascii") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left = json.load(file)
            except OSError:
                continue  # its program works, or the file system has no locks
            except ValueError:
                left = {}  # killed before it began
            _repair_index(top, folder, left, later=True)
            path.unlink(missing_ok=True)


def _repair_index(top: Path, folder: Path, left: dict[str, Any], *, later: bool = False) -> None:
    """Finish or undo in the index what an ended git process has begun. `left`: the content of its record.

    If the branch has the commit, git would have updated the index next. `later`: people may have staged something
    since, so that is only done if the lock of the index was left behind.
    """
    was_locked = _remove_locks(folder, left.get("git", 0))
    if (was_locked or not later) and _made(top, left.get("mark", "")):
        files = [*left["changed"], *left["new"]]
    else:
        files = _announced(top, left.get("new", ()))
    if files:
        _wait_for_lock(folder)
        _git(top, "reset", "--quiet", "--", *_literal(files))


def _remove_locks(folder: Path, pid: int) -> bool:
    """Remove the locks of the index that a killed git process has left, and return whether there were any.

    With `--only`, git first creates `index.lock`, and then another one with its pid in its name. A lock that is younger
    belongs to another process.
    """
    own, lock = folder / f"next-index-{pid}.lock", folder / "index.lock"
    try:
        is_own = lock.stat().st_mtime_ns <= own.stat().st_mtime_ns
    except FileNotFoundError:
        is_own = False
    for each in (own, own.with_name(f"{own.name}.lock"), *((lock,) if is_own else ())):  # the second one: of a hook
        each.unlink(missing_ok=True)
    return is_own


def _announced(top: Path, new: Sequence[str]) -> list[str]:
    """Return those of these files that are in the index without content."""
    if not new:
        return []
    found = _git(top, "diff", "--name-only", "--diff-filter=A", "--no-ext-diff", "-z", "--", *_literal(new))
    return [path for path in found.split("\0") if path]


# --- git -------------------------------------------------------------------------------------


def _wait_for_lock(folder: Path) -> None:
    """Wait until no other git process writes the index. Raises `NotCommitted`."""
    ends = time.monotonic() + LOCKED_SECONDS
    while (folder / "index.lock").exists():
        if time.monotonic() > ends:
            raise NotCommitted(f"{folder / 'index.lock'} exists. {LOCKED}")
        time.sleep(LOOK_AGAIN_SECONDS)


def _repository() -> tuple[Path, Path]:
    """Return the top folder of the repository, and its git folder. Raises `NotCommitted` if no commit is possible."""
    here = Path.cwd()
    try:
        inside = _git(here, "rev-parse", "--is-inside-work-tree").strip() == "true"
    except FileNotFoundError:
        raise NotCommitted("git is not installed.") from None
    except NotCommitted as problem:
        if "not a git repository" not in str(problem):
            raise
        inside = False
    if not inside:
        raise NotCommitted("this folder belongs to no git repository.")
    folder = Path(_git(here, "rev-parse", "--absolute-git-dir").rstrip("\n"))
    for name, what in BUSY.items():
        if (folder / name).exists():
            raise NotCommitted(f"{what} is in progress in the repository.")
    try:
        _git(here, "var", "GIT_COMMITTER_IDENT")
    except NotCommitted:
        raise NotCommitted(NO_NAME) from None
    return Path(_git(here, "rev-parse", "--show-toplevel").rstrip("\n")), folder


def _changed(top: Path, wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return those of these files that differ from the last commit, and those that git does not know yet.

    Ignored files are left out, and those of a repository inside this one, which git shows as a folder.
    """
    if not wanted:
        return [], []
    try:
        base = _git(top, "rev-parse", "--verify", "--quiet", "HEAD").strip()
    except NotCommitted:
        base = _git(top, "hash-object", "-t", "tree", os.devnull).strip()  # there is no commit yet
    names = ("--", *_literal(wanted))
    options = ("--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all")
    differing = _git(top, "diff", *options, base, *names).split("\0")
    unknown = _git(top, "ls-files", "--others", "--exclude-standard", "-z", *names).split("\0")
    return [path for path in differing if path in wanted], [path for path in unknown if path in wanted]


def _literal(paths: Sequence[str]) -> list[str]:
    """Return pathspecs that mean these files only, from the top folder. Not a variable: hooks would inherit that."""
    return [f":(top,literal){path}" for path in paths]


def _git(folder: Path, *arguments: str) -> str:
    """Return what a git command prints. Raises `NotCommitted` with git's own words, `FileNotFoundError`."""
    done = subprocess.run(
        ("git", "-C", str(folder), *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=os.environ | {"LC_ALL": "C"},
    )
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or [f"git ended with {done.returncode}"]
        text = next((line for line in words if line.startswith("fatal: ")), words[0]).removeprefix("fatal: ")
        more = ". Call `git status` there: git says what to do." if "dubious ownership" in text else ""
        raise NotCommitted(f"{text}{more}")
    return os.fsdecode(done.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
