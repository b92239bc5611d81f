"""What `doctor` finds in a folder, and that it changes nothing there."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from jupyter_cabinet.commands.without_server import doctor
from jupyter_cabinet.commands.without_server.workspace import Workspace, look_at
from jupyter_cabinet.runtimes.registry import Runtimes


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def looked(root: Path) -> Workspace:
    return look_at(root, runtimes=Runtimes(set(), {}, {}), zone="UTC", own_database=True)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ("max_turns: many", "field max_turns: a whole number"),
        ("heartbeat: whenever", "heartbeat: "),
        ("active_hours: always", "active_hours: "),
        ("runtime: nobody", "runtime: "),
    ],
)
def test_an_agent_out_of_service_is_told_with_file_field_and_reason(tmp_path: Path, fields: str, told: str) -> None:
    write(tmp_path / ".agents/ada/persona.md", f"---\n{fields}\n---\nBe kind.\n")
    write(tmp_path / ".agents/ben/persona.md", "---\nname: Ben\nheartbeat: every 4h\n---\nBe kind.\n")
    found = looked(tmp_path)
    ada, ben = found.agents
    assert len(ada.errors) == 1 and ".agents/ada/persona.md" in ada.errors[0] and told in ada.errors[0]
    assert ben.errors == () and not found.is_in_order


def test_plays_and_what_is_neither_are_told_too_and_nothing_is_written(tmp_path: Path) -> None:
    write(tmp_path / ".playbooks/plays/good.md", "---\nagent: ada\n---\nDo it.\n")
    write(tmp_path / ".playbooks/plays/bad.md", "---\ntimeout_seconds: soon\n---\nDo it.\n")
    write(tmp_path / ".playbooks/plays/Not A Play.md", "x")
    write(tmp_path / ".agents/Ada Lovelace/persona.md", "x")
    before = sorted(tmp_path.rglob("*"))
    found = looked(tmp_path)
    assert [(each.name, bool(each.errors)) for each in found.plays] == [("bad", True), ("good", False)]
    assert "timeout_seconds" in found.plays[0].errors[0]
    assert any("Ada Lovelace" in each for each in found.problems) and any(
        "Not A Play" in each for each in found.problems
    )
    assert sorted(tmp_path.rglob("*")) == before


def database(root: Path) -> Path:
    path = root / ".cabinet" / "cabinet.db"
    path.parent.mkdir()
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE t (a TEXT)")
        made.executemany("INSERT INTO t VALUES (?)", [("x" * 500,)] * 200)
    made.close()
    return path


def test_a_sound_database_and_none_at_all_are_no_problem(tmp_path: Path) -> None:
    assert looked(tmp_path).problems == ()
    database(tmp_path)
    assert looked(tmp_path).problems == ()


@pytest.mark.parametrize("at", [0, 4096])
def test_a_damaged_database_is_told_and_left_as_it_is(tmp_path: Path, at: int) -> None:
    path = database(tmp_path)
    content = bytearray(path.read_bytes())
    content[at : at + 200] = b"\xff" * 200
    path.write_bytes(content)
    assert "is damaged" in looked(tmp_path).problems[0]
    assert path.read_bytes() == bytes(content)


def test_a_database_that_is_missing_beside_runs_is_told(tmp_path: Path) -> None:
    (tmp_path / ".cabinet" / "runs" / "one").mkdir(parents=True)
    assert "does not exist" in looked(tmp_path).problems[0]


def test_a_link_in_place_of_the_database_is_not_followed(tmp_path: Path) -> None:
    path = tmp_path / ".cabinet" / "cabinet.db"
    path.parent.mkdir()
    path.symlink_to("/etc/passwd")
    assert "not a regular file" in looked(tmp_path).problems[0]


def test_how_much_is_kept_is_told(tmp_path: Path) -> None:
    assert (looked(tmp_path).changes_bytes, looked(tmp_path).recordings_bytes) == (0, 0)
    write(tmp_path / ".cabinet/changes/ab/c", "x" * 1_500_000)
    write(tmp_path / ".cabinet/recordings/r/1.cast", "x" * 10)
    (tmp_path / ".cabinet/changes/link").symlink_to(tmp_path / ".cabinet/changes/ab/c")
    found = looked(tmp_path)
    assert 1_500_000 < found.changes_bytes < 1_501_000 and found.recordings_bytes == 10
    assert "  changes of runs: 1.5 MB" in list(doctor._workspace(found))
