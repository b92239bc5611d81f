"""Folders and archives of skills that somebody else has made: what cannot be shown to a person is never read as one."""

from __future__ import annotations

import base64
import io
import os
import stat
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.examples import cases
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import CabinetError, Conflict, Invalid, Malformed, NotFound, OutsideRoot
from jupyter_cabinet.skills import outlines
from jupyter_cabinet.skills.archives import read_archive
from jupyter_cabinet.skills.outlines import Outlines
from jupyter_cabinet.skills.skill_folders import MOST_BYTES, MOST_FILES, SkillFolders
from jupyter_cabinet.skills.skill_versions import SkillFile, SkillVersion, unpacked, version_of

MAIN = b"---\nname: a\ndescription: d\n---\n\nDo it.\n"
FILE_NAMES = st.sampled_from(["SKILL.md", "b.md", "scripts/run.py", "c/d.txt"])


@pytest.fixture
def skill(tmp_path: Path) -> Path:
    folder = tmp_path / ".playbooks" / "skills" / "a"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_bytes(MAIN)
    return folder


def read(skill: Path) -> SkillVersion:
    return SkillFolders(skill.parents[2]).read("a")


def test_all_files_count_with_their_permissions(skill: Path) -> None:
    (skill / "scripts").mkdir()
    (skill / "scripts" / "run.py").write_text("print()")
    first = read(skill)
    assert [file.path for file in first.files] == ["SKILL.md", "scripts/run.py"]
    (skill / "scripts" / "run.py").chmod(0o755)
    assert read(skill).hash != first.hash
    (skill / "scripts" / "run.py").chmod(0o644)
    assert read(skill) == first
    (skill / ".hidden").write_text("")
    assert read(skill).hash != first.hash


def behind_a_link(skill: Path, outside: Path) -> None:
    skill.rename(outside / "a")
    skill.symlink_to(outside / "a")


def with_many_files(skill: Path, _outside: Path) -> None:
    for number in range(MOST_FILES):
        (skill / str(number)).touch()


def with_a_large_file(skill: Path, _outside: Path) -> None:
    with (skill / "large").open("wb") as file:
        file.truncate(MOST_BYTES + 1)


UNREADABLE: dict[str, Callable[[Path, Path], object]] = {
    "link": lambda skill, outside: (skill / "link").symlink_to(outside / "SKILL.md"),
    "folder": lambda skill, outside: (skill / "link").symlink_to(outside),
    "skill": behind_a_link,
    "pipe": lambda skill, _outside: os.mkfifo(skill / "pipe"),
    "name": lambda skill, _outside: (skill / "a\u202eb").write_text(""),
    "deep": lambda skill, _outside: (skill / "/".join("abcdefgh")).mkdir(parents=True),
    "many": with_many_files,
    "large": with_a_large_file,
}


@pytest.mark.parametrize("make", UNREADABLE.values(), ids=UNREADABLE)
def test_what_nobody_could_look_at_is_not_read(skill: Path, make: Callable[[Path, Path], object]) -> None:
    outside = skill.parents[2] / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_bytes(MAIN)
    make(skill, outside)
    with pytest.raises(Malformed, match=r"^\.playbooks/skills/a: "):
        read(skill)


@pytest.mark.parametrize("name", ["..", "../a", "A", "", ".sources", "a/b", "a" * 65])
def test_a_name_never_becomes_another_path(skill: Path, name: str) -> None:
    folders = SkillFolders(skill.parents[2])
    for call in (folders.read, folders.remove):
        with pytest.raises(NotFound):
            call(name)


def test_folders_with_other_names_are_reported(skill: Path) -> None:
    (skill.parent / "Not a name").mkdir()
    folders = SkillFolders(skill.parents[2])
    assert folders.names() == ("a",)
    assert [each.partition(" is not read")[0] for each in folders.problems()] == [".playbooks/skills/Not a name"]


def test_a_skill_is_written_whole_and_never_over_another(skill: Path) -> None:
    folders, version = SkillFolders(skill.parents[2]), read(skill)
    with pytest.raises(Conflict):
        folders.write("a", version, source="x")
    folders.write("b", version, source="from somewhere")
    assert folders.read("b") == version
    assert folders.source_of("b") == "from somewhere"
    assert sorted(each.name for each in skill.parent.iterdir()) == [".sources", "a", "b"]
    kept_as = folders.remove("b")
    assert (skill.parents[1] / ".trash" / kept_as / "SKILL.md").read_bytes() == MAIN
    assert folders.source_of("b") == ""


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    (outside / "skills").mkdir(parents=True)
    root = tmp_path / "root"
    root.mkdir()
    (root / ".playbooks").symlink_to(outside)
    with pytest.raises(OutsideRoot):
        SkillFolders(root).write("a", version_of({"SKILL.md": SkillFile("SKILL.md", False, MAIN)}), source="")
    assert not list((outside / "skills").iterdir())


@given(st.dictionaries(FILE_NAMES, st.tuples(st.booleans(), st.binary(max_size=20)), max_size=4))
def test_a_version_is_the_same_after_it_was_stored(files: dict[str, tuple[bool, bytes]]) -> None:
    version = version_of({path: SkillFile(path, *rest) for path, rest in files.items()})
    assert unpacked(version.packed()) == version
    assert unpacked(version.packed()).hash == version.hash


