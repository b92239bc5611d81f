"""Who is at the other end of a connection: asked of the identity provider, which may be silent for a while."""

from __future__ import annotations

from typing import Any

import pytest
from jupyter_server.auth import IdentityProvider, User
from jupyter_server.base.handlers import JupyterHandler
from jupyterhub._xsrf_utils import _needs_check_xsrf
from tornado import web
from tornado.httputil import HTTPHeaders, HTTPServerRequest, RequestStartLine
from tornado.websocket import WebSocketHandler

from jupyter_cabinet.testing.manual_clock import ManualClock
from jupyter_cabinet.web.same_caller import UNANSWERED_SECONDS, SameCaller


class Provider(IdentityProvider):
    """Answers what the test says. Keeps its answer on the handler, as JupyterHub's does."""

    answer: Any = User(username="ada")

    async def get_user(self, handler: Any) -> User | None:
        if not hasattr(handler, "_kept"):
            handler._kept = self.answer
        if isinstance(handler._kept, Exception):
            raise handler._kept
        return handler._kept  # type: ignore[no-any-return]


class Connection:
    def set_close_callback(self, callback: Any) -> None:
        pass


class HubProvider(Provider):
    """Looks at a request as JupyterHub's does, which logs what it finds odd."""

    async def get_user(self, handler: Any) -> User | None:
        self.needs_check = _needs_check_xsrf(handler)
        self.keeps_token = not isinstance(handler, WebSocketHandler)
        return await super().get_user(handler)


async def connected(provider: Provider, **headers: str) -> JupyterHandler:
    application = web.Application(identity_provider=provider, allow_remote_access=True, base_url="/")
    request = HTTPServerRequest(
        start_line=RequestStartLine("GET", "/", "HTTP/1.1"),
        headers=HTTPHeaders({"Host": "lab", **headers}),
        connection=Connection(),  # type: ignore[arg-type]
    )
    handler = JupyterHandler(application, request)
    await handler.prepare(_redirect_to_login=False)
    return handler


async def test_who_became_somebody_else_or_nobody_is_not_here() -> None:
    provider = Provider()
    caller = SameCaller(await connected(provider), ManualClock())
    assert await caller.is_here()
    for answer in (User(username="ben"), None):
        provider.answer = answer
        assert not await caller.is_here()


async def test_who_got_another_name_to_be_shown_is_here_with_it() -> None:
    provider = Provider()
    handler = await connected(provider)
    provider.answer = User(username="ada", display_name="Ada Lind")
    assert await SameCaller(handler, ManualClock()).is_here()
    assert handler.current_user.display_name == "Ada Lind"


async def test_a_check_behind_a_hub_logs_no_warning_of_its_own(caplog: pytest.LogCaptureFixture) -> None:
    provider = HubProvider()
    handler = await connected(provider)
    assert "Skipping XSRF check" in caplog.text  # as for every WebSocket, once
    caplog.clear()
    caller = SameCaller(handler, ManualClock())
    assert await caller.is_here() and await caller.is_here()
    assert not provider.needs_check and not provider.keeps_token and caplog.text == ""
    assert "Sec-Fetch-Mode" not in handler.request.headers


async def test_a_check_is_as_strict_as_the_request_that_opened_the_connection() -> None:
    provider = HubProvider()
    caller = SameCaller(await connected(provider, **{"Sec-Fetch-Mode": "cors"}), ManualClock())
    assert await caller.is_here() and provider.needs_check


@pytest.mark.parametrize("failure", [web.HTTPError(502), OSError("nobody answers")])
async def test_no_answer_takes_nothing_away_for_a_while(failure: Exception) -> None:
    provider, clock = Provider(), ManualClock()
    caller = SameCaller(await connected(provider), clock)
    await clock.advance(UNANSWERED_SECONDS)
    assert await caller.is_here()  # from this answer on it counts
    provider.answer = failure
    await clock.advance(UNANSWERED_SECONDS - 1)
    assert await caller.is_here()
    await clock.advance(1)
    assert not await caller.is_here()
