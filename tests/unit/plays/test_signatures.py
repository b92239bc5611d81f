"""A request counts when it is signed with the secret, and not too old."""

from __future__ import annotations

import hashlib
import hmac
import itertools
from datetime import UTC, datetime

import msgspec
import pytest

from jupyter_cabinet.plays.signatures import MAX_BODY_BYTES, Delivery, is_genuine, signature

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
SECONDS = str(int(NOW.timestamp()))
GOOD = Delivery(timestamp=SECONDS, id="d-1", signature=signature("s", SECONDS, "d-1", b"body"), body=b"body")


def test_the_signature_is_an_hmac_over_time_id_and_body() -> None:
    expected = hmac.new(b"s", f"{SECONDS}.d-1.body".encode(), hashlib.sha256).hexdigest()
    assert GOOD.signature == expected
    assert is_genuine(GOOD, "s", NOW)
    assert is_genuine(msgspec.structs.replace(GOOD, signature=f"sha256={expected}"), "s", NOW)
    assert not is_genuine(GOOD, "other", NOW)


@pytest.mark.parametrize(
    "change",
    [
        {"body": b"another"},
        {"id": "d-2"},
        {"timestamp": str(int(SECONDS) + 1)},
        {"signature": ""},
        {"signature": "sha256=é"},
    ],
)
def test_whatever_is_changed_no_longer_counts(change: dict[str, object]) -> None:
    assert not is_genuine(msgspec.structs.replace(GOOD, **change), "s", NOW)


@pytest.mark.parametrize(("off", "counts"), [(300, True), (-300, True), (301, False), (-301, False)])
def test_the_time_may_be_off_by_five_minutes(off: int, counts: bool) -> None:
    timestamp = str(int(SECONDS) + off)
    delivery = Delivery(timestamp=timestamp, id="d", signature=signature("s", timestamp, "d", b""), body=b"")
    assert is_genuine(delivery, "s", NOW) == counts


@pytest.mark.parametrize(("timestamp", "id"), [("", "d"), ("-1", "d"), ("1e9", "d"), (SECONDS, ""), (SECONDS, "a b")])
def test_what_is_not_well_formed_does_not_count_though_it_is_signed(timestamp: str, id: str) -> None:
    signed = Delivery(timestamp=timestamp, id=id, signature=signature("s", timestamp, id, b""), body=b"")
    zeros = Delivery(timestamp=timestamp, id=id, signature=signature("s", "0", "x", b""), body=b"")
    assert not is_genuine(signed, "s", NOW) and not is_genuine(zeros, "s", NOW)


def test_a_body_that_is_too_large_does_not_count() -> None:
    body = b"x" * (MAX_BODY_BYTES + 1)
    assert not is_genuine(Delivery(timestamp=SECONDS, id="d", signature="", body=body), "s", NOW)


@pytest.mark.parametrize(("id", "body"), [("d-1", b"one.two"), ("d-1", b'{"v": 1.0}'), ("d-1", b"a.b.c"), ("d-1", b"")])
def test_a_captured_request_that_is_split_at_another_dot_does_not_count(id: str, body: bytes) -> None:
    captured = f"{SECONDS}.{id}.{body.decode()}"
    signed = signature("s", SECONDS, id, body)
    assert is_genuine(Delivery(timestamp=SECONDS, id=id, signature=signed, body=body), "s", NOW)
    for first, second in itertools.combinations([at for at, letter in enumerate(captured) if letter == "."], 2):
        other = Delivery(
            timestamp=captured[:first],
            id=captured[first + 1 : second],
            body=captured[second + 1 :].encode(),
            signature=signed,
        )
        assert is_genuine(other, "s", NOW) is (other.id == id)


def test_an_id_with_a_dot_does_not_count_though_it_is_signed() -> None:
    signed = Delivery(timestamp=SECONDS, id="d.1", signature=signature("s", SECONDS, "d.1", b"x"), body=b"x")
    assert not is_genuine(signed, "s", NOW)
