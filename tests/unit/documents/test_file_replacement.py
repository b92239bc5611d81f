"""A file is replaced only if it still has what was expected, up to the last moment."""

from pathlib import Path

import pytest

from jupyter_cabinet.documents import file_replacement
from jupyter_cabinet.documents.file_replacement import replace_unless_changed


@pytest.mark.parametrize("content", [b"short", b"longer than before"])
def test_the_file_stays_the_same_file_and_nothing_is_left_beside_it(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"before it")
    number = file.stat().st_ino
    assert replace_unless_changed(file, content, lambda found: found == b"before it")
    assert (file.read_bytes(), file.stat().st_ino) == (content, number)
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_written_while_the_copy_is_made_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"before")
    monkeypatch.setattr(file_replacement, "_copy", lambda *_: file.write_bytes(b"from the agent"))
    assert not replace_unless_changed(file, b"mine", lambda found: found == b"before")
    assert file.read_bytes() == b"from the agent"


@pytest.mark.parametrize("kind", ["link", "hard link", "to nothing"])
def test_a_link_at_the_name_of_the_copy_is_not_followed(tmp_path: Path, kind: str) -> None:
    work = tmp_path / "work"
    work.mkdir()
    file, outside = work / "a.ipynb", tmp_path / "settings.json"
    file.write_bytes(b"before")
    if kind != "to nothing":
        outside.write_bytes(b"private")
    (work / ".~a.ipynb").hardlink_to(outside) if kind == "hard link" else (work / ".~a.ipynb").symlink_to(outside)
    assert replace_unless_changed(file, b"after", lambda found: found == b"before")
    assert file.read_bytes() == b"after" and list(work.iterdir()) == [file]
    assert not outside.exists() if kind == "to nothing" else outside.read_bytes() == b"private"


def test_a_link_in_the_place_of_the_file_or_its_folder_is_refused(tmp_path: Path) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    for folder in (work, other):
        folder.mkdir()
    (other / "a.md").write_bytes(b"before")
    (work / "a.md").symlink_to(other / "a.md")
    (tmp_path / "linked").symlink_to(other)
    for place in (work / "a.md", tmp_path / "linked" / "a.md"):
        with pytest.raises(OSError, match=r"Not a directory|Too many"):
            replace_unless_changed(place, b"after", lambda _: True)
    assert (other / "a.md").read_bytes() == b"before"
