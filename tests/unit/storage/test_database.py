"""The database on a real SQLite file: transactions, migrations, damage, a full disk."""

import asyncio
import json
import sqlite3
from pathlib import Path

import msgspec
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from harness import unsynced
from harness.values import example_run
from sqlalchemy import create_engine, func, insert, select
from sqlalchemy.exc import IntegrityError, OperationalError

import jupyter_cabinet.backend  # noqa: F401 - with it come the tables of every room
from jupyter_cabinet.core.errors import NoRoom, Unavailable
from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.runs import store
from jupyter_cabinet.runs.model import NewManualRun, RunFilter
from jupyter_cabinet.sessions import store as sessions
from jupyter_cabinet.sessions.model import DocumentSubject, SessionFilter
from jupyter_cabinet.storage import tables
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.dialects import FIRST_SAFE_WAL
from jupyter_cabinet.storage.filesystem import private_folders
from jupyter_cabinet.storage.migrate import SCRIPTS

ROW = {"time": 1.0, "type": "x", "owner": "o", "visibility": "server", "body": "{}"}


async def opened(path: Path) -> Database:
    database = Database(f"sqlite:///{path}", state_folder=path.parent)
    await database.open()
    return database


def count(connection):  # type: ignore[no-untyped-def]
    return connection.execute(select(func.count()).select_from(tables.events)).scalar()


async def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    database = await opened(tmp_path / "c.db")

    def half(connection):  # type: ignore[no-untyped-def]
        connection.execute(insert(tables.events).values(**ROW))
        raise ValueError

    with pytest.raises(ValueError):
        await database.write(half)
    assert await database.read(count) == 0
    await database.close()


async def test_a_cancelled_caller_leaves_a_whole_transaction(tmp_path: Path) -> None:
    database = await opened(tmp_path / "c.db")
    write = asyncio.create_task(database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None))
    await asyncio.sleep(0)
    write.cancel()
    await asyncio.gather(write, return_exceptions=True)
    assert await database.read(count) in (0, 1)
    await database.close()


async def test_the_migrations_make_exactly_the_tables(tmp_path: Path) -> None:
    database = await opened(tmp_path / "c.db")

    def differences(connection):  # type: ignore[no-untyped-def]
        return compare_metadata(MigrationContext.configure(connection), tables.metadata)

    assert await database.read(differences) == []
    await database.close()


def at_version(path: Path, version: str) -> sqlite3.Connection:
    """A database as an earlier release has left it."""
    scripts = ScriptDirectory(str(SCRIPTS))
    engine = create_engine(f"sqlite:///{path}")
    environment = EnvironmentContext(Config(), scripts)
    with engine.connect() as connection:
        environment.configure(connection=connection, fn=lambda rev, _: scripts._upgrade_revs(version, rev))
        with environment.begin_transaction():
            environment.run_migrations()
        connection.commit()
    engine.dispose()
    return sqlite3.connect(path)


async def test_a_session_of_an_earlier_release_is_about_its_document_and_no_cli_is_open_in_it(tmp_path: Path) -> None:
    body = {"id": "s", "path": "notes/a.md", "title": "Add", "runtime": "demo", "owner": "ada", "visibility": "server"}
    times = {"created_at": "2026-11-01T00:00:00Z", "updated_at": "2026-11-01T00:00:00Z"}
    columns = "INSERT INTO sessions (id, path, owner, visibility, changed, updated_at, title, body)"
    with at_version(tmp_path / "c.db", "0003") as old:
        for id, text in (("s", json.dumps({**body, **times, "terminal_id": "t"})), ("damaged", "no JSON")):
            old.execute(f"{columns} VALUES (?, 'notes/a.md', 'ada', 'server', 1, 0, 'Add', ?)", (id, text))
    old.close()
    database = await opened(tmp_path / "c.db")
    ada = Principal(username="ada", display_name="Ada")
    (found,) = await database.read(lambda c: sessions.list_sessions(c, SessionFilter(path="notes/a.md"), ada))
    assert (found.id, found.path, found.terminal_id) == ("s", "notes/a.md", None)
    assert found.subject == DocumentSubject(path="notes/a.md")
    await database.close()


async def test_what_an_earlier_release_has_listed_keeps_its_order_and_new_things_come_after_it(tmp_path: Path) -> None:
    with at_version(tmp_path / "c.db", "0002") as old:
        for id in ("02", "03", "01"):
            old.execute(
                "INSERT INTO runs (id, state, kind, session_id, owner, visibility, instruction, holder, settled,"
                " request, body) VALUES (?, 'succeeded', 'manual', 's', 'ada', 'server', 'x', 'h', 1, '{}', ?)",
                (id, msgspec.json.encode(example_run(id=id, state="succeeded")).decode()),
            )
    database = await opened(tmp_path / "c.db")
    ada = Principal(username="ada", display_name="Ada", shared_token=True)
    new = NewManualRun(instruction="x")
    made = await database.write(lambda c: store.insert_run(c, example_run(id="00"), new, "h"))
    listed = await database.read(lambda c: store.list_runs(c, RunFilter(), ada))
    assert [(run.id, run.number) for run in listed] == [("00", made.number), ("03", 3), ("02", 2), ("01", 1)]
    assert made.number > 3
    assert (tmp_path / "copies" / "before-0002.db").exists()
    await database.close()


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    await (await opened(tmp_path / "c.db")).close()
    with sqlite3.connect(tmp_path / "c.db") as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    before = (tmp_path / "c.db").read_bytes()
    with pytest.raises(Unavailable, match="9999"):
        await opened(tmp_path / "c.db")
    assert (tmp_path / "c.db").read_bytes() == before


