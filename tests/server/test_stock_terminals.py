"""JupyterLab's own terminals under our turn-taking: the stock routes and the stock wire, on a real server.

The first tests also fail when the hook in `jupyter_server_terminals` or the order in which Jupyter links its
extensions changes: the stock list would then hold terminals that ours does not know.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from harness.server import RIGHTS, Server, plain_client, until
from harness.sockets import BOUND_SECONDS, connect
from tornado.httpclient import HTTPRequest
from tornado.websocket import WebSocketClientConnection, websocket_connect


@pytest.fixture(scope="module")
def sharing_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    arguments = ("--CabinetApp.trust=always", "--CabinetApp.share_jupyter_terminals=True")
    server = Server(tmp_path_factory.mktemp("sharing"), people=True, arguments=arguments).start()
    yield server
    server.stop()


class StockClient:
    """What JupyterLab's own terminal says and hears."""

    def __init__(self, socket: WebSocketClientConnection) -> None:
        self.socket = socket
        self.text = ""
        self.ended = False

    async def say(self, *message: Any) -> None:
        await self.socket.write_message(json.dumps(message))

    async def shows(self, part: str) -> None:
        async with asyncio.timeout(BOUND_SECONDS):
            while part not in self.text:
                await self._hear()

    async def ends(self) -> None:
        async with asyncio.timeout(BOUND_SECONDS):
            while not self.ended:
                await self._hear()

    async def _hear(self) -> None:
        message = await self.socket.read_message()
        if message is None:
            self.ended = True
            return
        kind, *values = json.loads(message)
        self.text += values[0] if kind == "stdout" else ""
        self.ended = self.ended or kind == "disconnect"


@asynccontextmanager
async def stock_client(server: Server, name: str, username: str) -> AsyncIterator[StockClient]:
    url = f"ws://127.0.0.1:{server.port}{server.base_url}terminals/websocket/{name}"
    socket = await websocket_connect(HTTPRequest(url, headers={"Authorization": f"token {server.token(username)}"}))
    client = StockClient(socket)
    await client.say("set_size", 24, 80)
    yield client
    socket.close()


def stock(server: Server, username: str) -> httpx.Client:
    headers = {"Authorization": f"token {server.token(username)}"}
    return plain_client(f"{server.url}api/", headers=headers)


def opened(server: Server, username: str = "ada") -> tuple[str, str]:
    """A new stock terminal: its name there, and its id here."""
    with stock(server, username) as client:
        name = client.post("terminals", json={}).json()["name"]
    with server.client(username) as client:
        rows = until(lambda: [row for row in client.get("terminals").json()["items"] if row["name"] == name])
    return name, rows[-1]["id"]


def test_a_stock_terminal_is_one_of_ours_and_its_opener_controls_it(sharing_server: Server) -> None:
    name, id = opened(sharing_server)
    with sharing_server.client("ada") as client:
        assert client.get(f"terminals/{id}").json()["controller"]["username"] == "ada"

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", "echo $((6*7)) stands\r")
            await ada.shows("42 stands")

    asyncio.run(use())


def test_a_second_person_watches_and_cannot_type_until_control_is_given(sharing_server: Server) -> None:
    name, id = opened(sharing_server)

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada, stock_client(sharing_server, name, "ben") as ben:
            await ada.say("stdin", "echo from-$((40+2))\r")
            await ben.shows("from-42")
            await ben.say("stdin", "echo sneaked-$((40+3))\r")
            await ben.shows("Not sent: Ada Lind has control")
            await ada.say("stdin", "echo later-$((40+4))\r")
            await ben.shows("later-44")
            assert "sneaked-43" not in ben.text
            controls = await connect(sharing_server, f"terminals/{id}/ws", username="ada")
            await controls.write_message(json.dumps({"type": "attach", "cols": 80, "rows": 24}))
            await controls.write_message(json.dumps({"type": "grant_control", "to": "ben"}))
            while (await ask_controller(id)) != "ben":
                await asyncio.sleep(0.02)
            await ben.shows(f"\x1b]2;Terminal {name}\x07")  # what the title said is overtaken
            await ben.say("stdin", "echo allowed-$((40+5))\r")
            await ada.shows("allowed-45")
            controls.close()

    async def ask_controller(id: str) -> str:
        def ask() -> str:
            with sharing_server.client("ada") as client:
                return str(client.get(f"terminals/{id}").json()["controller"]["username"])

        return await asyncio.to_thread(ask)

    asyncio.run(use())


def test_typing_where_nobody_controls_takes_control(sharing_server: Server) -> None:
    name, id = opened(sharing_server)

    async def use() -> None:
        controls = await connect(sharing_server, f"terminals/{id}/ws", username="ada")
        await controls.write_message(json.dumps({"type": "attach", "cols": 80, "rows": 24}))
        await controls.write_message(json.dumps({"type": "revoke_control"}))
        async with stock_client(sharing_server, name, "ben") as ben:
            await ben.say("stdin", "echo mine-$((40+6))\r")
            await ben.shows("mine-46")
        controls.close()

    asyncio.run(use())


