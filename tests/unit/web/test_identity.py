"""Who asks behind JupyterHub, whose own identity provider keeps its login in its own cookie. Only the Hub is played."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from jupyter_server.auth.authorizer import AllowAllAuthorizer
from jupyter_server.base.handlers import JupyterHandler
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.testing import bind_unused_port
from tornado.web import create_signed_value

from jupyter_cabinet.core.people import Principal
from jupyter_cabinet.web.identity import may, principal_of

auth = pytest.importorskip("jupyterhub.services.auth")
singleuser = pytest.importorskip("jupyterhub.singleuser.extension")

SECRET = b"secret of cookies"
COOKIE = "jupyterhub-user-ada"
# Whom the Hub knows by which token: pages have the one of their login, kernels the server's, scripts a separate one.
PAGES, BENS, KERNELS = "token-of-adas-login", "token-of-bens-login", "token-of-the-server"
USERS = {PAGES: "ada", BENS: "ben", KERNELS: "ada"}
BROWSER = {"Origin": "http://lab", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}


class Hub(web.RequestHandler):
    """`GET hub/api/user`."""

    def get(self) -> None:
        name = USERS.get(self.request.headers["Authorization"].removeprefix("token "))
        if name is None:
            raise web.HTTPError(403)
        self.finish(json.dumps({"kind": "user", "name": name, "scopes": ["access:servers"]}))


class Connection:
    def set_close_callback(self, callback: Any) -> None:
        pass


@asynccontextmanager
async def hub() -> AsyncIterator[Any]:
    """JupyterHub's identity provider, and the part of a Hub that it asks."""
    listening, port = bind_unused_port("127.0.0.1")
    server = HTTPServer(web.Application([("/hub/api/user", Hub)]))
    server.add_socket(listening)
    oauth = auth.HubOAuth(
        api_url=f"http://127.0.0.1:{port}/hub/api",
        api_token=KERNELS,
        oauth_client_id=COOKIE,
        base_url="/",
        access_scopes={"access:servers"},
    )
    yield singleuser.JupyterHubIdentityProvider(hub_auth=oauth)
    server.stop()
    await server.close_all_connections()


async def caller(**headers: str) -> Principal | None:
    async with hub() as provider:
        authorizer = AllowAllAuthorizer(identity_provider=provider)
        settings = {"identity_provider": provider, "authorizer": authorizer, "cookie_secret": SECRET}
        application = web.Application(**settings, allow_remote_access=True, base_url="/")
        request = HTTPServerRequest(
            start_line=RequestStartLine("GET", "/", "HTTP/1.1"),
            headers=HTTPHeaders({"Host": "lab", **{name.replace("_", "-"): value for name, value in headers.items()}}),
            connection=Connection(),  # type: ignore[arg-type]
        )
        handler = JupyterHandler(application, request)
        handler.current_user = handler._jupyter_current_user = await provider.get_user(handler)
        return None if handler.current_user is None else await principal_of(handler, "cabinet-runs")


def login(token: str) -> str:
    return f"{COOKIE}={create_signed_value(SECRET, COOKIE, token).decode()}"


def token(token: str) -> str:
    return f"token {token}"


async def test_a_page_that_sends_its_token_with_its_login_is_a_person_at_a_browser() -> None:
    who = await caller(Authorization=token(PAGES), Cookie=login(PAGES), **BROWSER)
    assert who is not None and who.in_browser
    assert (who.username, who.shared_token, who.administrator) == ("ada", False, False)


async def test_a_connection_of_a_page_that_has_its_login_alone_is_a_person_at_a_browser() -> None:
    who = await caller(Cookie=login(PAGES), **{**BROWSER, "Sec-Fetch-Mode": "websocket"})
    assert who is not None and who.in_browser


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": token(KERNELS)},
        {"Authorization": token(KERNELS), **BROWSER},
        {"Authorization": token(PAGES), **BROWSER},
        {"Authorization": token(PAGES), "Cookie": login(PAGES)},
        {"Authorization": token(KERNELS), "Cookie": login("token-of-the-past"), **BROWSER},
        {"Authorization": token(KERNELS), "Cookie": login(BENS), **BROWSER},
        {"Authorization": token(KERNELS), "Cookie": f"{COOKIE}={PAGES}", **BROWSER},
    ],
    ids=["kernel", "imitated marks", "page's token", "no marks", "old login", "another's login", "unsigned cookie"],
)
async def test_a_token_alone_is_a_program(headers: dict[str, str]) -> None:
    who = await caller(**headers)
    assert who is not None and not who.in_browser and who.username == "ada"


@pytest.mark.parametrize("answer", [True, False])
async def test_an_authorizer_that_has_to_be_waited_for_is_waited_for(answer: bool) -> None:
    class Slow:
        async def is_authorized(self, handler: object, user: object, action: str, resource: str) -> bool:
            return answer and (action, resource) == ("read", "cabinet-runs")

    handler: Any = SimpleNamespace(authorizer=Slow(), current_user=None)
    assert await may(handler, "read", "cabinet-runs") is answer
