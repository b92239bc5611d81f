"""The program that commits: what it does with what killed git processes have left, and how it finds its own commit."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from pathlib import Path

import pytest

from jupyter_cabinet.plans import git_commit
from jupyter_cabinet.plans.git_commit import DONE, RECORD, NotCommitted

PID = 4_000_000  # above all that a system gives


def git(root: Path, *arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, and a file that is not committed, as the working directory."""
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "Ada")
    git(tmp_path, "config", "user.email", "ada@example.org")
    (tmp_path / "old.txt").write_text("one\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "Begin")
    (tmp_path / "old.txt").write_text("two\n")
    (tmp_path / "new.txt").write_text("x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(git_commit, "LOCKED_SECONDS", 0.0)
    for name in ("GIT_TERMINAL_PROMPT", "GIT_EDITOR"):  # the program sets them
        monkeypatch.setenv(name, "")
    monkeypatch.setattr(git_commit.signal, "signal", lambda *_: None)  # an interrupt is for pytest
    return tmp_path


def commit(root: Path, mark: str = "m1") -> tuple[str, int]:
    return git_commit._committed(mark, "Write", [str(root / "old.txt"), str(root / "new.txt")])


def hook(root: Path, name: str, body: str) -> None:
    path = root / ".git" / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def left_behind(root: Path) -> tuple[Path, Path, Path]:
    """The lock of the index, the other lock and the record of a program that was killed."""
    folder = root / ".git"
    lock, own, record = folder / "index.lock", folder / f"next-index-{PID}.lock", folder / f"{RECORD}1"
    record.write_text(json.dumps({"mark": "m0", "changed": ["old.txt"], "new": [], "git": PID}))
    lock.touch()
    own.touch()
    return lock, own, record


def subjects(root: Path) -> list[str]:
    return git(root, "log", "--format=%s").splitlines()


def test_a_lock_that_our_killed_process_has_left_is_removed(root: Path) -> None:
    left = left_behind(root)
    assert commit(root)[1] == DONE
    assert not any(each.exists() for each in left) and git(root, "status", "--porcelain") == ""


def test_a_lock_of_unknown_origin_stays_and_the_reason_says_what_to_do(root: Path) -> None:
    lock = root / ".git" / "index.lock"
    lock.touch()
    with pytest.raises(NotCommitted, match=r"index\.lock exists\. If no git process is at work .* delete that file"):
        commit(root)
    assert lock.exists()


def test_a_lock_that_is_younger_than_our_killed_process_stays(root: Path) -> None:
    lock, own, record = left_behind(root)
    os.utime(lock, (lock.stat().st_mtime + 1,) * 2)
    with pytest.raises(NotCommitted, match="exists"):
        commit(root)
    assert lock.exists() and not own.exists() and not record.exists()


def test_a_lock_stays_as_long_as_its_program_works(root: Path) -> None:
    left = left_behind(root)
    with left[-1].open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(NotCommitted, match="exists"):
            commit(root)
    assert all(each.exists() for each in left)


def test_a_record_that_is_damaged_does_no_harm(root: Path) -> None:
    (root / ".git" / f"{RECORD}1").write_text('{"mark": "m')
    assert commit(root)[1] == DONE and not list((root / ".git").glob(f"{RECORD}*"))


def test_the_same_work_is_committed_once_even_if_its_files_have_changed_since(root: Path) -> None:
    first = commit(root)
    (root / "old.txt").write_text("by a person\n")
    assert commit(root) == first and first[0].endswith(": 2 files.")
    assert subjects(root) == ["Write", "Begin"]
    said, status = commit(root, "m2")
    assert (said[-9:], status, subjects(root)) == (": 1 file.", DONE, ["Write", "Write", "Begin"])


def test_a_commit_that_is_not_in_the_history_any_more_does_not_count(root: Path) -> None:
    commit(root)
    git(root, "reset", "-q", "--soft", "HEAD~1")
    assert commit(root)[1] == DONE and subjects(root) == ["Write", "Begin"]


def test_a_commit_that_a_hook_has_amended_is_found(root: Path) -> None:
    hook(root, "post-commit", "test -e amended && exit 0\ntouch amended\ngit commit -q --amend -m Amended")
    said, _ = commit(root)
    assert subjects(root) == ["Amended", "Begin"]
    assert said == commit(root)[0] == f"Committed {git(root, 'rev-parse', '--short', 'HEAD').strip()}: 2 files."


@pytest.mark.parametrize(
    ("name", "said", "log", "after"),
    [
        ("pre-commit", "Not committed: git was ended by signal 9.", ["Begin"], [" M old.txt", "?? new.txt"]),
        ("reference-transaction", "Committed ", ["Write", "Begin"], []),
        ("post-commit", "Committed ", ["Write", "Begin"], []),
    ],
)
def test_a_git_process_that_is_killed_leaves_nothing_behind(
    root: Path, capfd: pytest.CaptureFixture[str], name: str, said: str, log: list[str], after: list[str]
) -> None:
    only = 'test "$1" = committed || exit 0; grep -q refs/heads || exit 0; ' if name == "reference-transaction" else ""
    hook(root, name, f"{only}kill -9 $PPID")
    git_commit.main("m1", "Write", [str(root / "old.txt"), str(root / "new.txt")])
    assert capfd.readouterr().out.startswith(said)
    assert subjects(root) == log
    assert git(root, "status", "--porcelain").splitlines() == after
    assert not [path for path in (root / ".git").iterdir() if "lock" in path.name or path.name.startswith(RECORD)]
