"""The program of a run of the kind `commit`: commits these files of a git repository, whatever else is staged there.

    python -I -S git_commit.py MESSAGE PATH...

The last line of its output says what was committed, or why nothing was. Exit status: 0 if there is a commit, 2 if none
was possible, 1 if git has refused it, for example because of a hook, whose output comes before. Hooks are not switched
off. Uses only the standard library, and starts only git, without a shell.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

DONE, REFUSED, IMPOSSIBLE = 0, 1, 2
LOCKED_SECONDS = 60.0  # until another git process counts as one that has died
LOOK_AGAIN_SECONDS = 0.25
BUSY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
}
NO_NAME = 'git does not know your name. Set it with `git config --global user.name "…"` and the same for user.email.'


class NotCommitted(Exception):
    """Nothing was committed, and more work of an agent would not help. The text says why."""


def main(message: str, paths: Sequence[str]) -> int:
    """Commit these files, print what happened, and return the exit status."""
    os.environ.update(GIT_TERMINAL_PROMPT="0", GIT_EDITOR="true")
    try:
        said, status = _committed(message, paths)
    except NotCommitted as problem:
        said, status = f"Not committed: {problem}", IMPOSSIBLE
    except KeyboardInterrupt:
        said, status = "Stopped. Look in git whether the commit was made.", REFUSED
    sys.stdout.write(f"{said}\n")
    return status


def _committed(message: str, paths: Sequence[str]) -> tuple[str, int]:
    top, folder = _repository()
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
    is_made = False
    try:
        if new:
            _git(top, "add", "--intent-to-add", "--", *_literal(new))
        is_made = _commit(top, folder, message, [*changed, *new])
    finally:
        if new and not is_made:
            _git(top, "reset", "--quiet", "--", *_literal(new))
    if not is_made:
        return "git refused the commit.", REFUSED
    count = len(changed) + len(new)
    name = _git(top, "rev-parse", "--short", "HEAD").strip()
    return f"Committed {name}: {count} {'file' if count == 1 else 'files'}.", DONE


def _commit(top: Path, folder: Path, message: str, files: Sequence[str]) -> bool:
    """Return whether git has made the commit. What hooks print goes to the output as it comes."""
    options = ("--only", "--quiet", "--cleanup=whitespace", "-m", message)
    command = ("git", "-C", str(top), "commit", *options, "--", *_literal(files))
    while True:
        if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode == 0:
            return True
        if not (folder / "index.lock").exists():
            return False
        _wait_for_lock(folder)  # another git process was faster


def _wait_for_lock(folder: Path) -> None:
    """Wait until no other git process writes the index. Raises `NotCommitted`."""
    ends = time.monotonic() + LOCKED_SECONDS
    while (folder / "index.lock").exists():
        if time.monotonic() > ends:
            raise NotCommitted(f"another git process holds {folder / 'index.lock'}, or one has left it behind.")
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
    sys.exit(main(sys.argv[1], sys.argv[2:]))