@pytest.mark.parametrize(
    "path",
    [
        *("scripts/a.md", "Scripts/run", "sub/scripts/notes.txt", "run.py", "run.ipynb", "x.jl", "Makefile", "x.pyz"),
        *("x.class", "x.dll", "x.mts", ".envrc", "x.pth", "package.json", "x.py ", "run", ".md"),
    ],
)
def test_whatever_may_be_a_program_counts_as_a_script(path: str) -> None:
    assert SkillFile(path, False, b"").is_script


def test_texts_tables_and_pictures_are_no_scripts_unless_they_begin_as_programs() -> None:
    for path in ("SKILL.md", "references/tone.md", "a.csv", "assets/logo.PNG", "LICENSE", "data.json", "a.b.txt"):
        assert not SkillFile(path, False, b"text").is_script
        assert SkillFile(path, True, b"text").is_script
        for start in (b"#!/bin/sh", b"\xef\xbb\xbf#!/bin/sh", b"\x7fELF", b"MZ"):
            assert SkillFile(path, False, start).is_script


# --- archives ---------------------------------------------------------------------------------


def archive(*entries: tuple[str, bytes], mode: int = stat.S_IFREG | 0o644) -> str:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, content)
    return base64.b64encode(made.getvalue()).decode()


def test_an_archive_may_hold_the_skill_in_a_folder() -> None:
    plain = read_archive(archive(("SKILL.md", MAIN), ("scripts/a.sh", b"echo")))
    folder = read_archive(archive(("a/SKILL.md", MAIN), ("a/scripts/a.sh", b"echo"), ("__MACOSX/a/._SKILL.md", b"x")))
    assert plain == folder
    assert [file.is_script for file in plain.files] == [False, True]


@pytest.mark.parametrize(
    ("entries", "mode", "says"),
    [
        ([("a/SKILL.md", MAIN), ("b/c.md", b"")], 0o100644, "only folder"),
        ([("SKILL.md", MAIN), ("../x", b"")], 0o100644, "relative path"),
        ([("SKILL.md", MAIN), ("/etc/x", b"")], 0o100644, "relative path"),
        ([("SKILL.md", MAIN), ("a\\..\\x", b"")], 0o100644, "relative path"),
        ([("SKILL.md", MAIN), ("a\u202eb", b"")], 0o100644, "relative path"),
        ([("SKILL.md", MAIN), ("link", b"/etc/passwd")], 0o120777, "link or a device"),
        ([("SKILL.md", MAIN), ("big", b"\0" * (MOST_BYTES + 1))], 0o100644, "MiB"),
        ([("SKILL.md", MAIN), *((str(number), b"") for number in range(MOST_FILES))], 0o100644, "files"),
        ([("SKILL.md", MAIN), ("a", b""), ("a/b", b"")], 0o100644, "twice"),
        ([("/".join("abcdefghi"), b""), ("SKILL.md", MAIN)], 0o100644, "deep"),
    ],
)
def test_a_hostile_archive_is_refused_with_the_reason(entries: list[tuple[str, bytes]], mode: int, says: str) -> None:
    with pytest.raises(Invalid, match=says):
        read_archive(archive(*entries, mode=mode))


@pytest.mark.parametrize("method", cases(zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
def test_an_archive_that_would_take_all_memory_is_not_unpacked(method: int) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as file:
        file.writestr("SKILL.md", b"\0" * (64 << 20))
    tracemalloc.start()
    with pytest.raises(Invalid, match="method"):
        read_archive(base64.b64encode(made.getvalue()).decode())
    assert tracemalloc.get_traced_memory()[1] < 8 << 20
    tracemalloc.stop()


@given(st.binary(max_size=200), st.integers(0, 300), st.integers(0, 255))
def test_damaged_archives_are_refused_in_words(noise: bytes, at: int, byte: int) -> None:
    whole = bytearray(base64.b64decode(archive(("SKILL.md", MAIN))))
    whole[at % len(whole)] = byte
    for content in (noise, bytes(whole)):
        try:
            read_archive(base64.b64encode(content).decode())
        except CabinetError as error:
            assert error.message.startswith("The archive was not accepted")


def test_a_list_reads_files_again_only_after_a_change(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = SkillFolders(skill.parents[2])
    reads: list[str] = []
    read_all = folders.read
    monkeypatch.setattr(folders, "read", lambda name: (reads.append(name), read_all(name))[1])
    monkeypatch.setattr(outlines, "SETTLED_NS", 0)
    known = Outlines(folders)
    first = known.of("a")
    assert (known.of_all(), len(reads)) == ([("a", first)], 1)
    (skill / "b.md").write_text("more")
    assert known.of("a").files == 2
    (skill / "b.md").chmod(0o755)
    assert known.of("a").has_scripts
    (skill / "b.md").unlink()
    assert (known.of("a"), len(reads)) == (first, 4)
    (skill / "link").symlink_to("/etc/passwd")
    assert "link" in known.of("a").problem
