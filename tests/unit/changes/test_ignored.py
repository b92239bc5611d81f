"""Which files are not compared: as git reads `.gitignore`, and what tools fill."""

from __future__ import annotations

import pytest

from jupyter_cabinet.changes.snapshots import ignored
from jupyter_cabinet.changes.snapshots.ignored import is_hidden, is_ignored, read

OUTER = read("", b"*.log\n/build/\n!keep.log\ndata/*\n!data/small.csv\n[\n")
INNER = read("sub/", b"!important.log\nlocal\n")


@pytest.mark.parametrize(
    ("path", "is_folder", "expected"),
    [
        ("a.log", False, True),
        ("keep.log", False, False),
        ("build", True, True),
        ("sub/build", True, False),
        ("sub/important.log", False, False),
        ("sub/other.log", False, True),
        ("sub/local", False, True),
        ("local", False, False),
        ("data/big.csv", False, True),
        ("data/small.csv", False, False),
        ("node_modules", True, True),
        ("node_modules", False, False),
        ("sub/__pycache__", True, True),
        ("a.py", False, False),
    ],
)
def test_as_git_reads_it(path: str, is_folder: bool, expected: bool) -> None:
    files = [OUTER, INNER] if path.startswith("sub/") else [OUTER]
    assert is_ignored(path, files, is_folder=is_folder) is expected


def test_a_pattern_that_nobody_understands_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_ignored("b.log", [read("", b"!\n\\\n///\n*.log\n")], is_folder=False)
    monkeypatch.setattr(ignored, "MOST_PATTERNS", 1)
    assert not is_ignored("b.log", [read("", b"x\n*.log\n")], is_folder=False)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (".git", True),
        ("sub/.git", True),
        (".cabinet", True),
        (".ipynb_checkpoints", True),
        (".agents/.history", True),
        (".agents/ada/memory", True),
        (".agents/ada/inbox", True),
        (".agents/ada/persona.md", False),
        (".gitignore", False),
        ("memory", False),
    ],
)
def test_what_is_not_even_listed(path: str, expected: bool) -> None:
    assert is_hidden(path) is expected


@pytest.mark.parametrize(
    "path", [".git/config", "a/.git/x", ".agents/.history/a", ".agents/ada/memory/x/y", ".cabinet"]
)
def test_what_is_below_a_hidden_folder_is_hidden(path: str) -> None:
    assert ignored.is_in_hidden(path)


@pytest.mark.parametrize("path", ["a/.agents/.history/b", "memory/a", ".agents/ada/b/memory", "git/a", "a"])
def test_what_is_elsewhere_is_not(path: str) -> None:
    assert not ignored.is_in_hidden(path)
