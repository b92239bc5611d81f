"""Which session ids become a header."""

from __future__ import annotations

import sys
from contextvars import ContextVar
from types import SimpleNamespace

import pytest

from jupyter_cabinet.client.connection.kernel_session import executing_session


@pytest.mark.parametrize(
    ("session", "sent"),
    [("6a94-b2:x.1", "6a94-b2:x.1"), (" 6a94", ""), ("6a94\r\nCookie: x", ""), ("é", ""), ("x" * 201, ""), (7, "")],
)
def test_an_id_that_makes_no_valid_header_is_not_sent(
    monkeypatch: pytest.MonkeyPatch, session: object, sent: str
) -> None:
    parent: ContextVar[object] = ContextVar("parent")
    parent.set({"header": {"session": session}})
    shell = SimpleNamespace(kernel=SimpleNamespace(_shell_parent=parent))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert executing_session() == sent
