"""Cron against a reference that looks at every minute, across the days on which clocks are set forward or back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from harness.cron_reference import due_minutes
from harness.examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jupyter_cabinet.core.errors import Invalid
from jupyter_cabinet.schedules import cron

# When clocks are set in that zone; and a month's end where they never are.
CHANGES = {
    "Europe/Berlin": ("2026-03-29T01:00Z", "2026-10-25T01:00Z"),
    "America/New_York": ("2026-03-08T07:00Z", "2026-11-01T06:00Z"),
    "Australia/Lord_Howe": ("2026-10-03T15:30Z", "2026-04-04T15:00Z"),  # by half an hour
    "America/Sao_Paulo": ("2018-11-04T03:00Z", "2018-02-18T02:00Z"),  # at midnight
    "Asia/Kathmandu": ("2026-02-28T18:15Z",),
    "UTC": ("2028-02-29T00:00Z",),
}


def listed(low: int, high: int) -> st.SearchStrategy[str]:
    numbers = st.integers(low, high)
    # cronsim takes 5-5/2 for 5/2
    spans = st.tuples(numbers, numbers).filter(lambda p: p[0] < p[1]).map(lambda pair: f"{pair[0]}-{pair[1]}")
    steps = st.integers(1, high + 5)
    stepped = st.tuples(st.just("*") | spans | numbers.map(str), steps).map(lambda pair: f"{pair[0]}/{pair[1]}")
    return st.lists(numbers.map(str) | spans | stepped, min_size=1, max_size=3).map(",".join)


def fields(low: int, high: int, *names: str) -> st.SearchStrategy[str]:
    named = [st.sampled_from(names)] if names else []
    return st.one_of(st.just("*"), listed(low, high), *named)


expressions = st.tuples(
    fields(0, 59),
    st.one_of(fields(0, 23), listed(0, 3)),
    st.one_of(st.just("*"), listed(1, 31)),
    st.one_of(st.just("*"), fields(1, 12, "mar-nov", "OCT")),
    st.one_of(st.just("*"), fields(0, 7, "sun", "MON-fri", "sat")),
).map(" ".join)

places = st.sampled_from([(name, change) for name, changes in CHANGES.items() for change in changes])


@pytest.mark.slow(reason="looks at every minute of 6 hours for each expression")
@settings(max_examples=examples(30))
@given(expressions, places, st.integers(-240, 30), st.integers(0, 59))
@example("30 2 * * *", ("Europe/Berlin", CHANGES["Europe/Berlin"][0]), -200, 0)
@example("30 2 * * *", ("Europe/Berlin", CHANGES["Europe/Berlin"][1]), -200, 0)
@example("0 0 * * *", ("America/Sao_Paulo", CHANGES["America/Sao_Paulo"][0]), -200, 0)
@example("15 23 * * *", ("America/Sao_Paulo", CHANGES["America/Sao_Paulo"][1]), -200, 0)
@example("30 * * * *", ("Australia/Lord_Howe", CHANGES["Australia/Lord_Howe"][0]), -200, 0)
@example("45 1 * * *", ("Australia/Lord_Howe", CHANGES["Australia/Lord_Howe"][1]), -200, 0)
def test_every_expression_is_due_exactly_when_the_reference_says(
    expression: str, place: tuple[str, str], shift: int, second: int
) -> None:
    name, change = place
    zone = ZoneInfo(name)
    try:
        cron.checked(expression)
    except Invalid:
        return
    begin = datetime.fromisoformat(change) + timedelta(minutes=shift)
    end = begin + timedelta(hours=6)
    expected = list(due_minutes(expression, zone, begin, end))
    found, last = [], begin - timedelta(seconds=1)
    while (due := cron.next_due(expression, zone, last)) is not None and due < end:
        found.append(due)
        last = due
    assert found == expected
    now = begin + timedelta(hours=4, seconds=second)
    passed = [due for due in expected if due <= now]
    latest = cron.latest_due(expression, zone, now)
    assert latest == passed[-1] if passed else latest is None or latest < begin


def due_from(expression: str, name: str, start: str, count: int) -> list[str]:
    """On the zone's clock, with its offset."""
    zone, found = ZoneInfo(name), []
    last = datetime.fromisoformat(start).replace(tzinfo=zone)
    for _ in range(count):
        due = cron.next_due(expression, zone, last)
        assert due is not None
        found.append(due.astimezone(zone).isoformat(timespec="minutes"))
        last = due
    return found


