"""Space in reserve: given up when the disk is full, so that what ends can still be put on record."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection

from jupyter_cabinet.core.errors import NoRoom
from jupyter_cabinet.storage.database import Database
from jupyter_cabinet.storage.reserve import RESERVE_BYTES, Reserve


async def opened(folder: Path) -> Database:
    database = Database(f"sqlite:///{folder / 'cabinet.db'}", state_folder=folder)
    await database.open()
    return database


def fill(connection: Connection) -> None:
    """From now on this connection finds no page any more, as on a full disk."""
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def write_much(connection: Connection) -> None:
    connection.exec_driver_sql("INSERT INTO counters VALUES (hex(randomblob(200000)), 1)")


async def test_a_full_disk_takes_the_reserve_first_and_is_told_when_that_is_gone(tmp_path: Path) -> None:
    database = await opened(tmp_path)
    reserve = tmp_path / "reserve"
    assert reserve.stat().st_blocks * 512 >= RESERVE_BYTES
    await database.write(fill)
    await database.write(write_much)  # in a separate connection, with the room that was given up
    assert not reserve.exists()
    await database.write(fill)
    with pytest.raises(NoRoom):
        await database.write(write_much)
    await database.keep_reserve()
    assert reserve.exists()
    await database.close()


def test_without_a_folder_or_with_something_else_in_its_place_there_is_none(tmp_path: Path) -> None:
    Reserve(None).keep()
    assert not Reserve(None).release()
    (tmp_path / "reserve").mkdir()
    reserve = Reserve(tmp_path)
    reserve.keep()
    assert not reserve.release()
