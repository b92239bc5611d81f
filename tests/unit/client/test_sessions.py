"""`cabinet.sessions.find`: a search whose pages are not full is continued."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest

from jupyter_cabinet.client.sessions import CliSessions
from jupyter_cabinet.transcripts.model import CliSession, CliSessionPage


class Api:
    """Answers with one session a page, of as many as there are."""

    def __init__(self, sessions: int) -> None:
        self.portal = self  # everything happens on the loop of the test
        self.asked: list[dict[str, Any]] = []
        self._sessions = sessions

    async def awaited(self, work: Awaitable[Any]) -> Any:
        return await work

    async def fetch(self, _path: str, _gives: type, query: dict[str, Any]) -> CliSessionPage:
        self.asked.append(query)
        at = int(query["cursor"])
        session = CliSession(id=str(at), runtime="pi", native_id=str(at), title="", cwd="")
        return CliSessionPage(items=(session,), next=str(at + 1) if at + 1 < self._sessions else None)


@pytest.mark.parametrize(
    ("query", "limit", "found"), [("walrus", 50, 4), ("walrus", 3, 3), (None, 50, 1)], ids=["all", "limit", "a list"]
)
async def test_a_search_goes_through_the_pages_until_it_has_enough(query, limit, found):
    api: Any = Api(4)
    sessions = await CliSessions(api).find.aio(query, limit=limit)
    assert [each.id for each in sessions] == [str(number) for number in range(found)]
    assert [each["limit"] for each in api.asked] == [limit - number for number in range(found)]


async def test_a_search_without_an_end_is_given_up():
    api: Any = Api(1000)
    assert len(await CliSessions(api).find.aio("walrus")) == 10
