"""Secrets are found wherever the chunks are cut."""

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.redaction import Redactor

SECRETS = ["token-0123456789", "another+secret.9"]


@given(
    pieces=st.lists(st.sampled_from(["x", "tok", "token-", "\n", "é", *SECRETS]), max_size=12),
    cuts=st.lists(st.integers(0, 200), max_size=8),
)
def test_a_secret_split_over_chunks_is_taken_out_and_nothing_else(pieces: list[str], cuts: list[int]) -> None:
    data = "".join(pieces).encode()
    expected = Redactor(SECRETS).redact(data.decode()).encode()
    stream = Redactor(SECRETS)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    out = b"".join(stream.feed(data[a:b]) for a, b in pairwise(places)) + stream.flush()
    assert out == expected
    assert not any(secret.encode() in out for secret in SECRETS)


def test_short_values_are_no_secrets() -> None:
    assert Redactor(["", "abc"]).redact("abc") == "abc"


def test_a_secret_with_a_quote_is_found_in_json_too() -> None:
    secret = 'quote"and\\slash'
    redactor = Redactor([secret])
    assert redactor.redact(json.dumps({"text": secret})) == '{"text": "[redacted]"}'
    assert redactor.fresh().redact(secret) == "[redacted]"
