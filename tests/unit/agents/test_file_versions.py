"""Earlier versions of the files that steer agents: which are kept, how many, where they go, and full disks."""

from __future__ import annotations

import base64
import errno
import json
import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_cabinet.agents.files import file_versions
from jupyter_cabinet.agents.files.agent_folders import AgentFolders
from jupyter_cabinet.agents.files.file_versions import MAX_VERSIONS, USER
from jupyter_cabinet.agents.files.safe_files import etag_of
from jupyter_cabinet.agents.files.shared_file import SharedFile
from jupyter_cabinet.core.errors import Conflict, Invalid, NoRoom, NotFound, OutsideRoot
from jupyter_cabinet.storage.filesystem import files

NOW = datetime(2026, 10, 1, 8, tzinfo=UTC)
PERSONA = "---\nname: Ada\nbudget: 1\n---\nKeep the books.\n"


@pytest.fixture
def folders(tmp_path: Path) -> AgentFolders:
    agent = tmp_path / ".agents/ada"
    agent.mkdir(parents=True)
    (agent / "persona.md").write_text(PERSONA)
    return AgentFolders(tmp_path, tmp_path / ".cabinet")


def texts(folders: AgentFolders, path: str = "SOUL.md", slug: str = "ada") -> list[tuple[str, str]]:
    """By whom, and the text; newest first."""
    found = [folders.versions.get(slug, path, each.id) for each in folders.versions.find(slug, path)]
    return [(each.by, each.text) for each in found]


def test_each_save_makes_a_version_and_keeps_what_was_there_before(tmp_path: Path, folders: AgentFolders) -> None:
    soul = tmp_path / ".agents/ada/SOUL.md"
    soul.write_text("By hand.")
    os.utime(soul, (0, NOW.timestamp()))
    etag = folders.write_file("ada", "SOUL.md", b"Kind.", etag_of(b"By hand."), by="Ada")
    assert texts(folders) == [("Ada", "Kind."), ("", "By hand.")]
    assert folders.versions.find("ada", "SOUL.md")[1].saved == NOW
    etag = folders.write_file("ada", "SOUL.md", b"Very kind.", etag, by="Ben")
    soul.write_text("By hand again.")
    folders.write_file("ada", "SOUL.md", b"Kind.", etag_of(b"By hand again."), by="Ada")
    assert texts(folders)[:3] == [("Ada", "Kind."), ("", "By hand again."), ("Ben", "Very kind.")]
    newest = folders.versions.find("ada", "SOUL.md")[0]
    assert (newest.size, newest.etag) == (5, etag_of(b"Kind."))


def test_a_persona_has_versions_however_it_is_saved(folders: AgentFolders) -> None:
    saved = folders.save_persona("ada", {"budget": 2}, by="Ada")
    text = PERSONA.replace("Keep", "Close")
    etag = folders.write_file("ada", "persona.md", text.encode(), saved.etag, by="Ben")
    folders.save_persona("ada", text, etag, by="Ada")  # the same text again
    kept = texts(folders, "persona.md")
    assert [by for by, _ in kept] == ["Ben", "Ada", ""]
    assert kept[0][1] == text and kept[2][1] == PERSONA


def test_what_nobody_has_saved_is_from_the_template(folders: AgentFolders) -> None:
    made = folders.create("eve", "ops", {"name": "Eve", "runtime": "demo"})
    soul = folders.read_file("eve", "SOUL.md")
    folders.save_persona("eve", {"budget": 2}, made.etag, by="Ada")
    folders.write_file("eve", "SOUL.md", b"Kind.", soul.etag, by="Ada")
    folders.write_file("ada", "SOUL.md", b"Kind.", None)
    found = [folders.versions.find("eve", path) for path in ("persona.md", "SOUL.md")]
    assert [[(each.by, each.from_template) for each in versions] for versions in found] == [
        [("Ada", False), ("", True)],
        [("Ada", False), ("", True)],
    ]
    assert not folders.versions.find("ada", "SOUL.md")[0].from_template


def test_a_refused_save_makes_no_version(folders: AgentFolders) -> None:
    with pytest.raises(Conflict):
        folders.write_file("ada", "SOUL.md", b"x", "another", by="Ada")
    with pytest.raises(Invalid):
        folders.save_persona("ada", {"budget": -1}, by="Ada")
    assert texts(folders) == texts(folders, "persona.md") == []


def test_the_newest_are_kept(folders: AgentFolders, monkeypatch: pytest.MonkeyPatch) -> None:
    etag = None
    for number in range(MAX_VERSIONS + 5):
        etag = folders.write_file("ada", "TOOLS.md", str(number).encode(), etag)
    kept = [text for _, text in texts(folders, "TOOLS.md")]
    assert kept == [str(number) for number in reversed(range(5, MAX_VERSIONS + 5))]
    monkeypatch.setattr(file_versions, "MAX_VERSIONS_BYTES", 100_000)
    for letter in "ab":
        etag = folders.write_file("ada", "TOOLS.md", letter.encode() * 70_000, etag)
    assert [text[0] for _, text in texts(folders, "TOOLS.md")] == ["b"]


