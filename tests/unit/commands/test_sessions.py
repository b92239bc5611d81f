"""`jupyter cabinet sessions search` says when it has not seen all sessions."""

from __future__ import annotations

import argparse
from typing import Any

import pytest

from jupyter_cabinet.commands.sessions import MORE, listed


class Api:
    def __init__(self, next: str | None) -> None:
        self._next = next

    def get(self, _path: str, **_query: object) -> dict[str, Any]:
        return {"items": [], "next": self._next, "total": 9}


def arguments(**given: Any) -> argparse.Namespace:
    return argparse.Namespace(**{"runtime": None, "project": None, "tag": None, "grade": None, "limit": 50, **given})


@pytest.mark.parametrize(
    ("next", "query", "lines"),
    [
        ("3", "walrus", (MORE,)),
        (None, "walrus", ("No session matches these filters.",)),
        ("3", None, ("No session matches these filters.",)),
    ],
)
def test_more_sessions_may_match(next, query, lines):
    api: Any = Api(next)
    assert listed(api, arguments(query=query)).lines == lines
