"""A `.cabinet/` that came with the folder is accepted with `trust=always`, but nothing that waits in it is acted on."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from harness.backend import ADA, Place, ended, submit
from harness.examples import cases

from jupyter_cabinet.core.errors import NotFound, Unavailable
from jupyter_cabinet.core.ids import new_id
from jupyter_cabinet.editor import history
from jupyter_cabinet.runs.model import RunFilter
from jupyter_cabinet.runs.reconcile import FOREIGN_REASON
from jupyter_cabinet.sandboxes.process_table.processes import start_time

pytestmark = pytest.mark.slow(reason="opens a server two or three times")

ELSEWHERE = "another-machine|0123|1|1"  # the process in a lease that nobody here can look at


class Sender:
    """Whoever packed the folder: their own server has worked in it, and they have changed its records since."""

    def __init__(self, folder: Path) -> None:
        self.place = Place(folder)
        self.state = self.place.root / ".cabinet"
        self.mark = folder / "acted"

    async def begin(self) -> str:
        """A run of theirs that has ended; its record is what the planted ones are made from."""
        async with self.place.backend(data=self.place.folder / "sender") as backend:
            command = {"kind": "manual", "path": None, "runtime": None, "command": self.command}
            run = await ended(backend, await submit(backend, "", **command))
            assert run.state == "succeeded" and self.mark.exists()
        self.mark.unlink()
        return run.id

    @property
    def command(self) -> tuple[str, ...]:
        return ("/bin/sh", "-c", f"echo acted > {self.mark}")

    @contextmanager
    def records(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.state / "cabinet.db")) as connection, connection:
            yield connection

    def change(self, run_id: str, *, body: dict[str, Any] | None = None, **columns: Any) -> None:
        with self.records() as connection:
            (text,) = connection.execute("SELECT body FROM runs WHERE id = ?", (run_id,)).fetchone()
            said = {**json.loads(text), **{key: columns[key] for key in ("state",) if key in columns}, **(body or {})}
            values = {"holder": new_id(), **columns, "body": json.dumps(said)}
            names = ", ".join(f"{name} = ?" for name in values)
            connection.execute(f"UPDATE runs SET {names} WHERE id = ?", (*values.values(), run_id))


@pytest.fixture
def sender(tmp_path: Path) -> Sender:
    return Sender(tmp_path)


@pytest.mark.parametrize("lease", cases(ELSEWHERE, None))
async def test_a_queued_command_that_came_with_the_folder_is_shown_and_never_run(
    sender: Sender, lease: str | None
) -> None:
    run_id = await sender.begin()
    holder = new_id()
    sender.change(run_id, state="queued", holder=holder)
    if lease:
        with sender.records() as connection:
            connection.execute("INSERT INTO leases VALUES (?, ?, 1, 0, ?)", (f"server-{holder}", holder, lease))
    for _ in range(2):  # nor at the start after
        async with sender.place.backend() as backend:
            run = await backend.runs.get(run_id, ADA)
            assert (run.state, run.reason) == ("interrupted", FOREIGN_REASON)
            assert [each.id for each in await backend.runs.find(RunFilter(), ADA)][-1] == run_id
            mine = await ended(backend, await submit(backend, "append: mine"))
            assert mine.state == "succeeded"
            if lease:
                with sender.records() as connection:
                    assert connection.execute("SELECT * FROM leases WHERE process = ?", (lease,)).fetchall() == []
    assert not sender.mark.exists()


async def test_what_follows_from_a_run_that_came_along_is_not_done(sender: Sender) -> None:
    async with sender.place.backend(data=sender.place.folder / "sender") as backend:
        run = await ended(backend, await submit(backend, "append: theirs"))
    file = sender.place.root / history.PLACE
    file.unlink()
    line = history.line_of(run)
    with sender.records() as connection:
        columns = (new_id(), history.TOPIC, msgspec.json.encode(line).decode())
        connection.execute("INSERT INTO outbox (holder, topic, body) VALUES (?, ?, ?)", columns)
    async with sender.place.backend():  # when it is closed all that was to do is done
        pass
    with sender.records() as connection:
        assert connection.execute("SELECT count(*) FROM outbox").fetchone() == (0,)
    assert not file.exists()


async def test_a_process_that_a_record_from_elsewhere_names_is_left_alone(sender: Sender) -> None:
    run_id = await sender.begin()
    bystander = subprocess.Popen(["sleep", "300"])
    try:
        sender.change(run_id, state="running", launcher_pid=bystander.pid, launcher_started=start_time(bystander.pid))
        async with sender.place.backend() as backend:
            assert (await backend.runs.get(run_id, ADA)).reason == FOREIGN_REASON
            assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait(10)


async def test_a_server_that_is_known_takes_over_its_queue_as_before(sender: Sender) -> None:
    run_id = await sender.begin()
    sender.change(run_id, state="queued", body={"finished_at": None})
    async with sender.place.backend(data=sender.place.folder / "sender") as backend:
        await backend.runs.wait(run_id, 30)
        assert (await backend.runs.get(run_id, ADA)).state == "succeeded"
    assert sender.mark.exists()


@pytest.mark.parametrize("trust", cases("ask", "always"))
@pytest.mark.parametrize("place", ["elsewhere", "root"])
async def test_a_copy_of_an_own_folder_that_was_changed_meanwhile_runs_nothing(
    sender: Sender, trust: str, place: str
) -> None:
    """Also one that was unpacked in the place of the first, under a root that was confirmed before."""
    run_id = await sender.begin()
    sender.change(run_id, state="queued", body={"finished_at": None})
    own, away = sender.place.root, sender.place.folder / "away"
    shutil.copytree(own, away)
    shutil.move(own, sender.place.folder / "before")
    root = sender.place.folder / place
    shutil.move(away, root)
    data = sender.place.folder / "sender"
    for _ in range(2):
        async with sender.place.backend(data=data, root=root, trust=trust) as backend:
            run = await backend.runs.get(run_id, ADA)
            assert (run.state, run.reason) == ("interrupted", FOREIGN_REASON)
    assert not sender.mark.exists()


async def test_nothing_that_waits_begins_in_a_folder_that_nobody_has_confirmed(sender: Sender) -> None:
    run_id = await sender.begin()
    sender.change(run_id, state="queued", body={"state": "queued", "finished_at": None})
    data = sender.place.folder / "sender"
    async with sender.place.backend(data=data, trust="ask") as backend:
        assert (await backend.runs.get(run_id, ADA)).state == "queued"
        await backend.trust.confirm((await backend.trust.state()).hash, ADA)
        assert (await ended(backend, await submit(backend, "append: mine"))).state == "succeeded"
        await backend.runs.wait(run_id, 30)
        assert (await backend.runs.get(run_id, ADA)).state == "succeeded"


async def test_the_runs_of_a_server_that_works_beside_this_one_go_on(sender: Sender) -> None:
    async with sender.place.backend(data=sender.place.folder / "sender") as theirs:
        working = await submit(theirs, "sleep 300", kind="manual", path=None)
        async with sender.place.backend() as backend:
            assert (await backend.runs.get(working.id, ADA)).state in ("queued", "starting", "running")
        assert (await theirs.runs.cancel(working.id, ADA)).state == "cancelled"


@pytest.mark.parametrize(
    "body",
    cases({"id": "../../../etc"}, {"id": new_id()}, {"state": "succeeded"}, {"queued_at": 5}, {"kind": ["x"] * 3}),
    ids=str,
)
async def test_a_record_that_does_not_fit_its_row_is_out_of_service_and_the_rest_goes_on(
    sender: Sender, body: dict[str, Any]
) -> None:
    run_id = await sender.begin()
    sender.change(run_id, state="queued", body=body)
    for data in ("data", "sender"):
        async with sender.place.backend(data=sender.place.folder / data) as backend:
            assert (await ended(backend, await submit(backend, "append: mine"))).state == "succeeded"
            if "id" in body:
                with pytest.raises(NotFound):
                    await backend.runs.get(run_id, ADA)
        sender.mark.unlink(missing_ok=True)
    assert not sender.mark.exists()


async def test_the_files_of_a_run_are_looked_for_in_its_own_place_only(sender: Sender) -> None:
    (sender.place.folder / "secret").write_text("secret")
    run_id = await sender.begin()
    (sender.state / "runs" / run_id / "raw").unlink(missing_ok=True)
    (sender.state / "runs" / run_id / "raw").symlink_to(sender.place.folder / "secret")
    sender.change(run_id, body={"terminal_id": None})
    async with sender.place.backend(data=sender.place.folder / "sender") as backend:
        assert await backend.runs.files.raw(run_id, ADA) == b""
    sender.change(run_id, body={"terminal_id": "../../../secret"})
    async with sender.place.backend(data=sender.place.folder / "sender") as backend:
        with pytest.raises(NotFound):
            await backend.runs.files.raw(run_id, ADA)


async def test_a_database_that_brings_a_trigger_along_is_refused_and_left_as_it_is(sender: Sender) -> None:
    run_id = await sender.begin()
    with sender.records() as connection:
        again = f"UPDATE runs SET state = 'queued' WHERE id = '{run_id}'"
        connection.execute(f"CREATE TRIGGER again AFTER INSERT ON runs BEGIN {again}; END")
    before = (sender.state / "cabinet.db").read_bytes()
    with pytest.raises(Unavailable, match="trigger named again"):
        async with sender.place.backend():
            pass
    assert (sender.state / "cabinet.db").read_bytes() == before
    with sender.records() as connection:
        connection.execute("DROP TRIGGER again")
    async with sender.place.backend() as backend:
        assert (await ended(backend, await submit(backend, "append: mine"))).state == "succeeded"


@pytest.mark.parametrize("name", cases("cabinet.db", "cabinet.db-wal", "cabinet.db-journal", quick=2))
async def test_a_link_in_place_of_the_database_is_not_written_through(sender: Sender, name: str) -> None:
    await sender.begin()
    (sender.place.folder / "mine").write_bytes(b"")
    (sender.state / name).unlink(missing_ok=True)
    (sender.state / name).symlink_to(sender.place.folder / "mine")
    with pytest.raises(Unavailable, match="not a regular file"):
        async with sender.place.backend():
            pass
    assert (sender.place.folder / "mine").read_bytes() == b""


async def test_a_pipe_in_place_of_the_folders_mark_makes_it_a_foreign_one(sender: Sender) -> None:
    run_id = await sender.begin()
    sender.change(run_id, state="queued")
    (sender.state / "id").unlink()
    os.mkfifo(sender.state / "id")
    async with sender.place.backend(data=sender.place.folder / "sender") as backend:
        assert (await backend.runs.get(run_id, ADA)).reason == FOREIGN_REASON
    assert (sender.state / "id").is_file()


@pytest.mark.parametrize("trust", cases("always", "ask"))
async def test_a_database_that_somebody_put_into_our_own_folder_is_shown_and_not_run(
    sender: Sender, tmp_path_factory: pytest.TempPathFactory, trust: str
) -> None:
    run_id = await sender.begin()
    sender.change(run_id, state="queued")
    mine = Place(tmp_path_factory.mktemp("mine"))
    async with mine.backend() as backend:
        assert (await ended(backend, await submit(backend, "append: mine"))).state == "succeeded"
    shutil.copy(sender.state / "cabinet.db", mine.root / ".cabinet" / "cabinet.db")  # as an archive does
    for _ in range(2):
        async with mine.backend(trust=trust) as backend:
            assert (await backend.runs.get(run_id, ADA)).reason == FOREIGN_REASON
    async with mine.backend() as backend:
        assert (await ended(backend, await submit(backend, "append: mine"))).state == "succeeded"
    assert not sender.mark.exists()
