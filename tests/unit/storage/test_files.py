"""Files that survive a crash: whole replacements, journals with a torn last line."""

import os
from pathlib import Path

import pytest

from jupyter_cabinet.core.errors import OutsideRoot
from jupyter_cabinet.core.redaction import Redactor
from jupyter_cabinet.execution.output import OutputJournal
from jupyter_cabinet.execution.raw_log import RawLog
from jupyter_cabinet.storage.filesystem import files, untrusted_files
from jupyter_cabinet.terminals.recording.recorder import _append


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
    assert list(untrusted_files.last_values(path, limit=1000)) == [{"n": 1}, {"n": 3}]
    assert b'"torn' in path.read_bytes()


def test_a_line_of_which_the_disk_takes_a_part_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr("os.write", lambda descriptor, data: write(descriptor, data[:3]))
    files.append_line(tmp_path / "journal", b"a long line")
    assert (tmp_path / "journal").read_bytes() == b"a long line\n"


def test_a_link_in_the_place_of_a_journal_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("")
    (tmp_path / "log.jsonl").symlink_to(tmp_path / "target")
    with pytest.raises(OSError):
        files.append_line(tmp_path / "log.jsonl", b"{}")


def test_a_file_with_another_name_is_not_appended_to_until_it_is_a_copy(tmp_path: Path) -> None:
    outside, journal = tmp_path / "outside", tmp_path / "log.jsonl"
    outside.write_text("theirs\n")
    os.link(outside, journal)
    with pytest.raises(OutsideRoot, match=r"log\.jsonl: it is a hard link.*Replace it with a copy"):
        files.append_line(journal, b"{}")
    assert outside.read_text() == "theirs\n"
    files.replace(journal, outside.read_bytes())
    files.append_line(journal, b"{}")
    assert (outside.read_text(), journal.read_text()) == ("theirs\n", "theirs\n{}\n")


async def test_no_journal_of_a_run_or_a_recording_is_appended_to_through_a_hard_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("theirs\n")
    for name in ("output.jsonl", "raw.log", "1.cast"):
        os.link(outside, tmp_path / name)
    for append in (
        lambda: OutputJournal(tmp_path / "output.jsonl", Redactor(())),
        lambda: RawLog(tmp_path / "raw.log", Redactor(())),
        lambda: _append(tmp_path / "1.cast", b"x"),
    ):
        with pytest.raises(OutsideRoot, match="hard link"):
            append()
    assert outside.read_text() == "theirs\n"
