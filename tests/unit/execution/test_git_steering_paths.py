"""Where git takes hooks and settings from, beside what git itself says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from jupyter_cabinet.execution.sandbox.git_steering_paths import git_steering_paths


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    (tmp_path / "work").mkdir()
    git(tmp_path / "work", home, "init", "--quiet")
    return tmp_path / "work"


def git(folder: Path, home: Path, *arguments: str) -> str:
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(("git", *arguments), cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def found(folder: Path, home: Path) -> set[str]:
    return set(git_steering_paths(folder, {"HOME": str(home)}))


def test_a_repository_without_such_settings_has_none(folder: Path, home: Path) -> None:
    assert found(folder, home) == set()


@pytest.mark.parametrize("written", [".githooks", "./tools/../.githooks/", "{folder}/.githooks"])
def test_the_folder_of_hooks_is_found_as_git_finds_it(folder: Path, home: Path, written: str) -> None:
    git(folder, home, "config", "core.hooksPath", written.format(folder=folder))
    named = folder / git(folder, home, "rev-parse", "--git-path", "hooks")
    assert {(folder / name).resolve() for name in found(folder, home)} == {named.resolve()}


def test_the_persons_own_configuration_counts_too(folder: Path, home: Path) -> None:
    git(folder, home, "config", "--global", "core.hooksPath", "hooks-of-all")
    assert found(folder, home) == {"hooks-of-all"}
    (home / ".config" / "git").mkdir(parents=True)
    (home / ".config" / "git" / "config").write_text("[core]\n\thooksPath = of-the-other-file\n")
    assert found(folder, home) == {"hooks-of-all", "of-the-other-file"}


def test_files_that_include_one_another_are_followed(folder: Path, home: Path) -> None:
    git(folder, home, "config", "include.path", "../.gitconfig")
    (folder / ".gitconfig").write_text('[includeIf "gitdir:/elsewhere/"]\n\tpath = more/settings\n')
    (folder / "more").mkdir()
    (folder / "more" / "settings").write_text("[CORE]\n\thookspath = .hidden\n[include]\n\tpath = ../.gitconfig\n")
    assert found(folder, home) == {".gitconfig", "more/settings", ".hidden"}


def test_a_working_folder_within_a_repository_has_what_is_in_it(folder: Path, home: Path) -> None:
    (folder / "sub").mkdir()
    git(folder, home, "config", "core.hooksPath", "sub/hooks")
    git(folder, home, "config", "include.path", "../top-settings")
    assert found(folder / "sub", home) == {"hooks"}


def test_a_linked_work_tree_has_the_settings_of_its_repository(folder: Path, home: Path) -> None:
    git(folder, home, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "a")
    git(folder, home, "worktree", "add", "--quiet", str(folder.parent / "tree"))
    git(folder, home, "config", "core.hooksPath", ".githooks")
    assert found(folder.parent / "tree", home) == {".githooks"}
    git(folder, home, "config", "extensions.worktreeConfig", "true")
    git(folder.parent / "tree", home, "config", "--worktree", "core.hooksPath", ".own")
    assert found(folder.parent / "tree", home) == {".githooks", ".own"}


@pytest.mark.parametrize("value", [".", "..", "/etc/hooks", "~/hooks", "a\0b"])
def test_what_is_elsewhere_or_the_folder_itself_is_left_out(folder: Path, home: Path, value: str) -> None:
    (folder / ".git" / "config").write_text(f"[core]\n\thooksPath = {value}\n")
    assert found(folder, home) == set()


@pytest.mark.parametrize(
    "content", [b"\xff\xfe[core", b"[core]\nhooksPath", b"[include]\npath = config\n", b"[" * 99999]
)
def test_a_damaged_configuration_harms_nothing(folder: Path, home: Path, content: bytes) -> None:
    (folder / ".git" / "config").write_bytes(content)
    assert found(folder, home) <= {"true", ".git/config"}
