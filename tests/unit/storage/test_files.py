"""Files that survive a crash: whole replacements, journals with a torn last line."""

from pathlib import Path

import pytest

from jupyter_cabinet.storage import files, foreign


def test_a_replacement_is_whole_private_and_leaves_no_rest(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    files.replace(path, b"one")
    files.replace(path, b"two")
    assert path.read_bytes() == b"two" and path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["a.json"]


def test_a_replacement_that_fails_keeps_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    files.replace(path, b"one")
    monkeypatch.setattr("os.fsync", _no_space)
    with pytest.raises(OSError):
        files.replace(path, b"two")
    assert path.read_bytes() == b"one" and len(list(tmp_path.iterdir())) == 1


def _no_space(descriptor: int) -> None:
    raise OSError(28, "No space left on device")


def test_a_torn_last_line_is_kept_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    files.append_line(path, b'{"n": 1}')
    with path.open("ab") as file:
        file.write(b'{"n": 2, "torn')
    files.append_line(path, b'{"n": 3}')
    assert list(foreign.last_values(path, limit=1000)) == [{"n": 1}, {"n": 3}]
    assert b'"torn' in path.read_bytes()


def test_a_link_in_the_place_of_a_journal_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("")
    (tmp_path / "log.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(OSError):
        files.append_line(tmp_path / "log.jsonl", b"{}")
