"""Two servers on one folder and one PostgreSQL: each shows what happens at the other."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from harness.postgres import Postgres
from harness.server import Server
from harness.sockets import BOUND_SECONDS, connect
from sqlalchemy import URL, create_engine

pytestmark = pytest.mark.slow(reason="starts two servers")


class Two(NamedTuple):
    """Two servers, and their database."""

    one: Server
    two: Server
    url: URL


@pytest.fixture(scope="module")
def both(postgres: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Two]:
    url = postgres.new_database()
    arguments = ("--CabinetApp.trust=always", f"--CabinetApp.db_url={url.render_as_string(hide_password=False)}")
    place = tmp_path_factory.mktemp("servers")
    one = Server(place / "one", arguments=arguments).start()
    # the confirmations of people belong to the folder, so both use the same ones
    shared = {"JUPYTER_DATA_DIR": str(one.place / "data")}
    two = Server(place / "two", arguments=arguments, environment=shared)
    two.root = one.root
    two.start()
    yield Two(one, two, url)
    assert (two.stop(), one.stop()) == (0, 0)


def test_the_events_of_a_run_arrive_at_the_other_server_in_order_although_every_connection_breaks(
    both: Two, postgres: Postgres
) -> None:
    async def watch() -> list[tuple[int, str]]:
        socket = await connect(both.two, "events")
        assert json.loads(await socket.read_message() or "")["type"] == "hello"
        for breaks in (False, True, False):
            runs = [await asyncio.to_thread(_start, both.one, "hello"), await asyncio.to_thread(_start, both.two, "x")]
            if breaks:
                await asyncio.to_thread(postgres.end_connections, both.url)
            wanted = {run["id"] for run in runs}
            async with asyncio.timeout(BOUND_SECONDS):
                while wanted:
                    frame = json.loads(await socket.read_message() or "")
                    seen.append((frame["seq"], frame["event"]["type"]))
                    if frame["event"]["type"] == "run_finished":
                        wanted.discard(frame["event"]["run"]["id"])
        socket.close()
        return seen

    seen: list[tuple[int, str]] = []
    asyncio.run(watch())
    engine = create_engine(both.url)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT seq, type FROM events ORDER BY seq").all()
    engine.dispose()
    first, last = seen[0][0], seen[-1][0]
    assert seen == [(row.seq, row.type) for row in rows if first <= row.seq <= last]
    assert len([each for each in seen if each[1] == "run_finished"]) == 6


def _start(server: Server, instruction: str, **fields: Any) -> dict[str, Any]:
    with server.client("ada") as client:
        return server.run(client, instruction, wait=0, **fields)
