"""The name under which isolated runs commit."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_cabinet.execution.sandbox.git_identity import git_identity


def test_name_and_address_are_read_from_both_files_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".config" / "git").mkdir(parents=True)
    (tmp_path / ".config" / "git" / "config").write_text("[user]\n\tname = Old\n\temail = ada@example.com\n")
    (tmp_path / ".gitconfig").write_text('[user]\n\tname = "Ada L."\n[credential]\n\thelper = store\n')
    assert git_identity({"HOME": str(tmp_path)}) == {
        "GIT_AUTHOR_NAME": "Ada L.",
        "GIT_COMMITTER_NAME": "Ada L.",
        "GIT_AUTHOR_EMAIL": "ada@example.com",
        "GIT_COMMITTER_EMAIL": "ada@example.com",
    }


@pytest.mark.parametrize("content", ["", "[", "[user]\nname\n", "\0\xff", "[user]\n\tname = a\\qb\n"])
def test_a_configuration_that_makes_no_sense_is_ignored(tmp_path: Path, content: str) -> None:
    (tmp_path / ".gitconfig").write_text(content)
    assert git_identity({"HOME": str(tmp_path)}).get("GIT_AUTHOR_EMAIL") is None
    assert git_identity({}) == {}
