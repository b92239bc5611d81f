"""JSON from outside: whatever is wrong with it is said as one error."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.core.json_input import REASON_CHARACTERS, converted, decoded


class Wanted(msgspec.Struct, forbid_unknown_fields=False):
    name: str = ""


DECODER = msgspec.json.Decoder(Wanted)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"\xff", b'{"name":"\\ud800"}', b"[" * 500_000, b'{"other":' + b"[" * 500_000, '{"name":"\ud800"}'],
    ids=["nothing", "half", "no UTF-8", "half a character", "deep", "deep where nobody looks", "a text's half"],
)
def test_what_cannot_be_decoded_is_invalid(data: str | bytes) -> None:
    with pytest.raises(Invalid) as caught:
        decoded(DECODER, data)
    assert len(caught.value.message) < REASON_CHARACTERS + 50


def test_a_wrong_field_is_named_and_little_of_what_came_in_is_repeated() -> None:
    with pytest.raises(Invalid) as caught:
        decoded(DECODER, b'{"name": 5}')
    assert caught.value.detail["field"] == "name"
    strict = msgspec.json.Decoder(msgspec.defstruct("Strict", [], forbid_unknown_fields=True))
    with pytest.raises(Invalid) as caught:
        decoded(strict, b'{"%s": 5}' % (b"x" * 10_000))
    assert len(caught.value.message) < REASON_CHARACTERS + 50


def test_what_was_decoded_already_is_held_to_the_same() -> None:
    assert converted({"name": "Ada"}, Wanted) == Wanted(name="Ada")
    with pytest.raises(Invalid) as caught:
        converted({"name": 5}, Wanted)
    assert caught.value.detail["field"] == "name"
