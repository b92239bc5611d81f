"""Whom a kernel acts as: the person at whose page a cell runs if all share one login, else whoever its token names."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

import httpx
import pytest
from harness.kernels import NotebookKernel, notebook_kernel
from harness.server import Server
from harness.sockets import BOUND_SECONDS
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from jupyter_cabinet.client.connection.kernel_session import HEADER

CODE = """
from jupyter_cabinet import Cabinet
print(Cabinet().run("hello", runtime="demo").result().run_id)
"""
IN_A_THREAD = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
    print(pool.submit(lambda: Cabinet().run("hello", runtime="demo").result().run_id).result())
"""


async def run_cell(kernel: NotebookKernel, page: httpx.Client, code: str, session: str) -> str:
    """Run code as a page does, over a WebSocket connection with the page's login, and return what it prints."""
    path = f"{kernel.server.base_url}api/kernels/{kernel.id}/channels?session_id={session}"
    cookies = "; ".join(f"{name}={value}" for name, value in page.cookies.items())
    headers = {"Cookie": cookies, "Origin": kernel.server.origin}
    socket = await websocket_connect(HTTPRequest(f"ws://127.0.0.1:{kernel.server.port}{path}", headers=headers))
    asked = {
        "header": {"msg_id": uuid.uuid4().hex, "msg_type": "execute_request", "session": session, "username": "eve"},
        "parent_header": {},
        "metadata": {},
        "content": {"code": code, "silent": False},
        "channel": "shell",
    }
    await socket.write_message(json.dumps(asked))
    printed = ""
    async with asyncio.timeout(BOUND_SECONDS):
        while True:
            message = await socket.read_message()
            assert isinstance(message, str)
            heard: dict[str, Any] = json.loads(message)
            if heard["parent_header"].get("msg_id") != asked["header"]["msg_id"]:  # type: ignore[index]
                continue
            assert heard["msg_type"] != "error", heard["content"]
            printed += heard["content"].get("text", "") if heard["msg_type"] == "stream" else ""
            if heard["msg_type"] == "status" and heard["content"]["execution_state"] == "idle":
                break
    socket.close()
    return printed.strip()


@pytest.mark.slow(reason="a kernel is started")
def test_a_cell_acts_as_the_person_at_whose_page_it_runs(shared_server: Server) -> None:
    with (
        notebook_kernel(shared_server, "people.ipynb") as kernel,
        shared_server.browser_client("ada") as ada,
        shared_server.browser_client("ben") as ben,
    ):
        people = [client.get("health").json()["you"]["username"] for client in (ada, ben)]
        assert len({*people, "owner"}) == 3
        for page, person in zip((ada, ben), people, strict=True):
            run_id = asyncio.run(run_cell(kernel, page, CODE, uuid.uuid4().hex))
            run = ada.get(f"runs/{run_id}").json()
            assert (run["owner"], run["trigger"]["kind"]) == (person, "program")
        # what a thread does may end long after its cell: no page is known
        run_id = asyncio.run(run_cell(kernel, ada, IN_A_THREAD, uuid.uuid4().hex))
        assert ada.get(f"runs/{run_id}").json()["owner"] == "owner"


@pytest.mark.slow(reason="a kernel is started")
def test_what_a_kernel_claims_counts_for_nothing_where_people_have_names(people_server: Server) -> None:
    with notebook_kernel(people_server, "names.ipynb") as kernel, people_server.browser_client("ada") as ada:
        session = uuid.uuid4().hex
        claim = f"""
import httpx
given = {{"Authorization": "token {people_server.token("ben")}", {HEADER!r}: {session!r}}}
print(httpx.get({people_server.url + "cabinet/api/health"!r}, headers=given).json()["you"]["username"])
"""
        assert asyncio.run(run_cell(kernel, ada, claim, session)) == "ben"


@pytest.mark.slow(reason="a kernel is started")
def test_a_cell_says_which_token_it_needs_where_people_have_names_and_acts_as_its_person(people_server: Server) -> None:
    tries = """
import os
from jupyter_cabinet import Cabinet
from jupyter_cabinet.client import CabinetError
try:
    Cabinet().run("hello", runtime="demo").result()
except CabinetError as error:
    print(error)
"""
    with notebook_kernel(people_server, "token.ipynb") as kernel, people_server.browser_client("ada") as ada:
        said = asyncio.run(run_cell(kernel, ada, tries, uuid.uuid4().hex))
        assert "did not accept the token" in said and "JUPYTER_CABINET_TOKEN" in said
        token = f'os.environ["JUPYTER_CABINET_TOKEN"] = {people_server.token("ada")!r}'
        run_id = asyncio.run(run_cell(kernel, ada, token + CODE, uuid.uuid4().hex))
        assert ada.get(f"runs/{run_id}").json()["owner"] == "ada"


@pytest.mark.slow(reason="a kernel is started")
def test_a_session_that_no_page_has_open_is_nobodys(shared_server: Server) -> None:
    never, asked_for = uuid.uuid4().hex, uuid.uuid4().hex
    with notebook_kernel(shared_server, "nobody.ipynb") as kernel, shared_server.browser_client("ada") as ada:
        path = f"{shared_server.url}api/kernels/{kernel.id}/channels"
        assert ada.get(path, params={"session_id": asked_for}).status_code == 400  # it is not opened
        for session in (never, asked_for):
            with shared_server.client("ada", **{HEADER: session}) as client:
                assert client.get("health").json()["you"]["username"] == "owner"
