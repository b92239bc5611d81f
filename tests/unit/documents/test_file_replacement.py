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
    assert replace_unless_changed(str(file), content, lambda found: found == b"before it")
    assert (file.read_bytes(), file.stat().st_ino) == (content, number)
    assert list(tmp_path.iterdir()) == [file]


def test_what_is_written_while_the_copy_is_made_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.md"
    file.write_bytes(b"before")
    monkeypatch.setattr(file_replacement, "copy2_safe", lambda *_: file.write_bytes(b"from the agent"))
    assert not replace_unless_changed(str(file), b"mine", lambda found: found == b"before")
    assert file.read_bytes() == b"from the agent"
