"""A page's way to our API, which can be cut and repaired."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, Route, WebSocketRoute


class Wire:
    """Made before the page is opened."""

    def __init__(self, page: Page) -> None:
        self._cut = False
        self._sockets: list[WebSocketRoute] = []
        page.route("**/cabinet/api/**", self._request)
        page.route_web_socket(re.compile("/cabinet/api/"), self._socket)

    def _request(self, route: Route) -> None:
        if self._cut:
            route.abort()
        else:
            route.continue_()

    def _socket(self, socket: WebSocketRoute) -> None:
        if self._cut:
            socket.close()
            return
        socket.connect_to_server()
        self._sockets.append(socket)

    def cut(self) -> None:
        self._cut = True
        for socket in self._sockets:
            socket.close()
        self._sockets.clear()

    def mend(self, try_now: Locator) -> None:
        """Repair, and press what tries again. It has gone where the page was faster: it tries by itself too."""
        self._cut = False
        try_now.evaluate_all("buttons => buttons.forEach(button => button.click())")
