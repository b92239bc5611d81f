"""Whether a request comes from a page of this server."""

import pytest

from jupyter_cabinet.web.origin import OriginPolicy, is_allowed

HOST = {"Host": "lab.example:8888"}


@pytest.mark.parametrize(
    ("headers", "changes", "allowed"),
    [
        ({}, False, True),
        ({}, True, False),
        ({"Authorization": "token x"}, True, True),
        ({"Authorization": "Basic x"}, True, False),
        ({"Origin": "http://lab.example:8888"}, True, True),
        ({"Origin": "HTTPS://LAB.example:8888"}, True, True),
        ({"Origin": "http://lab.example"}, True, False),
        ({"Origin": "null"}, False, False),
        ({"Origin": "http://evil.example", "Authorization": "token x"}, False, False),
        ({"Origin": "http://lab.example:8888.evil.example"}, True, False),
        ({"Sec-Websocket-Origin": "http://evil.example"}, True, False),
    ],
)
def test_origins(headers: dict[str, str], changes: bool, allowed: bool) -> None:
    assert is_allowed({**HOST, **headers}, OriginPolicy(), changes_state=changes) is allowed


def test_the_operators_rules_count() -> None:
    other = {**HOST, "Origin": "https://hub.example"}
    assert is_allowed(other, OriginPolicy(allow_origin="https://hub.example"), changes_state=True)
    assert is_allowed(other, OriginPolicy(allow_origin="*"), changes_state=True)
    assert is_allowed(other, OriginPolicy(allow_pattern=r"https://.*\.example"), changes_state=True)
    assert not is_allowed(other, OriginPolicy(allow_origin="https://x.example"), changes_state=True)
