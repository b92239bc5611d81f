"""A contents manager that works at once, without a loop, keeps the records as the others do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from tornado.web import HTTPError

from jupyter_cabinet.storage.filesystem.hidden_state import HiddenState
from jupyter_cabinet.web.jupyter.guard import guarded_files, hide_from_contents

NEW = {"type": "file", "format": "text", "content": "new"}


@pytest.fixture
def contents(tmp_path: Path) -> LargeFileManager:
    (tmp_path / ".cabinet" / "runs").mkdir(parents=True)
    (tmp_path / ".cabinet" / "runs" / "a.txt").write_text("secret")
    (tmp_path / "mine.txt").write_text("mine")
    manager = LargeFileManager(root_dir=str(tmp_path), allow_hidden=True)
    hide_from_contents(manager, HiddenState(tmp_path))
    return manager


@pytest.mark.parametrize("make", [os.symlink, os.link])
def test_it_neither_reads_writes_nor_copies_a_record(contents: LargeFileManager, tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    record = tmp_path / ".cabinet" / "runs" / "a.txt"
    (tmp_path / "folder").mkdir()
    make(record, tmp_path / "folder" / "a.txt")
    for ask in (
        lambda: contents.get("folder/a.txt"),
        lambda: contents.save(dict(NEW), "folder/a.txt"),
        lambda: contents.copy("folder/a.txt", "other.txt"),
        lambda: contents.copy("folder", ""),
        lambda: contents.create_checkpoint("folder/a.txt"),
    ):
        with pytest.raises(HTTPError) as refused:
            ask()
        assert refused.value.status_code == 404
    assert record.read_text() == "secret" and contents.get("mine.txt")["content"] == "mine"
    assert contents.save(dict(NEW), "mine.txt")["name"] == "mine.txt"


def test_a_listing_is_whole_but_for_the_records(contents: LargeFileManager, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(".cabinet")
    assert [each["name"] for each in contents.get("")["content"]] == ["mine.txt"]


def test_a_root_behind_a_link_and_one_below_a_folder_of_that_name_are_roots(tmp_path: Path) -> None:
    real = tmp_path / ".cabinet" / "project"
    (real / ".cabinet").mkdir(parents=True)
    (real / "a.txt").write_text("a")
    (tmp_path / "linked").symlink_to(real)
    hidden = HiddenState(tmp_path / "linked")
    assert not hidden.holds(str(tmp_path / "linked" / "a.txt")) and not hidden.holds(str(real / "a.txt"))
    assert hidden.leads_in(str(tmp_path / "linked" / ".cabinet" / "new.txt"))


def test_contents_that_lie_elsewhere_are_left_as_they_are(tmp_path: Path) -> None:
    class Elsewhere:
        files_handler_class = None

    hide_from_contents(Elsewhere(), HiddenState(tmp_path))
    assert guarded_files(Elsewhere(), HiddenState(tmp_path)) == []
