"""The records of a root directory lie in it, whatever characters its path has."""

import os
import sqlite3
from pathlib import Path

import pytest
from harness.examples import cases
from sqlalchemy import func, insert, select

from jupyter_cabinet.backend import Backend, BackendSettings
from jupyter_cabinet.core.errors import Unavailable
from jupyter_cabinet.storage import tables
from jupyter_cabinet.storage.database_diagnosis import damage

ROW = {"time": 1.0, "type": "x", "owner": "o", "visibility": "server", "body": "{}"}
NAMES = [
    "100%41",
    "100%",
    "%2e%2e",
    "what?mode=memory",
    "a#b",
    "a b",
    "Bücher",
    "a\nb",
    "a'b\"c",
    "file:a",
    ":memory:",
    "back\\slash",
    "user:pass@host",
]


@pytest.mark.parametrize("name", cases(*NAMES, quick=4))
async def test_a_restarted_server_finds_its_records_in_its_root_and_nothing_lies_beside_it(
    tmp_path: Path, name: str
) -> None:
    root = tmp_path / "roots" / name / "root"
    root.mkdir(parents=True)
    await check_restart(root, data=tmp_path / "data" / name)
    assert files_below(root.parent.parent) == {root / ".cabinet" / "cabinet.db", root / ".cabinet" / "id"}


async def test_a_root_that_is_a_link_has_its_records_where_the_link_leads(tmp_path: Path) -> None:
    real = tmp_path / "roots" / "100%41?"
    real.mkdir(parents=True)
    link = tmp_path / "link%41?"
    link.symlink_to(real)
    await check_restart(link, data=tmp_path / "data")
    assert files_below(tmp_path / "roots") == {real / ".cabinet" / "cabinet.db", real / ".cabinet" / "id"}
    assert damage(real / ".cabinet" / "cabinet.db") == ""


async def test_two_roots_that_differ_in_an_escaped_character_have_records_of_their_own(tmp_path: Path) -> None:
    for name in ("100%41", "100A"):
        (tmp_path / name).mkdir()
        await check_restart(tmp_path / name, data=tmp_path / "data")


async def check_restart(root: Path, *, data: Path) -> None:
    """Write with one server, read with the next."""
    for expected in (0, 1):
        backend = Backend(settings(root, data))
        assert not backend._claimed.foreign and backend._claimed.aside is None
        await backend.database.open()
        assert await backend.database.read(count) == expected
        await backend.database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None)
        await backend.database.close()
    path = root / ".cabinet" / "cabinet.db"
    assert damage(path) == ""
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT count(*) FROM events").fetchone() == (2,)


def count(connection):  # type: ignore[no-untyped-def]
    return connection.execute(select(func.count()).select_from(tables.events)).scalar()


def files_below(folder: Path) -> set[Path]:
    return {path for path in folder.rglob("*") if path.is_file() and path.name != "reserve"}


def test_a_root_that_is_not_utf8_is_refused_with_its_name(tmp_path: Path) -> None:
    root = tmp_path / os.fsdecode(b"caf\xe9")
    root.mkdir()
    with pytest.raises(Unavailable, match=r"caf\\xe9"):
        Backend(settings(root, tmp_path / "data"))
    assert not any(root.iterdir())


@pytest.mark.parametrize("kind", ["a folder", "no database"])
def test_a_database_of_confirmations_that_cannot_be_opened_is_named_with_the_reason(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "data" / "trust.db"
    if kind == "a folder":
        path.mkdir(parents=True)
    else:
        path.parent.mkdir()
        path.write_bytes(b"this is no database" * 100)
    (tmp_path / "root").mkdir()
    with pytest.raises(Unavailable, match=f"{path} could not be opened: .*(unable to open|not a database)"):
        Backend(settings(tmp_path / "root", tmp_path / "data"))


def settings(root: Path, data: Path) -> BackendSettings:
    return BackendSettings(root=root, data=data, run_directories=data / "d", environment={}, secrets=())
