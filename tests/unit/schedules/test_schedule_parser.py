"""Schedules as people write them: what is understood, and what a refusal says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.schedules.hours import ActiveHours
from jupyter_cabinet.schedules.rules import Cron, Daily, Every, Schedule, Weekly
from jupyter_cabinet.schedules.schedule_parser import (
    parse_active_hours,
    parse_days,
    parse_heartbeat,
    parse_schedule,
    parse_time,
    parse_zone,
)


def heartbeat(text: str, zone: str = "") -> Schedule:
    return parse_heartbeat(text, zone=zone, default_zone="Europe/Berlin")


def play(**fields: Any) -> Schedule:
    return parse_schedule(fields, default_zone="UTC")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0 8 * * 1-5", Cron(expression="0 8 * * 1-5", zone="Europe/Berlin")),
        ("  0   8 * *  MON ", Cron(expression="0 8 * * MON", zone="Europe/Berlin")),
        ("@hourly", Cron(expression="0 * * * *", zone="Europe/Berlin")),
        ("every 15m", Every(seconds=900)),
        ("every 30m", Every(seconds=1800)),
        ("every 1h", Every(seconds=3600)),
        ("Every 4 H", Every(seconds=14400)),
        ("every daily", Every(seconds=86400)),
        ("every 3d", Every(seconds=259200)),
        ("15m", Every(seconds=900)),
        ("4h", Every(seconds=14400)),
        ("Daily", Every(seconds=86400)),
    ],
)
def test_a_heartbeat_is_cron_an_alias_or_an_interval(text: str, expected: Schedule) -> None:
    assert heartbeat(text) == expected


def test_a_zone_of_its_own_goes_before_the_default() -> None:
    assert heartbeat("@daily", "America/New_York") == Cron(expression="0 0 * * *", zone="America/New_York")


def test_the_four_kinds_of_schedule_of_a_play() -> None:
    assert play(type="interval", every="30m") == play(type="interval", every="every 30m") == Every(seconds=1800)
    assert play(type="cron", cron="@daily", timezone="Asia/Tokyo") == Cron(expression="0 0 * * *", zone="Asia/Tokyo")
    assert play(type="daily", at="8:05") == Daily(at="08:05", zone="UTC")
    weekly = Weekly(days=("mon", "wed"), at="17:30", zone="UTC")
    assert play(type="weekly", days=["wed", "Monday"], at="17:30") == weekly


def test_active_hours_may_span_midnight_and_name_days() -> None:
    expected = ActiveHours(start="09:00", end="17:00", days=("mon", "tue", "wed", "thu", "fri"), zone="UTC")
    assert parse_active_hours("mon-fri 9:00-17:00", default_zone="UTC") == expected
    assert parse_active_hours("09:00 – 17:00, mon-fri", default_zone="UTC") == expected
    night = ActiveHours(start="22:00", end="06:00", zone="Asia/Tokyo")
    assert parse_active_hours("22:00-06:00", zone="Asia/Tokyo", default_zone="UTC") == night
    assert parse_active_hours("00:00-24:00", default_zone="UTC").end == "24:00"
    assert parse_active_hours("9-17, mon-fri", default_zone="UTC") == expected
    assert parse_active_hours("22-6:30", default_zone="UTC") == ActiveHours(start="22:00", end="06:30", zone="UTC")
    assert parse_active_hours("0-24", default_zone="UTC").end == "24:00"


def test_days_are_a_list_or_a_text_and_come_in_order() -> None:
    assert parse_days("sat, sun") == parse_days(("sun", "saturday")) == ("sat", "sun")
    assert parse_days("fri-mon") == ("mon", "fri", "sat", "sun")
    assert parse_days("weekdays") == parse_days("mon-fri") == ("mon", "tue", "wed", "thu", "fri")
    assert parse_days("Weekends, mon") == ("mon", "sat", "sun") and len(parse_days(["daily"])) == 7


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (lambda: heartbeat(" "), "The schedule is empty."),
        (lambda: heartbeat("every 20s"), "“20s” is not an interval."),
        (lambda: heartbeat("every 0m"), "An interval is between 1 minute and 366 days, not “0m”."),
        (lambda: heartbeat("every 400d"), "An interval is between 1 minute and 366 days, not “400d”."),
        (lambda: heartbeat("every"), "“” is not an interval."),
        (lambda: heartbeat("0 0 8 * * *"), "This one has 6."),
        (lambda: heartbeat("0 8 * * *", "Europe/Bielefeld"), "“Europe/Bielefeld” is not a known time zone"),
        (lambda: parse_zone("../../etc/passwd"), "is not a known time zone"),
        (lambda: parse_zone("Europe"), "is not a known time zone"),
        (lambda: parse_zone("x" * 99), f"“{'x' * 60}…” is not a known time zone"),
        (play, "interval, cron, daily or weekly, not “None”."),
        (lambda: play(type="daily"), "This schedule needs “at”, a text such as 08:30."),
        (lambda: play(type="daily", at="24:00"), "“24:00” is not a time of day."),
        (lambda: play(type="weekly", at="08:00"), "“None” names no days of the week."),
        (lambda: play(type="weekly", at="08:00", days=[]), "“[]” names no days of the week."),
        (lambda: play(type="weekly", at="08:00", days=[1]), "“[1]” names no days of the week."),
        (lambda: play(type="weekly", at="08:00", days=["mo"]), "“mo” names no days of the week."),
        (lambda: play(type="weekly", at="08:00", days="mon-"), "“mon-” names no days of the week."),
        (lambda: play(type="cron", cron=5), "This schedule needs “cron”, a text such as 0 8 * * 1-5."),
        (lambda: parse_active_hours("daytime", default_zone="UTC"), "“daytime” are no active hours."),
        (lambda: parse_active_hours("09:00-09:00", default_zone="UTC"), "begin and end at the same time."),
        (lambda: parse_active_hours("09:00-25:00", default_zone="UTC"), "“25:00” is not a time of day."),
    ],
)
def test_what_was_not_understood_is_named_with_what_was_expected(read: Callable[[], object], expected: str) -> None:
    with pytest.raises(Invalid) as refused:
        read()
    assert expected in refused.value.message


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_is_understood_or_refused(text: str, zone: str) -> None:
    for read in (
        lambda: heartbeat(text, zone),
        lambda: heartbeat(f"every {text}"),
        lambda: parse_active_hours(text, zone=zone, default_zone="UTC"),
        lambda: parse_active_hours(f"{text} 09:00-17:00", default_zone="UTC"),
        lambda: parse_days(text),
        lambda: parse_time(text),
        lambda: parse_schedule({"type": text, "every": zone, "at": text, "days": text}, default_zone=zone),
    ):
        try:
            read()
        except Invalid:
            pass