def test_only_who_may_steer_a_terminal_closes_it(sharing_server: Server) -> None:
    name, id = opened(sharing_server)

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada:
            with stock(sharing_server, "ben") as ben:
                assert (await asyncio.to_thread(ben.delete, f"terminals/{name}")).status_code == 403
            with stock(sharing_server, "ada") as owner:
                assert (await asyncio.to_thread(owner.delete, f"terminals/{name}")).status_code == 204
                assert name not in [row["name"] for row in (await asyncio.to_thread(owner.get, "terminals")).json()]
            await ada.ends()

    asyncio.run(use())
    with sharing_server.client("ada") as client:
        assert client.get(f"terminals/{id}").status_code == 404


def test_a_terminal_that_was_made_private_is_not_there_for_stock_clients_of_others(sharing_server: Server) -> None:
    name, id = opened(sharing_server)

    async def meet() -> None:
        with sharing_server.client("ada") as ada, stock(sharing_server, "ben") as ben:
            async with (
                stock_client(sharing_server, name, "ada") as own,
                stock_client(sharing_server, name, "ben") as by,
            ):
                await own.say("stdin", "echo $((6*7))\r")
                await by.shows("42")
                await asyncio.to_thread(ada.patch, f"terminals/{id}", json={"visibility": "private"})
                await by.shows("Ada Lind made this terminal private.")
                await by.ends()
            assert name not in [row["name"] for row in ben.get("terminals").json()]
            assert ben.get(f"terminals/{name}").status_code == 404
            assert ben.delete(f"terminals/{name}").status_code == 404
            async with stock_client(sharing_server, name, "ben") as late:
                await late.ends()
                assert "42" not in late.text
            with stock(sharing_server, "ada") as adas:
                assert name in [row["name"] for row in adas.get("terminals").json()]

    asyncio.run(meet())


def test_a_shell_that_exits_leaves_the_stock_list(sharing_server: Server) -> None:
    name, _ = opened(sharing_server)

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", "exit\r")
            await ada.ends()

    asyncio.run(use())
    with stock(sharing_server, "ada") as client:
        until(lambda: name not in [row["name"] for row in client.get("terminals").json()])


def test_who_saw_a_shell_exit_watches_it_no_more(sharing_server: Server) -> None:
    name, id = opened(sharing_server)

    async def use() -> list[str]:
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", "exit\r")
            await ada.ends()
            ours = await connect(sharing_server, f"terminals/{id}/ws", username="rea")
            await ours.write_message(json.dumps({"type": "attach", "cols": 80, "rows": 24}))
            hello = json.loads(await ours.read_message() or "")
            ours.close()
            return [each["username"] for each in hello["viewers"]]

    assert asyncio.run(use()) == ["rea"]


@pytest.mark.long(reason="waits for a right to be asked for again")
def test_a_stock_client_that_only_looks_goes_with_its_right(sharing_server: Server) -> None:
    name, _ = opened(sharing_server)

    async def use() -> None:
        async with stock_client(sharing_server, name, "ben") as ben:
            await ben.say("stdin", "x")
            await ben.shows("Not sent: Ada Lind has control")
            sharing_server.set_rights({**RIGHTS, "ben": ["not terminals:execute"]})
            await ben.ends()

    try:
        asyncio.run(use())
    finally:
        sharing_server.set_rights(RIGHTS)


@pytest.mark.slow(reason="connections are asked who they are every 3 s")
def test_a_stock_client_goes_with_its_login(sharing_server: Server) -> None:
    name, _ = opened(sharing_server)

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", "echo here-$((40+2))\r")
            await ada.shows("here-42")
            sharing_server.set_rights({**RIGHTS, "ada": None})
            await ada.ends()
        sharing_server.set_rights(RIGHTS)
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", "echo back-$((40+2))\r")
            await ada.shows("back-42")

    try:
        asyncio.run(use())
    finally:
        sharing_server.set_rights(RIGHTS)


def test_output_that_somebody_sees_counts_as_activity(sharing_server: Server, tmp_path: Path) -> None:
    name, _ = opened(sharing_server)
    go = tmp_path / "go"

    def last_activity() -> str:
        with stock(sharing_server, "ada") as client:
            return str(client.get(f"terminals/{name}").json()["last_activity"])

    async def use() -> None:
        async with stock_client(sharing_server, name, "ada") as ada:
            await ada.say("stdin", f"until [ -e {go} ]; do sleep 0.05; done; echo late-$((40+2))\r")
            await ada.shows("done; echo")
            before = await asyncio.to_thread(last_activity)
            go.touch()
            await ada.shows("late-42")
            assert await asyncio.to_thread(last_activity) > before

    asyncio.run(use())


def test_without_the_setting_stock_terminals_are_stock(people_server: Server) -> None:
    with stock(people_server, "ada") as client:
        name = client.post("terminals", json={}).json()["name"]
        with people_server.client("ada") as ours:
            assert name not in [row["name"] for row in ours.get("terminals").json()["items"]]
        client.delete(f"terminals/{name}")