def test_a_time_that_the_clock_leaves_out_is_due_at_the_jump_and_one_that_comes_twice_the_first_time() -> None:
    assert due_from("30 2 * * *", "Europe/Berlin", "2026-03-28T12:00", 2) == [
        "2026-03-29T03:00+02:00",
        "2026-03-30T02:30+02:00",
    ]
    assert due_from("30 2 * * *", "Europe/Berlin", "2026-10-24T12:00", 2) == [
        "2026-10-25T02:30+02:00",
        "2026-10-26T02:30+01:00",
    ]


def test_an_expression_for_every_hour_goes_by_the_time_that_passes() -> None:
    assert due_from("30 * * * *", "Europe/Berlin", "2026-03-29T00:45", 2) == [
        "2026-03-29T01:30+01:00",
        "2026-03-29T03:30+02:00",
    ]
    assert due_from("30 * * * *", "Europe/Berlin", "2026-10-25T01:45", 3) == [
        "2026-10-25T02:30+02:00",
        "2026-10-25T02:30+01:00",
        "2026-10-25T03:30+01:00",
    ]


def test_either_day_suffices_where_both_are_restricted() -> None:
    assert due_from("0 0 13 * fri", "UTC", "2026-01-30T00:00", 4) == [
        f"2026-02-{day:02}T00:00+00:00" for day in (6, 13, 20, 27)
    ]
    assert due_from("0 0 1,2 * 7", "UTC", "2026-05-31T12:00", 3) == [
        "2026-06-01T00:00+00:00",
        "2026-06-02T00:00+00:00",
        "2026-06-07T00:00+00:00",
    ]


def test_sunday_is_0_and_7() -> None:
    assert due_from("0 0 * * 0", "UTC", "2026-01-01", 5) == due_from("0 0 * * 7", "UTC", "2026-01-01", 5)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("0 0 8 * * *", "This one has 6"),
        ("8 * * *", "This one has 4"),
        ("", "This one has 0"),
        ("60 8 * * *", "The minute of"),
        ("0 8 * * mo", "The day of week of"),
        ("0 8 * 13 *", "The month of"),
        ("0 8 ? * *", "The day of month of"),
        ("0 8 30 2 *", "The day of month of"),
        ("0 0 31-30 * *", "The day of month of"),
        ("@reboot", "Use one of @hourly"),
        ("0 " * 200, "at most 200 characters"),
        ("0 0 */31 * mon#2", "never due"),
    ],
)
def test_what_is_no_expression_is_refused_with_what_was_expected(text: str, part: str) -> None:
    with pytest.raises(Invalid) as refused:
        cron.checked(text)
    assert part in refused.value.message


@given(st.text(max_size=250) | st.text("0123456789*,-/#LW @adilyMONSUN\t", max_size=30))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        expression = cron.checked(text)
    except Invalid:
        return
    assert cron.next_due(expression, ZoneInfo("UTC"), datetime(2026, 1, 1, tzinfo=UTC)) is not None


def test_what_no_date_fits_is_never_due_in_either_direction() -> None:
    never, now = "0 0 */31 * mon#2", datetime(2026, 1, 1, tzinfo=UTC)
    assert cron.next_due(never, ZoneInfo("UTC"), now) is None
    assert cron.latest_due(never, ZoneInfo("UTC"), now) is None


def test_aliases_are_what_cron_says() -> None:
    assert cron.checked(" @Daily ") == cron.checked("@midnight") == "0 0 * * *"
    assert cron.checked("@yearly") == cron.checked("@annually") == "0 0 1 1 *"