def test_other_files_have_no_versions(tmp_path: Path, folders: AgentFolders) -> None:
    folders.write_file("ada", "workspace/a.txt", b"x", None, by="Ada")
    folders.write_file("ada", "memory/MEMORY.md", b"x", None, by="Ada")
    assert [path.name for path in (tmp_path / ".agents/.versions/ada").iterdir()] == ["memory"]
    assert texts(folders, "memory/MEMORY.md") == [("Ada", "x")]
    for path in ("workspace/a.txt", "../ada/SOUL.md", USER):
        with pytest.raises(Invalid):
            folders.versions.find("ada", path)
    for id in ("00000009", "../00000001", ""):
        with pytest.raises(NotFound):
            folders.versions.get("ada", "memory/MEMORY.md", id)
    assert [info.path for info in folders.list_files("ada")] == ["memory/MEMORY.md", "persona.md", "workspace/a.txt"]
    assert folders.problems() == ()


def test_versions_go_along(folders: AgentFolders) -> None:
    folders.write_file("ada", "SOUL.md", b"Kind.", None, by="Ada")
    folders.rename("ada", "eve")
    assert texts(folders, slug="eve") == [("Ada", "Kind.")] and texts(folders) == []
    name = folders.archive("eve", now=NOW)
    assert texts(folders, slug="eve") == []
    folders.create("eve", "research", {})
    assert texts(folders, slug="eve") == []  # another agent of this name sees none of them
    folders.delete("eve", now=NOW)
    folders.unarchive(name)
    assert texts(folders, slug="eve") == [("Ada", "Kind.")]


def test_links_and_damaged_versions_are_not_followed(tmp_path: Path, folders: AgentFolders) -> None:
    etag = folders.write_file("ada", "SOUL.md", b"Kind.", None, by="Ada")
    place = tmp_path / ".agents/.versions/ada/SOUL.md"
    (place / "00000002.json").write_text("{")
    (place / "00000003.json").symlink_to(tmp_path / ".agents/ada/persona.md")
    (place / "notes.txt").write_text("x")
    assert texts(folders) == [("Ada", "Kind.")]
    etag = folders.write_file("ada", "SOUL.md", b"Rude.", etag, by="Ben")
    assert next(by for by, _ in texts(folders)) == "Ben"
    (tmp_path / ".agents/.versions").rename(tmp_path / "elsewhere")
    (tmp_path / ".agents/.versions").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(OutsideRoot):
        folders.write_file("ada", "SOUL.md", b"Mad.", etag, by="Ben")
    assert folders.read_file("ada", "SOUL.md").content == b"Rude."


def test_a_full_disk_refuses_a_save_whose_earlier_text_would_be_lost_and_no_other(
    folders: AgentFolders, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    etag = folders.write_file("ada", "SOUL.md", b"Kind.", None, by="Ada")

    def replace(path: Path, content: bytes, *, mode: int = 0o600, real: object = files.replace) -> None:
        if path.suffix == ".json" and ".versions" in path.parts:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(path, content, mode=mode)  # type: ignore[operator]

    with monkeypatch.context() as patched:
        patched.setattr(files, "replace", replace)
        etag = folders.write_file("ada", "SOUL.md", b"Rude.", etag, by="Ben")
        assert "No version of ada/SOUL.md was kept" in caplog.text
        with pytest.raises(NoRoom):
            folders.write_file("ada", "SOUL.md", b"Mad.", etag, by="Ben")
    folders.write_file("ada", "SOUL.md", b"Good.", etag, by="Ada")
    assert [text for _, text in texts(folders)] == ["Good.", "Rude.", "Kind."]


def test_the_file_that_all_agents_share_has_versions_too(tmp_path: Path, folders: AgentFolders) -> None:
    shared = SharedFile(USER, tmp_path, tmp_path / ".cabinet")
    with pytest.raises(NotFound):
        shared.read()
    etag = shared.write(b"Ada works mornings.", None, by="Ada")
    with pytest.raises(Conflict):
        shared.write(b"x", None, by="Ben")
    shared.write(b"Ada works evenings.", etag, by="Ben")
    assert shared.read().content == (tmp_path / ".agents/USER.md").read_bytes() == b"Ada works evenings."
    assert [each.by for each in shared.versions.find("", USER)] == ["Ben", "Ada"]
    with pytest.raises(Invalid):
        shared.write(b"x" * 70_000, shared.read().etag, by="Ada")
    assert folders.problems() == ()


def test_a_version_is_for_the_servers_user_alone_and_has_the_very_bytes(tmp_path: Path, folders: AgentFolders) -> None:
    before = "Fran\xe7ois".encode("latin-1")
    soul = tmp_path / ".agents/ada/SOUL.md"
    soul.write_bytes(before)
    folders.write_file("ada", "SOUL.md", b"Kind.", etag_of(before))
    kept = sorted((tmp_path / ".agents/.versions").rglob("*.json"))
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert base64.b64decode(json.loads(kept[0].read_text())["content"]) == before
    assert texts(folders)[-1] == ("", "Fran\ufffdois")
