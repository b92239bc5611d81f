"""What is due: intervals from the last tick, days and hours in a zone, what was missed, and previews."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from jupyter_cabinet.schedules.hours import ActiveHours, last_closing, next_opening, window_at
from jupyter_cabinet.schedules.rules import (
    MOST_COUNTED,
    Cron,
    Daily,
    Every,
    Schedule,
    Weekly,
    count_due,
    latest_due,
    next_due,
    upcoming,
)

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)  # a Saturday, the day before clocks in Berlin are set forward
A_MINUTE, AN_HOUR, A_SECOND = timedelta(minutes=1), timedelta(hours=1), timedelta(seconds=1)
OFFICE = ActiveHours(start="09:00", end="17:00", days=("mon", "tue", "wed", "thu", "fri"), zone="Europe/Berlin")
NIGHT = ActiveHours(start="22:00", end="06:00", zone="Europe/Berlin")
ALL_DAY = ActiveHours(start="00:00", end="24:00", days=("sun",), zone="UTC")


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def test_an_interval_counts_from_the_last_tick_whatever_the_clock_on_the_wall_does() -> None:
    every = Every(seconds=4 * 3600)
    last = at("2026-03-28T23:30Z")
    assert next_due(every, last, anchor=last) == last + 4 * AN_HOUR
    assert next_due(every, last + 9 * AN_HOUR, anchor=last) == last + 12 * AN_HOUR
    assert next_due(every, last + 12 * AN_HOUR, anchor=last) == last + 16 * AN_HOUR
    assert latest_due(every, last, last + 9 * AN_HOUR) == last + 8 * AN_HOUR
    assert latest_due(every, last, last + 4 * AN_HOUR - A_SECOND) is None
    assert count_due(every, last, last + 9 * AN_HOUR) == 2
    assert count_due(every, last, last + 8 * AN_HOUR) == 1


def test_ticks_are_whole_seconds_in_utc() -> None:
    anchor = datetime(2026, 5, 1, 8, 0, 0, 999_999, tzinfo=ZoneInfo("Asia/Kathmandu"))
    due = next_due(Every(seconds=60), anchor, anchor=anchor)
    assert due == at("2026-05-01T02:16Z") and due.tzinfo is UTC


def test_daily_and_weekly_keep_to_the_wall_across_the_change() -> None:
    daily = Daily(at="02:30", zone="Europe/Berlin")
    assert upcoming(daily, NOON, 2) == [at("2026-03-29T03:00+02:00"), at("2026-03-30T02:30+02:00")]
    weekly = Weekly(days=("mon", "sun"), at="08:05", zone="Europe/Berlin")
    assert upcoming(weekly, NOON, 3) == [
        at("2026-03-29T08:05+02:00"),
        at("2026-03-30T08:05+02:00"),
        at("2026-04-05T08:05+02:00"),
    ]
    assert len(upcoming(weekly, NOON)) == 5


def test_of_what_was_missed_the_latest_is_due_and_the_others_are_counted() -> None:
    hourly = Cron(expression="0 * * * *", zone="UTC")
    since, now = at("2026-05-01T08:00Z"), at("2026-05-01T11:20Z")
    latest = latest_due(hourly, since, now)
    assert latest == at("2026-05-01T11:00Z")
    assert count_due(hourly, since, latest) == 2
    assert latest_due(hourly, latest, now) is None
    assert latest_due(Cron(expression="0 0 29 2 *", zone="UTC"), since, now) is None


def test_counting_stops_somewhere() -> None:
    years_ago = NOON - timedelta(days=3650)
    assert count_due(Cron(expression="* * * * *", zone="UTC"), years_ago, NOON) == MOST_COUNTED
    assert count_due(Every(seconds=60), years_ago, NOON) == MOST_COUNTED


def test_nothing_is_due_outside_of_the_active_hours() -> None:
    daily = Cron(expression="0 8,10 * * *", zone="Europe/Berlin")
    assert upcoming(daily, NOON, 2, hours=OFFICE) == [at("2026-03-30T10:00+02:00"), at("2026-03-31T10:00+02:00")]
    monday_evening = at("2026-03-30T20:00+02:00")
    sunday = at("2026-03-29T20:00+02:00")
    assert latest_due(daily, NOON, monday_evening, hours=OFFICE) == at("2026-03-30T10:00+02:00")
    assert latest_due(daily, NOON, sunday, hours=OFFICE) is None
    assert count_due(daily, NOON, monday_evening, hours=OFFICE) == 1
    assert next_due(Daily(at="08:00", zone="Europe/Berlin"), NOON, anchor=NOON, hours=OFFICE) is None
    assert latest_due(Daily(at="08:00", zone="Europe/Berlin"), NOON, monday_evening, hours=OFFICE) is None


def test_an_interval_waits_for_the_active_hours_to_begin() -> None:
    every = Every(seconds=3 * 3600)
    friday = at("2026-03-27T15:30+01:00")
    monday = at("2026-03-30T09:00+02:00")
    assert upcoming(every, friday, 4, anchor=friday, hours=OFFICE) == [
        monday,
        monday + 3 * AN_HOUR,
        monday + 6 * AN_HOUR,
        monday + 24 * AN_HOUR,
    ]
    assert latest_due(every, friday, monday + 23 * AN_HOUR, hours=OFFICE) == monday + 6 * AN_HOUR
    assert latest_due(every, friday, monday - A_SECOND, hours=OFFICE) is None
    assert count_due(every, friday, monday + 24 * AN_HOUR, hours=OFFICE) == 3


def test_active_hours_over_midnight_belong_to_the_day_on_which_they_begin() -> None:
    saturday_night = ActiveHours(start="22:00", end="06:00", days=("sat",), zone="Europe/Berlin")
    window = window_at(saturday_night, at("2026-03-29T05:59+02:00"))
    assert window is not None
    assert (window.opens, window.closes) == (at("2026-03-28T22:00+01:00"), at("2026-03-29T06:00+02:00"))
    assert window_at(saturday_night, at("2026-03-29T23:00+02:00")) is None
    assert window_at(ALL_DAY, at("2026-03-29T23:59:59Z")) and not window_at(ALL_DAY, at("2026-03-30T00:00Z"))


def test_active_hours_that_the_clock_leaves_out_are_left_out() -> None:
    lost = ActiveHours(start="02:00", end="02:30", zone="Europe/Berlin")
    assert next_opening(lost, at("2026-03-28T12:00Z")) == at("2026-03-30T02:00+02:00")
    assert last_closing(lost, at("2026-03-29T12:00Z")) == at("2026-03-28T02:30+01:00")


schedules = st.one_of(
    st.integers(1, 700).map(lambda minutes: Every(seconds=minutes * 60)),
    st.sampled_from(["*/7 * * * *", "30 * * * *", "15,45 2 * * *", "0 */5 * * mon-fri", "59 23 * * 0"]).map(
        lambda expression: Cron(expression=expression, zone="Europe/Berlin")
    ),
    st.just(Daily(at="02:30", zone="America/New_York")),
)


@given(
    schedules,
    st.sampled_from([None, OFFICE, NIGHT, ALL_DAY]),
    st.integers(-3 * 86_400, 3 * 86_400),
    st.integers(0, 3 * 86_400),
)
def test_what_is_next_what_was_latest_and_how_many_agree(
    schedule: Schedule, hours: ActiveHours | None, shift: int, length: int
) -> None:
    since = NOON + timedelta(seconds=shift)
    now = since + timedelta(seconds=length)
    passed: list[datetime] = []
    last = since
    while (due := next_due(schedule, last, anchor=last, hours=hours)) is not None and due <= now:
        assert due > last
        assert hours is None or window_at(hours, due)
        passed.append(due)
        last = due
    assert latest_due(schedule, since, now, hours=hours) == (passed[-1] if passed else None)
    assert count_due(schedule, since, now + A_SECOND, hours=hours) == min(len(passed), MOST_COUNTED)
    later = next_due(schedule, now, anchor=since, hours=hours)
    assert later == due


@given(st.sampled_from([OFFICE, NIGHT, ALL_DAY]), st.integers(-5 * 86_400, 5 * 86_400))
def test_active_hours_are_those_between_what_the_clock_shows(hours: ActiveHours, shift: int) -> None:
    instant = NOON + timedelta(seconds=shift)
    wall = instant.astimezone(ZoneInfo(hours.zone))
    time, days = wall.strftime("%H:%M"), hours.days or ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    today, yesterday = ((wall - timedelta(days=ago)).strftime("%a").lower() in days for ago in (0, 1))
    if hours.start < hours.end:
        expected = today and hours.start <= time < hours.end
    else:
        expected = (today and time >= hours.start) or (yesterday and time < hours.end)
    window = window_at(hours, instant)
    assert (window is not None) == expected
    opening, closing = next_opening(hours, instant), last_closing(hours, instant)
    assert closing <= instant < opening
    assert window_at(hours, opening) and not window_at(hours, closing)
    assert window is None or (closing <= window.opens <= instant and opening >= window.closes)
