"""Files of plays: people write them, strangers may have, and the server never loses one."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest
from harness.agent_files import Died, FileOperations

from jupyter_cabinet.core.errors import Conflict, Invalid, Malformed, NotFound, OutsideRoot
from jupyter_cabinet.plays.model import PlayLine
from jupyter_cabinet.plays.play_files import PlayFiles

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
TEXT = "---\n# kept\ncolour: red\ntimeoutSeconds: 60\n---\nDo it.\n"
LINE = PlayLine(
    play_slug="a", timestamp="t", duration=1.5, status="completed", summary="Done.", trigger="person", run_id="r1"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / ".playbooks" / "plays"
    place.mkdir(parents=True)
    (place / "a.md").write_text(TEXT)
    return place


@pytest.fixture
def files(tmp_path: Path, folder: Path) -> PlayFiles:
    return PlayFiles(tmp_path, tmp_path / ".cabinet", zone="UTC")


def test_plays_are_listed_and_what_cannot_be_one_is_named(files: PlayFiles, folder: Path) -> None:
    for name in ("b.md", "No Play.md", "notes.txt", ".hidden.md"):
        (folder / name).write_text("x")
    assert files.slugs() == ("a", "b")
    assert files.problems() == (
        ".playbooks/plays/No Play.md is not read: a play's name has lowercase letters, digits and hyphens only.",
    )


def test_fields_are_saved_in_their_own_spelling_and_comments_survive(files: PlayFiles, folder: Path) -> None:
    saved = files.save("a", {"timeout_seconds": 90, "title": "A"})
    assert (folder / "a.md").read_text() == TEXT.replace("60\n", "90\ntitle: A\n") == saved.text
    assert saved.play is not None and saved.play.timeout_seconds == 90


def test_a_field_under_another_name_is_saved_under_it(files: PlayFiles, folder: Path) -> None:
    (folder / "a.md").write_text("---\ntimeout: 120\n---\nDo it.\n")
    saved = files.save("a", {"timeout_seconds": 90})
    assert saved.text == "---\ntimeout: 90\n---\nDo it.\n"


def test_what_a_play_leaves_out_stays_in_its_file_and_more_of_it_is_refused(files: PlayFiles, folder: Path) -> None:
    brought = "---\ntriggers:\n- sunrise\n- manual\nschedule: {type: hourly}\n---\nDo it.\n"
    (folder / "a.md").write_text(brought)
    read = files.read("a")
    assert read.play is not None and [each.field for each in read.left_out] == ["triggers[1].type", "schedule"]
    saved = files.save("a", {"title": "A"})
    assert saved.text == brought.replace("hourly}\n", "hourly}\ntitle: A\n")
    with pytest.raises(Invalid, match="interval, cron, daily or weekly, not “yearly”"):
        files.save("a", {"schedule": {"type": "yearly"}})
    with pytest.raises(Invalid, match="one of manual, schedule"):
        files.create("b", {"triggers": ["sunrise"]}, "Do it.")
    assert files.read("a") == saved and files.slugs() == ("a",)


def test_nothing_is_saved_over_what_somebody_else_has_saved(files: PlayFiles, folder: Path) -> None:
    etag = files.read("a").etag
    (folder / "a.md").write_text(f"{TEXT}More.\n")
    for change in ({"title": "A"}, "---\n---\nMine."):
        with pytest.raises(Conflict) as refused:
            files.save("a", change, etag)
        assert refused.value.detail["etag"] == files.read("a").etag
    with pytest.raises(Conflict):
        files.save("a", "---\n---\nMine.")
    assert (folder / "a.md").read_text() == f"{TEXT}More.\n"


def test_what_is_wrong_is_not_saved(files: PlayFiles, folder: Path) -> None:
    with pytest.raises(Invalid) as refused:
        files.save("a", {"timeout_seconds": -1, "tools": "all"})
    assert [each["field"] for each in refused.value.detail["errors"]] == ["tools", "timeout_seconds"]
    with pytest.raises(Invalid, match="128 KiB"):
        files.save("a", {"title": "x"} and "x" * (128 * 1024 + 1), files.read("a").etag)
    with pytest.raises(Invalid):
        files.create("B!", {}, "x")
    with pytest.raises(Conflict, match="already exists"):
        files.create("a", {}, "x")
    assert (folder / "a.md").read_text() == TEXT and files.slugs() == ("a",)


def test_a_malformed_play_is_out_of_service_and_left_as_it_is(files: PlayFiles, folder: Path) -> None:
    (folder / "b.md").write_text("---\nname: [\n---\nx")
    (folder / "c.md").write_bytes(b"---\nname: \xff\n---\n")
    (folder / "d.md").symlink_to("/etc/passwd")
    os.mkfifo(folder / "e.md")
    found = {slug: files.read(slug) for slug in ("b", "c", "d", "e")}
    assert all(each.play is None and len(each.errors) == 1 for each in found.values())
    assert ".playbooks/plays/b.md, line" in found["b"].errors[0].message
    assert "UTF-8" in found["c"].errors[0].message
    assert "link" in found["d"].errors[0].message and found["d"].text == ""
    assert "not a regular file" in found["e"].errors[0].message
    for slug in found:
        with pytest.raises((Malformed, OutsideRoot)):
            files.save(slug, {"title": "x"})


@pytest.mark.parametrize("slug", ["../x", "A", "", "a/b", "nobody"])
def test_what_is_no_play_is_not_found(files: PlayFiles, slug: str) -> None:
    for ask in (lambda: files.read(slug), lambda: files.save(slug, {}), lambda: files.delete(slug, now=NOW)):
        with pytest.raises(NotFound):
            ask()


def test_nothing_is_written_through_a_link(files: PlayFiles, folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder.parent / ".history").symlink_to(elsewhere)
    (folder.parent / ".trash").symlink_to(elsewhere)
    with pytest.raises(OutsideRoot):
        files.note(LINE)
    with pytest.raises(OutsideRoot):
        files.delete("a", now=NOW)
    assert list(elsewhere.iterdir()) == [] and files.slugs() == ("a",)


def test_no_line_of_history_is_appended_through_a_hard_link(files: PlayFiles, folder: Path, tmp_path: Path) -> None:
    outside, history = tmp_path / "outside", folder.parent / ".history" / "a.jsonl"
    outside.write_text("theirs\n")
    history.parent.mkdir()
    os.link(outside, history)
    with pytest.raises(OutsideRoot, match=r"\.playbooks/\.history/a\.jsonl: it is a hard link"):
        files.note(LINE)
    assert outside.read_text() == "theirs\n"


def test_a_deleted_play_lies_in_the_trash(files: PlayFiles, folder: Path) -> None:
    name = files.delete("a", now=NOW)
    assert name.startswith("a-20261101T120000Z-") and files.slugs() == ()
    assert (folder.parent / ".trash" / name).read_text() == TEXT


def test_a_run_has_one_line_of_history_however_often_it_is_noted(files: PlayFiles, folder: Path) -> None:
    for _ in range(2):
        files.note(LINE)
    with (folder.parent / ".history" / "a.jsonl").open("a") as file:
        file.write('[]\n{"playSlug": 1}\n{"playSlug": "a", "timestamp": "u", "duration": 1, "status": "failed",')
        file.write('"summary": "", "trigger": "x", "unknown": 1}\n{"torn')
    assert [line.timestamp for line in files.history("a", 10)] == ["u", "t"]
    assert files.history("a", 1)[0].agent_slug is None and files.history("b", 10) == []


@pytest.mark.parametrize("after", [False, True])
def test_whenever_the_server_dies_a_play_is_as_before_or_as_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    for what in ("save", "create", "delete", "note"):
        at = 0
        while True:
            at += 1
            root = tmp_path / f"{what}-{after}-{at}"
            (root / ".playbooks/plays").mkdir(parents=True)
            (root / ".playbooks/plays/a.md").write_text(TEXT)
            files = PlayFiles(root, root / ".cabinet", zone="UTC")
            with monkeypatch.context() as patch:
                FileOperations(patch, dies_at=at, after=after)
                try:
                    _do(files, what)
                    died = False
                except Died:
                    died = True
            _check(PlayFiles(root, root / ".cabinet", zone="UTC"), root, what)
            if not died:
                break
        assert at > 2


def _do(files: PlayFiles, what: str) -> None:
    if what == "save":
        files.save("a", {"title": "A"})
    elif what == "create":
        files.create("b", {"title": "B"}, "Do it.")
    elif what == "delete":
        files.delete("a", now=NOW)
    else:
        files.note(LINE)


def _check(files: PlayFiles, root: Path, what: str) -> None:
    """As before or as after, and doing it again brings it about."""
    for slug in files.slugs():
        assert files.read(slug).play is not None
    trashed = [path.read_text() for path in (root / ".playbooks" / ".trash").glob("*.md")]
    assert [*trashed, *(["there"] if "a" in files.slugs() else [])] in (["there"], [TEXT])
    if what == "note":
        files.note(LINE)
        assert len(files.history("a", 10)) == 1
