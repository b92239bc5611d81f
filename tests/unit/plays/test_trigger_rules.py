"""Which triggers fire, which chains stop, which paths fit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jupyter_cabinet.plays import triggers
from jupyter_cabinet.plays.triggers import (
    AgentMessage,
    FileChanged,
    GoalBehind,
    Manual,
    OnComplete,
    chain_refusal,
    fixed_folder,
    is_too_soon,
    is_watched,
    key_of,
    matches,
)

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)


def test_a_trigger_has_a_name_of_its_own() -> None:
    found = [
        Manual(),
        OnComplete(play="a"),
        OnComplete(play="a", status="failed"),
        GoalBehind(metric="m"),
        GoalBehind(metric="m", agent="bob"),
        FileChanged(path="x" * 500),
    ]
    keys = [key_of(each) for each in found]
    assert keys[:3] == ["manual", "on_complete:a:succeeded", "on_complete:a:failed"]
    assert len(set(keys)) == len(found) and max(map(len, keys)) == 200


def test_what_happened_finds_the_trigger_that_waits_for_it() -> None:
    all_of_them = [OnComplete(play="a"), AgentMessage(), AgentMessage(agent="eve"), FileChanged(path="*.md")]
    assert triggers.on_complete(all_of_them, "own", "a", "succeeded") == OnComplete(play="a")
    assert triggers.on_complete(all_of_them, "own", "a", "failed") is None
    any_play = [OnComplete(status="failed")]
    assert triggers.on_complete(any_play, "own", "b", "failed") == OnComplete(status="failed")
    assert triggers.on_complete(any_play, "own", "own", "failed") is None, "any other play"
    assert triggers.on_message(all_of_them, "bob", "bob") == AgentMessage()
    assert triggers.on_message(all_of_them, "bob", "eve") == AgentMessage(agent="eve")
    assert triggers.on_message(all_of_them, None, "bob") is None
    assert triggers.on_file(all_of_them, "x.md") == FileChanged(path="*.md")
    assert triggers.on_file(all_of_them, "x/x.md") is None


def test_a_circle_and_a_chain_that_is_too_long_are_refused() -> None:
    assert chain_refusal("a", ()) == ""
    assert chain_refusal("a", ("bob", "play/b")) == ""
    assert chain_refusal("a", ("play/a", "bob")) == "It would start itself again: a → bob → a."
    seven = tuple(f"play/p{number}" for number in range(7))
    assert chain_refusal("a", seven) == ""
    assert "more than 8" in chain_refusal("a", (*seven, "play/b"))


def test_thirty_seconds_have_to_pass() -> None:
    assert not is_too_soon(None, NOW)
    assert is_too_soon(NOW, NOW) and is_too_soon(NOW, NOW + timedelta(seconds=29.9))
    assert not is_too_soon(NOW, NOW + timedelta(seconds=30))
    assert not is_too_soon(NOW + timedelta(hours=1), NOW)  # the clock was set back


@pytest.mark.parametrize(
    ("glob", "fitting", "other"),
    [
        ("a.md", ["a.md", "a.md.bak"], ["aXmd", "b/a.md"]),
        ("*.md", ["a.md", ".md"], ["a/b.md", "a.mdx"]),
        ("docs/**/*.md", ["docs/a.md", "docs/x/y/a.md"], ["docs2/a.md", "docs/a.txt"]),
        ("docs/**", ["docs/a", "docs/a/b"], ["doc", "docs"]),
        ("reports/", ["reports/a", "reports/a/b.md"], ["reports", "reports2/a", "a/reports/b"]),
        ("reports/week", ["reports/week-1.md", "reports/week/a"], ["reports/w"]),
        ("a?[1].py", ["ab[1].py"], ["ab1.py", "a/[1].py"]),
    ],
)
def test_a_glob_fits_what_it_says(glob: str, fitting: list[str], other: list[str]) -> None:
    assert all(matches(glob, path) for path in fitting)
    assert not any(matches(glob, path) for path in other)


def test_what_has_to_be_watched_for_a_glob() -> None:
    globs = ["a.md", "docs/*.md", "docs/api/**/*.md", "**/x", "a*/b/c.md"]
    assert [fixed_folder(each) for each in globs] == ["", "docs", "docs/api", "", ""]


def test_what_the_server_writes_is_not_watched() -> None:
    assert is_watched("docs/a.md") and is_watched(".agents/bob/workspace/a.md")
    for path in (".cabinet/x", ".playbooks/plays/a.md", ".agents/bob/memory/context.md", "sub/.git/HEAD", ".agents/x"):
        assert not is_watched(path)
