"""The program of a run of the kind `commit`: commits these files of a git repository, whatever else is staged there.

    python -I -S git_commit.py MESSAGE PATH...

The last line of its output says what was committed, or why nothing was. It exits with 1 only if git has refused the
commit, for example because of a hook, whose output comes before. Hooks are not switched off. Uses only the standard
library, and starts only git, without a shell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

LOCK_TRIES = 10
LOCK_SECONDS = 0.5  # between two tries while another git process writes the index
UNMERGED = ("DD", "AU", "UD", "UA", "DU", "AA", "UU")
BUSY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
NO_NAME = 'git has no name for you. Set it with `git config --global user.name "…"` and the same for user.email.'


class NotCommitted(Exception):
    """Nothing was committed, and more work of an agent would not help. The text says why."""


def main(message: str, paths: Sequence[str]) -> int:
    """Commit these files, print what happened, and return the exit status."""
    os.environ.update(GIT_TERMINAL_PROMPT="0", GIT_EDITOR="true", GIT_LITERAL_PATHSPECS="1")
    try:
        said, status = _committed(message, paths)
    except NotCommitted as problem:
        said, status = f"Not committed: {problem}", 0
    sys.stdout.write(f"{said}\n")
    return status


def _committed(message: str, paths: Sequence[str]) -> tuple[str, int]:
    _check_repository()
    found = _changed(paths)
    if not found:
        raise NotCommitted("git sees no change in the files of this step. They may be committed already, or ignored.")
    new = [path for path, state in found.items() if state == "??"]
    if new:
        _git("add", "--intent-to-add", "--", *new)
    commit = ("commit", "--only", "--quiet", "--cleanup=whitespace", "-m", message, "--", *found)
    for left in reversed(range(LOCK_TRIES)):
        done = subprocess.run(("git", *commit), stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode == 0 or b"index.lock" not in done.stderr or not left:
            break
        time.sleep(LOCK_SECONDS)
    sys.stdout.flush()
    sys.stdout.buffer.write(done.stdout + done.stderr)
    if done.returncode == 0:
        files = "1 file" if len(found) == 1 else f"{len(found)} files"
        return f"Committed {_git('rev-parse', '--short', 'HEAD').strip()}: {files}.", 0
    if new:
        _git("reset", "--quiet", "--", *new)
    if b"index.lock" in done.stderr:
        raise NotCommitted("another git process holds the lock of the repository.")
    return "git refused the commit.", 1


def _check_repository() -> None:
    """Raise `NotCommitted` if nothing can be committed here."""
    try:
        inside = _git("rev-parse", "--is-inside-work-tree").strip() == "true"
    except FileNotFoundError:
        raise NotCommitted("git is not installed.") from None
    except NotCommitted as problem:
        if "not a git repository" not in str(problem):
            raise
        inside = False
    if not inside:
        raise NotCommitted("this folder belongs to no git repository.")
    folder = Path(_git("rev-parse", "--absolute-git-dir").rstrip("\n"))
    for name, what in BUSY.items():
        if (folder / name).exists():
            raise NotCommitted(f"{what} is in progress in the repository.")
    try:
        _git("var", "GIT_COMMITTER_IDENT")
    except NotCommitted:
        raise NotCommitted(NO_NAME) from None


def _changed(paths: Sequence[str]) -> dict[str, str]:
    """Return those of these files that differ from the last commit, absolute, with git's two letters for each.

    Files outside the repository are left out, and those of a repository inside it, which git shows as a folder.
    """
    top = Path(_git("rev-parse", "--show-toplevel").rstrip("\n"))
    real = (Path(path).parent.resolve() / Path(path).name for path in paths)
    wanted = {str(path) for path in real if path.is_relative_to(top)}
    if not wanted:
        return {}
    status = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", *sorted(wanted))
    found = {}
    for entry in _git(*status).split("\0"):
        state, path = entry[:2], str(top / entry[3:])
        if path in wanted:
            if state in UNMERGED:
                raise NotCommitted(f"{entry[3:]} has conflicts of a merge.")
            found[path] = state
    return found


def _git(*arguments: str) -> str:
    """Return what a git command prints. Raises `NotCommitted` with git's own words, `FileNotFoundError`."""
    done = subprocess.run(
        ("git", *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        env=os.environ | {"LC_ALL": "C"},
    )
    if done.returncode:
        words = done.stderr.decode(errors="replace").strip().splitlines() or [f"git ended with {done.returncode}"]
        raise NotCommitted(words[-1].removeprefix("fatal: "))
    return os.fsdecode(done.stdout)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