async def test_a_damaged_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(Unavailable):
        await opened(tmp_path / "c.db")
    assert (tmp_path / "c.db").read_bytes().startswith(b"this is no database")


@pytest.mark.parametrize("content", [b"", None], ids=["an empty file", "no tables"])
async def test_a_database_without_records_beside_those_of_runs_is_refused_with_a_sentence_until_it_is_mended(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "c.db"
    database = await opened(path)
    await database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None)
    await database.close()
    kept = path.read_bytes()
    (tmp_path / "runs" / "1").mkdir(parents=True)
    path.write_bytes(b"")
    if content is None:
        with sqlite3.connect(path) as raw:
            raw.execute("CREATE TABLE other (x)")
    before = path.read_bytes()
    with pytest.raises(Unavailable, match="files of earlier runs"):
        await opened(path)
    assert path.read_bytes() == before and (tmp_path / "runs" / "1").is_dir()
    path.write_bytes(kept)
    database = await opened(path)
    assert await database.read(count) == 1
    await database.close()


async def test_where_the_database_was_removed_a_new_one_is_begun_and_said_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "runs" / "1").mkdir(parents=True)
    database = await opened(tmp_path / "c.db")
    assert await database.read(count) == 0 and "A new one is created" in caplog.text
    await database.close()


async def test_an_empty_database_without_runs_is_only_one_that_was_never_filled(tmp_path: Path) -> None:
    (tmp_path / "c.db").write_bytes(b"")
    database = await opened(tmp_path / "c.db")
    assert await database.read(count) == 0
    await database.close()


async def test_a_copy_before_a_migration_is_not_written_through_a_link(tmp_path: Path) -> None:
    at_version(tmp_path / "c.db", "0001").close()
    with sqlite3.connect(tmp_path / "mine.db") as mine:
        mine.execute("CREATE TABLE mine (x)")
    (tmp_path / "copies").mkdir()
    (tmp_path / "copies" / "before-0001.db").symlink_to(tmp_path / "mine.db")
    await (await opened(tmp_path / "c.db")).close()
    with sqlite3.connect(tmp_path / "mine.db") as mine:
        assert [row[0] for row in mine.execute("SELECT name FROM sqlite_master")] == ["mine"]


async def test_the_journal_mode_follows_the_librarys_age(tmp_path: Path) -> None:
    with unsynced.synced():
        database = await opened(tmp_path / "c.db")
    modes = await database.read(
        lambda c: [
            c.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous", "mmap_size")
        ]
    )
    safe = sqlite3.sqlite_version_info >= FIRST_SAFE_WAL
    assert modes[0] == ("wal" if safe else "delete") and modes[1] == 2 and modes[2] in (0, None)
    await database.close()


async def test_after_a_full_disk_the_next_write_checks_the_file_first(tmp_path: Path) -> None:
    database = await opened(tmp_path / "c.db")

    def full(connection):  # type: ignore[no-untyped-def]
        raise OperationalError("INSERT", {}, sqlite3.OperationalError("database or disk is full"))

    with pytest.raises(NoRoom):
        await database.write(full)
    await database.write(lambda c: c.execute(insert(tables.events).values(**ROW)) and None)
    assert await database.read(count) == 1
    await database.close()


def test_network_file_systems_are_told_from_the_kernels_table() -> None:
    mounts = "/dev/a / ext4 rw 0 0\nserver:/x /home/my\\040data nfs4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n"
    assert private_folders.file_system_of(Path("/home/my data/notebooks"), mounts) == "nfs4"
    assert private_folders.file_system_of(Path("/home/other"), mounts) == "ext4"


def test_a_mount_point_with_odd_characters_is_found_in_the_kernels_table() -> None:
    mounts = "/dev/a / ext4 rw 0 0\nserver:/x /m/a\\012b\\134c\\043\u2028d nfs4 rw 0 0\n"
    assert private_folders.file_system_of(Path("/m/a\nb\\c#\u2028d/notebooks"), mounts) == "nfs4"


async def test_a_network_file_system_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_folders, "file_system_of", lambda path: "nfs4")
    with pytest.raises(Unavailable, match="db_url"):
        await opened(tmp_path / "c.db")


@pytest.mark.parametrize("url", ["nonsense", "sqlite+nodriver://", "postgresql://h:port/d"])
async def test_a_url_that_cannot_be_used_is_told_in_a_sentence(url: str) -> None:
    database = Database(url)
    with pytest.raises(Unavailable, match="db_url"):
        await database.open()
    await database.close()


async def test_two_servers_may_make_the_tables_at_once(tmp_path: Path) -> None:
    both = [Database(f"sqlite:///{tmp_path / 'c.db'}") for _ in range(2)]
    await asyncio.gather(*(database.open() for database in both))
    assert [await database.read(count) for database in both] == [0, 0]
    for database in both:
        await database.close()


async def test_an_error_of_the_database_does_not_tell_what_was_written(tmp_path: Path) -> None:
    database = await opened(tmp_path / "c.db")
    with pytest.raises(IntegrityError) as raised:
        await database.write(lambda c: c.execute(insert(tables.events).values(**{**ROW, "type": None, "body": "hush"})))
    assert "hush" not in str(raised.value)
    await database.close()
