"""Checks of a HEARTBEAT.md with a separate interval."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from harness.agents import heartbeat, make
from harness.backend import ADA, Place
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.agents.prompts.checks import MAX_CHECKS, due_checks
from jupyter_cabinet.core.clock import SystemClock

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
MAIL = "## mail\nInterval: 1800\nLook for mails.\n\n"
TIDY = "## tidy up ##\n- **Interval:** 1d\nTidy.\n"
FILE = f"Keep it short.\n\n{MAIL}{TIDY}# Notes\nAlways.\n## plain\nNo interval.\n"


class ShiftedClock(SystemClock):
    """A clock that runs, from a later time of day."""

    shift = timedelta()

    def now(self) -> datetime:
        return super().now() + self.shift


def ago(**parts: float) -> datetime:
    return NOW - timedelta(**parts)


def test_a_check_is_left_out_until_its_interval_has_passed() -> None:
    assert due_checks(FILE, {}, NOW) == (FILE, ("mail", "tidy up"))
    text, names = due_checks(FILE, {"mail": ago(minutes=10), "tidy up": ago(days=2)}, NOW)
    assert (text, names) == (FILE.replace(MAIL, ""), ("tidy up",))
    text, names = due_checks(FILE, {"mail": ago(minutes=10), "tidy up": ago(hours=2)}, NOW)
    assert (text, names) == (FILE.replace(MAIL, "").replace(TIDY, ""), ())


@pytest.mark.parametrize(
    ("interval", "before", "due"),
    [
        ("1800", ago(seconds=1799), True),  # a heartbeat that starts a little earlier than the one before
        ("1800", ago(minutes=28), False),
        ("30m", ago(minutes=30), True),
        ("4H", ago(hours=3), False),
        ("1d", ago(hours=24), True),
        ("10s", ago(seconds=8), False),
        ("999999999d", ago(days=365), False),
        ("999999999d", ago(days=366), True),
    ],
)
def test_an_interval_is_a_number_of_seconds_or_a_duration(interval: str, before: datetime, due: bool) -> None:
    assert due_checks(f"## a\nInterval: {interval}\n", {"a": before}, NOW)[1] == (("a",) if due else ())


@pytest.mark.parametrize("line", ["Interval: 0", "Interval: soon", "Interval:", "Interval: -5", "Interval: 1 week", ""])
def test_a_section_without_a_usable_interval_belongs_to_each_heartbeat(line: str) -> None:
    text = f"## a\n{line}\nDo it.\n"
    assert due_checks(text, {"a": NOW}, NOW) == (text, ())


def test_code_is_not_a_check_and_a_name_counts_once() -> None:
    code = "```\n## a\nInterval: 60\n```\n"
    assert due_checks(code, {"a": NOW}, NOW) == (code, ())
    twice = "## a\nInterval: 60\n## a\nInterval: 1d\nAgain.\n"
    assert due_checks(twice, {}, NOW) == (twice, ("a",))
    many = "".join(f"## {number}\nInterval: 60\n" for number in range(MAX_CHECKS + 5))
    text, names = due_checks(many, {}, NOW)
    assert (text, len(names)) == (many, MAX_CHECKS)


@given(st.text(alphabet="#` \na~I:1mnterval"), st.booleans())
def test_nothing_is_lost_of_any_text_while_all_is_due(text: str, known: bool) -> None:
    assert due_checks(text, {}, NOW)[0] == text
    left, names = due_checks(text, {"a": NOW} if known else {}, NOW)
    assert len(left) <= len(text)
    assert len(names) == len(set(names))


async def test_heartbeats_receive_the_checks_that_are_due(tmp_path: Path) -> None:
    clock = ShiftedClock()
    async with Place(tmp_path).backend(clock=clock) as backend:
        await make(backend, "ada", "## first\nInterval: 30m\nNothing.\n## second\nInterval: 4h\nNothing.\n")

        async def told() -> list[str]:
            prompt = (await backend.agents.prompt("ada", ADA)).prompt
            return [name for name in ("first", "second") if f"## {name}" in prompt]

        assert await told() == ["first", "second"]
        assert (await heartbeat(backend, "ada")).state == "succeeded"
        assert await told() == []
        clock.shift = timedelta(minutes=31)
        assert await told() == ["first"]
        await heartbeat(backend, "ada")
        assert await told() == []
        clock.shift += timedelta(hours=4)
        assert await told() == ["first", "second"]


async def test_a_failed_heartbeat_has_not_received_its_checks(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", "## first\nInterval: 30m\nfail\n")
        assert (await heartbeat(backend, "ada")).state == "failed"
        assert "## first" in (await backend.agents.prompt("ada", ADA)).prompt


async def test_a_check_that_is_due_wakes_an_agent_that_wakes_when_needed(tmp_path: Path) -> None:
    async with Place(tmp_path).backend() as backend:
        await make(backend, "ada", "## first\nInterval: 30m\nNothing.\n", heartbeat_mode="when_needed")
        entry = await backend.agents.roster.get("ada", ADA)
        assert await backend._agent_room.something_to_do.exists_for(entry)
        await heartbeat(backend, "ada")
        entry = await backend.agents.roster.get("ada", ADA)
        assert not await backend._agent_room.something_to_do.exists_for(entry)
