"""What an isolated run leaves behind, also if somebody moves its folder meanwhile."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.execution.sandbox.folder_traces import FolderTraces
from jupyter_cabinet.sandboxes.view import SandboxView


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working folder, and beside it a home with files of the same names."""
    for name in ("work/.git", "home/.git", "home/.codex"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("home/.envrc", "home/HEAD", "home/.codex/config.toml", "home/a.code-workspace", "home/.git/commondir"):
        (tmp_path / name).write_text("mine")
    return tmp_path / "work"


def begin(folder: Path) -> FolderTraces:
    view = SandboxView(folder=str(folder), home="/nonexistent", fixed=(f"{folder}/.git/config",))
    return FolderTraces.begin(view, folder.parent / "aside")


def opened_below(folder: Path) -> list[str]:
    """What this process has open in `folder`; other tests of the same process may still be closing theirs."""
    targets = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            targets.append(descriptor.readlink())
    return [str(target) for target in targets if target.is_relative_to(folder)]


def files(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def test_what_could_act_later_is_moved_away(folder: Path) -> None:
    (folder / "HEAD").write_text("was there")
    traces = begin(folder)
    (folder / ".codex").mkdir(mode=0)
    (folder / "a.code-workspace").write_text("{}")
    (folder / ".git").chmod(0)
    warnings = traces.end()
    assert [warning.split(",")[0] for warning in warnings] == [
        f"The run created {folder}/.codex",
        f"The run created {folder}/a.code-workspace",
    ]
    assert sorted(path.name for path in folder.iterdir()) == [".git", "HEAD"]
    assert (folder / ".git").stat().st_mode & 0o700 == 0o700
    assert sorted(path.name for path in (folder.parent / "aside").glob("*/*")) == [".codex", "a.code-workspace"]


def test_files_of_a_folder_that_was_put_in_its_place_stay_there(folder: Path) -> None:
    home = folder.parent / "home"
    before = files(home)
    traces = begin(folder)
    (folder / ".envrc").write_text("bad")
    folder.rename(folder.parent / "moved")
    folder.symlink_to(home)
    home.chmod(0o500)
    warnings = traces.end()
    assert files(home) == before and home.stat().st_mode & 0o777 == 0o500
    assert f"{folder} was moved or removed while this isolated run worked in it." in warnings
    assert not (folder.parent / "moved" / ".envrc").exists(), "what the run itself created is moved away all the same"


def test_files_behind_a_link_in_the_folder_stay_there(folder: Path) -> None:
    traces = begin(folder)
    (folder / ".git").rmdir()
    (folder / ".git").symlink_to(folder.parent / "home" / ".git")
    traces.end()
    assert (folder.parent / "home" / ".git" / "commondir").read_text() == "mine"


def test_a_link_in_place_of_the_folder_is_refused(folder: Path) -> None:
    (folder.parent / "link").symlink_to(folder.parent)
    for linked in (folder.parent / "link", folder.parent / "link" / "work"):
        with pytest.raises(Unavailable):
            begin(linked)


def test_no_descriptor_stays_open(folder: Path) -> None:
    traces = begin(folder)
    assert opened_below(folder.parent), "or this test could not fail"
    traces.end()
    begin(folder).close()
    assert opened_below(folder.parent) == []


def test_a_name_that_agents_chose_cannot_draw_in_a_warning(folder: Path) -> None:
    traces = begin(folder)
    for name in (b"a\x1b[2J\n\nAll is well.code-workspace", b"\xff.code-workspace"):
        (folder / os.fsdecode(name)).write_text("{}")
    warnings = traces.end()
    assert len(warnings) == 2
    for warning in warnings:
        assert warning.encode() and "\x1b" not in warning and "\n" not in warning
