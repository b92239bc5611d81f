"""Pages of which origin may use a login: where the operator lets some in, no other whose name begins like theirs."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from harness.server import Server
from harness.sockets import connect
from tornado.httpclient import HTTPClientError

FRIEND = "https://good.example"  # as `allow_origin_pat` of the server names it
FOREIGN = ("https://good.example.evil.test", "https://good.example:8443", "https://evil.test?https://good.example")
ORIGINS = [(FRIEND, True), *((each, False) for each in FOREIGN)]


def cookies(client: httpx.Client) -> str:
    return "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)


@pytest.mark.parametrize(("origin", "may"), ORIGINS)
def test_only_a_page_that_the_operator_lets_in_opens_a_connection_with_a_login(
    shared_server: Server, origin: str, may: bool
) -> None:
    async def opens(path: str, login: str) -> bool:
        try:
            socket = await connect(shared_server, path, Authorization="", Cookie=login, Origin=origin)
        except HTTPClientError as error:
            assert error.code == 403
            return False
        socket.close()
        return True

    with shared_server.browser_client("ada") as browser:
        terminal = browser.post("terminals", json={}).json()["id"]
        for path in ("events", f"terminals/{terminal}/ws"):
            assert asyncio.run(opens(path, cookies(browser))) is may
        browser.delete(f"terminals/{terminal}")


@pytest.mark.parametrize(("origin", "may"), ORIGINS)
def test_only_a_page_that_the_operator_lets_in_starts_a_run(shared_server: Server, origin: str, may: bool) -> None:
    with shared_server.browser_client("ada") as browser:
        body = {"kind": "manual", "runtime": "demo", "instruction": "hello"}
        assert browser.post("runs", json=body, headers={"Origin": origin}).status_code == (201 if may else 403)
