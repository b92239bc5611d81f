"""Which files of a call JupyterLab can open."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.runtimes.requested_actions import Command, Edit, ToolUse
from jupyter_cabinet.transcripts.timeline.opened_documents import documents_of


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    (made / "sub").mkdir(parents=True)
    (made / "a.md").touch()
    (made / "sub" / "b c.py").touch()
    (tmp_path / "outside.md").touch()
    return made


def test_an_existing_file_below_the_root_is_opened_by_its_path_there(root: Path) -> None:
    named = Edit(paths=(str(root / "a.md"), "b c.py", "../a.md"))
    assert documents_of(named, str(root / "sub"), root) == {
        str(root / "a.md"): "a.md",
        "b c.py": "sub/b c.py",
        "../a.md": "a.md",
    }
    assert documents_of(ToolUse(tool="read", paths=("a.md",)), str(root), root) == {"a.md": "a.md"}


def test_nothing_else_is_opened(root: Path) -> None:
    names = ("gone.md", "sub", "../outside.md", "a\0b", "x" * 5000, "")
    assert documents_of(Edit(paths=names), str(root), root) == {}
    assert documents_of(Edit(paths=("a.md",)), "", root) == {}
    assert documents_of(Command(text="cat a.md"), str(root), root) == {}
    assert documents_of(None, str(root), root) == {}
