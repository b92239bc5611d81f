"""A message about several things fits into one message, lists at most 20 of them and counts the rest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.channels.port import Limits
from jupyter_cabinet.channels.rules.digests import MOST_LISTED, digest_text
from jupyter_cabinet.channels.rules.splitting import length

LIMITS = Limits(length=4096, unit="utf-16")
sentences = st.lists(st.text(st.sampled_from("a 🦭."), min_size=1, max_size=320), min_size=1, max_size=60)


@given(sentences)
def test_it_fits_and_counts_everything(given: list[str]) -> None:
    text = digest_text(given, LIMITS)
    assert length(text, LIMITS) <= LIMITS.length
    if len(given) == 1:
        assert text == given[0]
        return
    first, *lines = text.split("\n")
    assert first == f"{len(given)} notifications:"
    listed = sum(line.startswith("- ") for line in lines)
    assert 1 <= listed <= MOST_LISTED and lines[:listed] == [f"- {each}" for each in given[:listed]]
    rest = [f"and {len(given) - listed} more. See Activity in JupyterLab."] if listed < len(given) else []
    assert lines[listed:] == rest


def test_short_sentences_are_all_listed_up_to_twenty() -> None:
    assert digest_text(["one"] * 20, LIMITS).count("- one") == 20
    text = digest_text(["one"] * 21, LIMITS)
    assert text.count("- one") == 20 and "and 1 more." in text
