"""What lies in the way on disk: links, pipes, long and odd names, a folder that cannot be written."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from jupyter_cabinet.core.errors import Invalid, NotFound, OutsideRoot, Unavailable
from jupyter_cabinet.core.paths import is_file_below, resolve_below
from jupyter_cabinet.editor import history
from jupyter_cabinet.editor.completion import FileIndex
from jupyter_cabinet.editor.model import HistoryLine
from jupyter_cabinet.storage.filesystem import files
from jupyter_cabinet.storage.filesystem.private_folders import private_folder

LINE = HistoryLine(
    id="1", page_path="a", instruction="i", timestamp="t", duration=1, status="completed", summary="s", output="o"
)


def test_names_that_are_too_long_and_links_in_a_circle_are_refused_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(Invalid):
        resolve_below(tmp_path, "a" * 300)
    for path in ("circle", "circle/x"):
        with pytest.raises(NotFound):
            is_file_below(tmp_path, path)
    assert not is_file_below(tmp_path, "a/" * 2040 + "b")  # longer than the system takes, with the root before it


def test_a_name_that_is_no_text_does_not_break_completion(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text("x")
    with open(os.fsencode(tmp_path) + b"/caf\xe9.md", "w"):  # noqa: PTH123  # a name that pathlib cannot spell
        pass
    assert [mention.path for mention in FileIndex(tmp_path).search("", 10)] == ["good.md"]


@pytest.mark.parametrize("place", ["outside", "root/.cabinet"])
def test_history_that_leads_out_of_the_root_or_into_the_records_makes_nothing_there(tmp_path: Path, place: str) -> None:
    root, outside = tmp_path / "root", tmp_path / place
    root.mkdir()
    outside.mkdir()
    (root / ".agents").symlink_to(outside)
    with pytest.raises(OutsideRoot):
        history.append(root, LINE)
    assert not list(outside.iterdir())


def test_history_is_not_appended_through_a_hard_link(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("theirs\n")
    os.link(tmp_path / "outside", journal(tmp_path))
    with pytest.raises(OutsideRoot, match="hard link"):
        history.append(tmp_path, LINE)
    assert (tmp_path / "outside").read_text() == "theirs\n"


@pytest.mark.timeout(10)
def test_a_pipe_in_place_of_a_journal_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises((Unavailable, OSError)):
        files.append_line(tmp_path / "pipe", b"x")


def journal(root: Path) -> Path:
    path = root / history.PLACE
    path.parent.mkdir(parents=True)
    return path


def test_a_history_of_nothing_but_size_is_not_read_whole_and_takes_the_next_line(tmp_path: Path) -> None:
    path = journal(tmp_path)
    with path.open("wb") as file:
        file.truncate(3 << 30)
    tracemalloc.start()
    history.append(tmp_path, LINE)
    history.append(tmp_path, msgspec.structs.replace(LINE, id="2"))
    history.append(tmp_path, LINE)  # once more, as after a crash: it is there already
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10 * history.LOOKED_THROUGH_BYTES
    with path.open("rb") as file:
        file.seek(3 << 30)
        lines = file.read().splitlines()
    assert [msgspec.json.decode(line)["id"] for line in lines if line] == ["1", "2"]


@pytest.mark.timeout(10)
@pytest.mark.parametrize("plant", ["pipe", "folder", "link", "device"])
def test_what_stands_in_the_historys_place_is_said_in_a_sentence_and_the_next_line_is_kept(
    tmp_path: Path, plant: str
) -> None:
    path = journal(tmp_path)
    (tmp_path / "mine").write_text("mine")
    {
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "link": lambda: path.symlink_to(tmp_path / "mine"),
        "device": lambda: path.symlink_to("/dev/zero"),
    }[plant]()
    with pytest.raises((Unavailable, OutsideRoot), match="editor-sessions"):
        history.append(tmp_path, LINE)
    assert (tmp_path / "mine").read_text() == "mine"
    path.rmdir() if plant == "folder" else path.unlink()
    history.append(tmp_path, LINE)
    assert msgspec.json.decode(path.read_bytes())["id"] == "1"


def test_lines_that_hold_anything_do_not_keep_the_next_one_out(tmp_path: Path) -> None:
    path = journal(tmp_path)
    path.write_bytes(b"[" * 100_000 + b'\n5\n"1"\n{"id": {"a": 1}}\n\xff\xfe\n{"id": 1}\n')
    history.append(tmp_path, LINE)
    assert msgspec.json.decode(path.read_bytes().splitlines()[-1])["id"] == "1"


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="cannot be created"):
        private_folder(tmp_path / "file" / "below")
