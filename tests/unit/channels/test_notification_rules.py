"""When a person is notified, compared with a model that walks through the minutes."""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.channels.model import Least, NotifyFields, Severity
from jupyter_cabinet.channels.rules.notifications import SEVERITIES, end_of_quiet, is_time, reaches, send_at

A_MINUTE, A_DAY = timedelta(minutes=1), timedelta(days=1)
# In Berlin the clock jumps on 29 March and 25 October 2026, in Lord Howe by half an hour on 4 April and 4 October
CHANGES = [(3, 29), (4, 4), (10, 4), (10, 25), (7, 1)]
ZONES = ["Europe/Berlin", "Australia/Lord_Howe", "America/New_York", "Asia/Kathmandu", "UTC"]
NIGHT = NotifyFields(notify="info", quiet_from="22:00", quiet_until="07:00", zone="Europe/Berlin")

severities = st.sampled_from(SEVERITIES)
leasts = st.sampled_from(("off", *SEVERITIES))
minutes = st.integers(0, 24 * 60 - 1)


def at(text: str, zone: str = "Europe/Berlin") -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone))


def clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@cache
def walls(zone: str, month: int, day: int) -> tuple[list[datetime], list[datetime]]:
    """Return the minutes of some days around a date, and the latest time that clocks have shown until each of them."""
    first = datetime(2026, month, day, tzinfo=UTC) - 3 * A_DAY
    instants = [first + number * A_MINUTE for number in range(7 * 24 * 60)]
    shown: list[datetime] = []
    for instant in instants:
        wall = instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
        shown.append(max(wall, shown[-1]) if shown else wall)
    return instants, shown


def naive_end(wanted: NotifyFields, instant: datetime, month: int, day: int) -> datetime | None:
    """Return the end of the quiet hours of any day that contain this minute.

    They begin, and end, in the first minute in which clocks have reached the time.
    """
    instants, shown = walls(wanted.zone, month, day)
    today = date(2026, month, day) - 2 * A_DAY
    for _ in range(5):
        begin = datetime.combine(today, time.fromisoformat(wanted.quiet_from))
        end = datetime.combine(today, time.fromisoformat(wanted.quiet_until))
        end = end if end > begin else end + A_DAY
        opens, closes = instants[bisect_left(shown, begin)], instants[bisect_left(shown, end)]
        if opens <= instant < closes:
            return closes
        today += A_DAY
    return None


@given(st.sampled_from(ZONES), st.sampled_from(CHANGES), minutes, minutes, st.integers(-720, 2160), severities)
def test_quiet_hours_are_those_of_the_naive_model(
    zone: str, change: tuple[int, int], start: int, end: int, minute: int, severity: Severity
) -> None:
    wanted = NotifyFields(notify="info", quiet_from=clock(start), quiet_until=clock(end), zone=zone)
    now = datetime(2026, *change, tzinfo=UTC) + minute * A_MINUTE
    expected = naive_end(wanted, now, *change)
    assert end_of_quiet(wanted, now) == expected
    assert send_at(severity, wanted, now) == (now if severity == "critical" else expected or now)


@given(severities, leasts, st.integers(0, 2000), st.integers(0, 3 * 24 * 60))
def test_a_severity_and_a_digest(severity: Severity, least: Least, digest: int, minute: int) -> None:
    now = datetime(2026, 11, 1, tzinfo=UTC) + minute * A_MINUTE
    found = send_at(severity, NotifyFields(notify=least, digest_minutes=digest), now)
    wanted = {"off": (), "info": SEVERITIES, "warn": SEVERITIES[1:], "error": SEVERITIES[2:], "critical": ("critical",)}
    assert (found is not None) == reaches(severity, least) == (severity in wanted[least])
    if found is None:
        return
    if severity != "info" or digest == 0:
        assert found == now
    else:
        minutes_since_1970 = round(found.timestamp()) // 60
        assert now < found <= now + digest * A_MINUTE and minutes_since_1970 % digest == 0


@pytest.mark.parametrize(
    ("severity", "now", "expected"),
    [
        ("warn", "2026-11-01 21:59", "2026-11-01 21:59"),
        ("warn", "2026-11-01 22:00", "2026-11-02 07:00"),
        ("error", "2026-11-02 06:59", "2026-11-02 07:00"),
        ("error", "2026-11-02 07:00", "2026-11-02 07:00"),
        ("critical", "2026-11-02 03:00", "2026-11-02 03:00"),
        ("warn", "2026-03-29 01:30", "2026-03-29 07:00"),  # the clock jumps at 02:00
    ],
)
def test_a_night(severity: Severity, now: str, expected: str) -> None:
    assert send_at(severity, NIGHT, at(now)) == at(expected)


def test_quiet_hours_that_end_within_the_jump_end_with_it() -> None:
    night = NotifyFields(notify="warn", quiet_from="22:00", quiet_until="02:30", zone="Europe/Berlin")
    assert send_at("warn", night, at("2026-03-29 01:00")) == at("2026-03-29 03:00")


def test_a_digest_of_the_night_arrives_in_the_morning() -> None:
    night = NotifyFields(
        notify="info", quiet_from="22:00", quiet_until="07:00", zone="Europe/Berlin", digest_minutes=60
    )
    assert send_at("info", night, at("2026-11-01 20:10")) == at("2026-11-01 21:00")
    assert send_at("info", night, at("2026-11-01 21:10")) == at("2026-11-02 07:00")
    assert send_at("critical", night, at("2026-11-01 23:10")) == at("2026-11-01 23:10")


def test_what_is_critical_does_not_pass_the_least_severity() -> None:
    assert send_at("critical", NotifyFields(), at("2026-11-01 12:00")) is None
    assert send_at("error", NotifyFields(notify="critical"), at("2026-11-01 12:00")) is None


@pytest.mark.parametrize(
    ("text", "good"),
    [("00:00", True), ("23:59", True), ("24:00", False), ("9:30", False), ("09:60", False), ("٠9:30", False)],
)
def test_times_of_day(text: str, good: bool) -> None:
    assert is_time(text) is good
